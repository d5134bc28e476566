import { connect } from 'node:tls';
import { isWildcard } from '../../lib/machine.ts';
import { pinOf } from '../../lib/pin.ts';
import type { PairingService } from '../../store/records/pairing.ts';

const TIMEOUT_MS = 3_000;

/** Whether a service listens where it was announced, with the key of that pin. */
export function isReachable({ host, port, pin }: PairingService): Promise<boolean> {
  return new Promise((resolve) => {
    const at = isWildcard(host) ? '127.0.0.1' : host;
    const socket = connect({ host: at, port, rejectUnauthorized: false, timeout: TIMEOUT_MS });
    const done = (found: boolean) => {
      socket.destroy();
      resolve(found);
    };
    socket.on('secureConnect', () => {
      const certificate = socket.getPeerX509Certificate();
      done(certificate !== undefined && pinOf(certificate.raw) === pin);
    });
    socket.on('timeout', () => done(false));
    socket.on('error', () => done(false));
  });
}
