import { createHash, type X509Certificate } from 'node:crypto';
import { request } from 'node:https';
import { connect } from 'node:tls';

/** What an app keeps of a pairing, in the key store of the phone. */
export interface Pairing {
  url: string;
  pin: string;
  token: string;
}

/** Pairs with the service that the scanned link names. */
export async function pair(uri: string, name: string): Promise<Pairing> {
  const { origin: url, hash } = new URL(uri);
  const parameters = new URLSearchParams(hash.slice(1));
  const [pin = '', code = ''] = ['pin', 'code'].map((key) => parameters.get(key) ?? '');
  const { status, body } = await send({ url, pin }, 'POST', '/pair', { code, name });
  if (status !== 201) throw new Error(`The service answered ${status}: ${body}`);
  return { url, pin, token: (JSON.parse(body) as { token: string }).token };
}

/** A request over a connection with the pinned key: nothing is sent before that is certain. */
export function send(
  { url, pin, token }: Pick<Pairing, 'url' | 'pin'> & Partial<Pairing>,
  method: string,
  path: string,
  content?: unknown,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(new URL(path, url), {
      method,
      headers: {
        ...headers,
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        ...(content !== undefined && { 'Content-Type': 'application/json' }),
      },
      createConnection: (_, created) => {
        const { hostname, port } = new URL(url);
        const host = hostname.replace(/^\[|\]$/g, '');
        // Nobody but the service has the key of the pin, so who signed the certificate does not matter.
        const socket = connect({ host, port: Number(port), rejectUnauthorized: false });
        socket.once('error', (error) => created(error, socket));
        socket.once('secureConnect', () => {
          if (pinOf(socket.getPeerX509Certificate()) === pin) created(null, socket);
          else socket.destroy(new Error('This is not the service that was paired with.'));
        });
        return undefined;
      },
    });
    outgoing.on('error', reject);
    outgoing.on('response', async (response) => {
      let body = '';
      for await (const piece of response.setEncoding('utf8')) body += piece;
      resolve({ status: response.statusCode ?? 0, body });
    });
    outgoing.end(content === undefined ? undefined : JSON.stringify(content));
  });
}

/** SHA-256 of the certificate's SubjectPublicKeyInfo. */
function pinOf(certificate: X509Certificate | undefined): string {
  const spki = certificate?.publicKey.export({ type: 'spki', format: 'der' }) ?? '';
  return `sha256-${createHash('sha256').update(spki).digest('base64url')}`;
}
