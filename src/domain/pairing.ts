import { text } from './fields.ts';

/** Pairing: a phone exchanges a one-time code, which is shown on this machine, for a token. */

/** Lifetime of a code, in milliseconds. */
export const CODE_LIFETIME_MS = 10 * 60 * 1000;

/** Wrong codes, counted over all callers, after which the open code is closed. */
export const CODE_TRIES = 5;

/** Name of the token if the phone gives none. */
export const DEFAULT_NAME = 'phone';

/** The request of a phone that pairs. */
export const pairFields = {
  code: text({
    label: 'Code',
    flag: 'code',
    help: 'The one-time code that sciatica pair shows',
    max: 100,
    blank: false,
    example: 'J7WmZ0cIpZp5xV2bq3xKkA',
  }),
  name: text({
    label: 'Name',
    flag: 'name',
    help: `Name of the token, such as the model of the phone; a number is added where it is taken; otherwise ${DEFAULT_NAME}`,
    max: 100,
    blank: false,
    optional: true,
    example: 'Pixel 9',
  }),
};

/** What a phone needs to know to be paired. */
export interface Invitation {
  /** Base URL of the service: `https://192.168.1.23:3000`. */
  url: string;
  /** Pin of the service's public key, if its certificate is self-signed: see `pinOf`. */
  pin?: string | undefined;
  /** The one-time code. */
  code: string;
}

/** The link in a QR code, to the companion page. The part after # is never sent, so that no server or proxy logs the code. */
export function pairingUri({ url, pin, code }: Invitation): string {
  return `${url}/app/#code=${code}${pin === undefined ? '' : `&pin=${pin}`}`;
}

/** Reads a URI of `pairingUri`; undefined for any other text. */
export function invitationOf(uri: string): Invitation | undefined {
  const [, url, fragment] = /^(https:\/\/[^/?#]+)\/app\/#(.+)$/.exec(uri) ?? [];
  const parameters = new URLSearchParams(fragment);
  const [pin, code] = ['pin', 'code'].map((name) => parameters.get(name) ?? undefined);
  return url !== undefined && code !== undefined ? { url, pin, code } : undefined;
}
