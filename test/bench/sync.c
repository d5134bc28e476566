/* LD_PRELOAD: a sync of a file takes SYNC_MICROSECONDS, on a file system where it takes none. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

static int wait_for_disk(void) {
  const char *text = getenv("SYNC_MICROSECONDS");
  long nanoseconds = text ? atol(text) * 1000 : 0;
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += nanoseconds;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  prctl(PR_SET_TIMERSLACK, 1);
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, 0) != 0) continue;
  return 0;
}

int fsync(int fd) { (void)fd; return wait_for_disk(); }
int fdatasync(int fd) { (void)fd; return wait_for_disk(); }
