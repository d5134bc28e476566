/** A response as it came. */
export interface Reply {
  status: number;
  /** Names in lower case; each header that is there once. */
  headers: Map<string, string>;
  body: string;
}

const STATUS_LINE = /^HTTP\/1\.1 ([1-5]\d\d) [\t\x20-\x7e]*$/;
const FIELD = /^([!#$%&'*+.^`|~\w-]+):[\t ]*([\t\x20-\x7e]*)$/;

/**
 * Reads the responses that stand one after another in what a server sent (RFC 9112).
 * @param text a character per byte
 * @param toHead whether they may be answers to HEAD, which announce a body and have none
 * @returns the whole responses, and what is there of one that is still on its way
 * @throws Error when that is no HTTP
 */
export function repliesIn(text: string, toHead = false): { replies: Reply[]; rest: string } {
  const replies: Reply[] = [];
  let rest = text;
  for (;;) {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) break;
    const head = headOf(rest.slice(0, end));
    const found = bodyOf(head, rest.slice(end + 4), toHead);
    if (!found) break;
    replies.push({ ...head, body: found.body });
    rest = found.rest;
  }
  const [line = ''] = rest.split('\r\n');
  if (rest.includes('\r\n') ? !STATUS_LINE.test(line) : !'HTTP/1.1 '.startsWith(line.slice(0, 9)))
    throw new Error(`no response begins like this: ${JSON.stringify(rest.slice(0, 200))}`);
  return { replies, rest };
}

function headOf(text: string): Omit<Reply, 'body'> {
  const [line = '', ...fields] = text.split('\r\n');
  const status = Number(STATUS_LINE.exec(line)?.[1]);
  if (!status) throw new Error(`no status line: ${JSON.stringify(line)}`);
  const headers = new Map<string, string>();
  for (const field of fields) {
    const [, name = '', value = ''] = FIELD.exec(field) ?? [];
    if (name === '' || headers.has(name.toLowerCase())) throw new Error(`a wrong header: ${field}`);
    headers.set(name.toLowerCase(), value);
  }
  return { status, headers };
}

/** The body behind a head, once it is there (RFC 9112, 6.3). */
function bodyOf({ status, headers }: Omit<Reply, 'body'>, text: string, toHead: boolean) {
  const nothing = { body: '', rest: text };
  if (status < 200 || status === 204 || status === 304) return nothing;
  if (toHead && (text === '' || text.startsWith('HTTP/1.1 '))) return nothing;
  if (headers.get('transfer-encoding') === 'chunked') return chunked(text);
  const length = headers.get('content-length') ?? '';
  // A caller of HTTP/1.0 knows no chunks: what goes on until the end is all of it.
  if (length === '' && headers.get('connection') === 'close') return { body: text, rest: '' };
  if (!/^\d+$/.test(length)) throw new Error('a response of no length');
  if (text.length < Number(length)) return undefined;
  return { body: text.slice(0, Number(length)), rest: text.slice(Number(length)) };
}

function chunked(text: string): { body: string; rest: string } | undefined {
  let body = '';
  for (let at = 0; ; ) {
    const end = text.indexOf('\r\n', at);
    if (end < 0) return undefined;
    const size = text.slice(at, end);
    if (!/^[\da-f]+$/i.test(size)) throw new Error(`a wrong chunk size: ${size.slice(0, 20)}`);
    const next = end + 2 + Number.parseInt(size, 16);
    if (text.length < next + 2) return undefined;
    body += text.slice(end + 2, next);
    at = next + 2;
    if (next === end + 2) return { body, rest: text.slice(at) };
  }
}
