import { text } from './fields.ts';

/** How a phone becomes the holder of a token: a one-time code, shown on this machine, is exchanged for it. */

/** A code is open for so long, in milliseconds. */
export const CODE_LIFETIME_MS = 10 * 60 * 1000;

/** Wrong codes, from all callers together, that close the one that is open. */
export const CODE_TRIES = 5;

/** Name of the token of a phone that gives none. */
export const DEFAULT_NAME = 'phone';

/** What a phone sends. */
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
  /** Where the service is: `https://192.168.1.23:3000`. */
  url: string;
  /** The pin of its key, where its certificate is its own: see `pinOf`. */
  pin?: string | undefined;
  /** The one-time code. */
  code: string;
}

/** The link that a QR code holds, to the companion page. What follows # is never sent, so no log of a server or proxy has it. */
export function pairingUri({ url, pin, code }: Invitation): string {
  return `${url}/app/#code=${code}${pin === undefined ? '' : `&pin=${pin}`}`;
}

/** What `pairingUri` put into a URI; undefined for any other text. */
export function invitationOf(uri: string): Invitation | undefined {
  const [, url, fragment] = /^(https:\/\/[^/?#]+)\/app\/#(.+)$/.exec(uri) ?? [];
  const parameters = new URLSearchParams(fragment);
  const [pin, code] = ['pin', 'code'].map((name) => parameters.get(name) ?? undefined);
  return url !== undefined && code !== undefined ? { url, pin, code } : undefined;
}
