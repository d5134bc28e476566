import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** What a process did to its files, in order. */
export type Event =
  | { kind: 'write'; path: string; at: number; bytes: Buffer }
  | { kind: 'copy'; path: string; at: number; from: string; length: number }
  | { kind: 'append'; path: string; bytes: Buffer }
  | { kind: 'truncate'; path: string; size: number }
  | { kind: 'create' | 'sync' | 'unlink'; path: string }
  | { kind: 'rename' | 'link'; path: string; to: string }
  /** It said on stdout that something is done, and the state that it left. */
  | { kind: 'done'; state: string };

const CALLS =
  'open,openat,creat,write,pwrite64,ftruncate,fsync,fdatasync,rename,renameat,renameat2,link,linkat,unlink,unlinkat,copy_file_range,sendfile,writev,pwritev,pwritev2';

/** Runs a program under strace. @returns what it did to the files of a folder */
export function record(program: readonly string[], folder: string, file: string): Event[] {
  const strace = [
    '-f',
    '--seccomp-bpf',
    '-qq',
    '-y',
    '-xx',
    '-s',
    '4000000',
    '-e',
    `trace=${CALLS}`,
    '-o',
    file,
  ];
  execFileSync('strace', [...strace, ...program], { stdio: ['ignore', 'pipe', 'inherit'] });
  return callsOf(readFileSync(file, 'latin1')).flatMap((call) => eventOf(call, folder) ?? []);
}

/** The calls in the order in which they ended; those that were interrupted are put together. */
function callsOf(trace: string): string[] {
  const begun = new Map<string, string>();
  const calls: string[] = [];
  for (const line of trace.split('\n')) {
    const [, pid = '', text = ''] = /^(\d+) +(.*)$/.exec(line) ?? [];
    if (text.endsWith(' <unfinished ...>')) begun.set(pid, text.slice(0, -' <unfinished ...>'.length));
    else calls.push(text.replace(/^<\.\.\. \w+ resumed>/, () => begun.get(pid) ?? ''));
  }
  return calls;
}

const bytesOf = (text: string) => Buffer.from(text.replaceAll('\\x', ''), 'hex');
const textOf = (text: string) => (text.includes('\\x') ? bytesOf(text).toString() : text);

function eventOf(call: string, folder: string): Event | undefined {
  const [, name = '', args = '', result = ''] = /^(\w+)\((.*)\) += (-?\d+)/s.exec(call) ?? [];
  if (result === '' || result.startsWith('-')) return undefined;
  const files = [...args.matchAll(/\d+<((?:\\x[0-9a-f]{2}|[^>])*)>/g)].map(([, path]) => textOf(path ?? ''));
  const strings = [...args.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, text]) => text ?? '');
  const [path = ''] = files;
  const numbers = args.split(', ').map(Number);
  if (name === 'write' && args.startsWith('1<')) {
    const said = /^done (\w+)/.exec(bytesOf(strings[0] ?? '').toString());
    return said ? { kind: 'done', state: said[1] ?? '' } : undefined;
  }
  const isOurs = (file: string) => file.startsWith(folder) && !/-shm$|etilqs_|\(deleted\)/.test(file);
  if (/^(open|openat|creat)$/.test(name)) {
    const opened = textOf(strings[0] ?? '');
    if (!isOurs(opened)) return undefined;
    if (/O_TRUNC/.test(args)) return { kind: 'truncate', path: opened, size: 0 };
    return /O_CREAT/.test(args) ? { kind: 'create', path: opened } : undefined;
  }
  if (/^(rename|link)/.test(name)) {
    const [from = '', to = ''] = strings.map(textOf);
    return isOurs(to) ? { kind: name.startsWith('rename') ? 'rename' : 'link', path: from, to } : undefined;
  }
  if (name.startsWith('unlink')) {
    const gone = textOf(strings[0] ?? '');
    return isOurs(gone) ? { kind: 'unlink', path: gone } : undefined;
  }
  if (name === 'copy_file_range' && isOurs(files[1] ?? ''))
    return { kind: 'copy', path: files[1] ?? '', at: -1, from: path, length: Number(result) };
  if (!isOurs(path)) return undefined;
  switch (name) {
    case 'pwrite64':
      return { kind: 'write', path, at: numbers.at(-1) ?? 0, bytes: bytesOf(strings[0] ?? '') };
    case 'write':
      return { kind: 'append', path, bytes: bytesOf(strings[0] ?? '') };
    case 'sendfile':
      return { kind: 'copy', path, at: -1, from: files[1] ?? '', length: Number(result) };
    case 'ftruncate':
      return { kind: 'truncate', path, size: numbers.at(-1) ?? 0 };
    case 'fsync':
    case 'fdatasync':
      return { kind: 'sync', path };
    default:
      throw new Error(`This call is not replayed: ${name}`);
  }
}
