/* LD_PRELOAD: lets the Nth call that changes something under a folder fail, or all from the Nth on, or ends the process there.
   FAULT_UNDER the folder; FAULT_AT N, from 1 (0: none); FAULT_ERRNO the number; FAULT_ON all that follow fail as well;
   FAULT_KILL ends the process instead, as kill -9 does, before the call is made;
   FAULT_COUNT a file that gets the number of calls at the end; FAULT_WHEN a file without which nothing fails or counts. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static int calls;

static int is_under(const char *path) {
  const char *under = getenv("FAULT_UNDER");
  return under && strncmp(path, under, strlen(under)) == 0;
}

/* Whether this call, about a file that counts, is one that fails. For want of room only those fail that need some. */
static int fails(int counts, int takes_room) {
  const char *when = getenv("FAULT_WHEN");
  if (!counts || (when && access(when, F_OK) != 0)) return 0;
  const char *error = getenv("FAULT_ERRNO");
  if (error && (atoi(error) == ENOSPC || atoi(error) == EDQUOT) && !takes_room) return 0;
  int number = __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST);
  const char *at = getenv("FAULT_AT");
  int first = at ? atoi(at) : 0;
  if (first == 0 || number < first || (number > first && !getenv("FAULT_ON"))) return 0;
  if (getenv("FAULT_KILL")) kill(getpid(), SIGKILL);
  errno = error ? atoi(error) : EIO;
  return 1;
}

static int fd_fails(int fd, int takes_room) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return fails(is_under(path), takes_room);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int fd, const void *bytes, size_t n) { return fd_fails(fd, 1) ? -1 : REAL(write)(fd, bytes, n); }
ssize_t writev(int fd, const struct iovec *parts, int n) { return fd_fails(fd, 1) ? -1 : REAL(writev)(fd, parts, n); }
ssize_t pwrite(int fd, const void *bytes, size_t n, off_t at) { return fd_fails(fd, 1) ? -1 : REAL(pwrite)(fd, bytes, n, at); }
ssize_t pwrite64(int fd, const void *bytes, size_t n, off_t at) { return fd_fails(fd, 1) ? -1 : REAL(pwrite64)(fd, bytes, n, at); }
int fsync(int fd) { return fd_fails(fd, 0) ? -1 : REAL(fsync)(fd); }
int fdatasync(int fd) { return fd_fails(fd, 0) ? -1 : REAL(fdatasync)(fd); }
int ftruncate(int fd, off_t n) { return fd_fails(fd, 0) ? -1 : REAL(ftruncate)(fd, n); }
int ftruncate64(int fd, off_t n) { return fd_fails(fd, 0) ? -1 : REAL(ftruncate64)(fd, n); }
ssize_t sendfile(int to, int from, off_t *at, size_t n) { return fd_fails(to, 1) ? -1 : REAL(sendfile)(to, from, at, n); }
ssize_t sendfile64(int to, int from, off_t *at, size_t n) { return fd_fails(to, 1) ? -1 : REAL(sendfile64)(to, from, at, n); }
ssize_t copy_file_range(int from, off_t *in, int to, off_t *out, size_t n, unsigned flags) {
  return fd_fails(to, 1) ? -1 : REAL(copy_file_range)(from, in, to, out, n, flags);
}
int rename(const char *from, const char *to) { return fails(is_under(to), 0) ? -1 : REAL(rename)(from, to); }
int unlink(const char *path) { return fails(is_under(path), 0) ? -1 : REAL(unlink)(path); }
int rmdir(const char *path) { return fails(is_under(path), 0) ? -1 : REAL(rmdir)(path); }
int remove(const char *path) { return fails(is_under(path), 0) ? -1 : REAL(remove)(path); }
int link(const char *from, const char *to) { return fails(is_under(to), 1) ? -1 : REAL(link)(from, to); }
int mkdir(const char *path, mode_t mode) { return fails(is_under(path), 1) ? -1 : REAL(mkdir)(path, mode); }

/* What makes a file needs room as well. */
#define OPEN(name)                                                         \
  int name(const char *path, int flags, ...) {                             \
    va_list rest;                                                          \
    va_start(rest, flags);                                                 \
    mode_t mode = va_arg(rest, mode_t);                                    \
    va_end(rest);                                                          \
    int makes = (flags & O_CREAT) && access(path, F_OK) != 0;              \
    return fails(makes && is_under(path), 1) ? -1 : REAL(name)(path, flags, mode); \
  }
OPEN(open)
OPEN(open64)

__attribute__((destructor)) static void tell(void) {
  const char *path = getenv("FAULT_COUNT");
  if (!path) return;
  FILE *file = fopen(path, "w");
  if (file) {
    fprintf(file, "%d", calls);
    fclose(file);
  }
}
