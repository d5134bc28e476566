/** Longest Authorization header that is parsed, in characters. */
const MOST_CHARACTERS = 1000;

/** The token in an Authorization header: a bearer token (RFC 6750), or the password of Basic (RFC 7617). */
export function secretOf(header: string | undefined): string | undefined {
  if (header === undefined || header.length > MOST_CHARACTERS) return undefined;
  const [, scheme = '', credentials = ''] = /^(bearer|basic) +([\w.~+/-]+=*) *$/i.exec(header) ?? [];
  if (scheme.toLowerCase() !== 'basic') return credentials || undefined;
  const pair = Buffer.from(credentials, 'base64').toString();
  const colon = pair.indexOf(':');
  return colon < 0 ? undefined : pair.slice(colon + 1) || undefined;
}
