import { invalid } from '../domain/errors.ts';

/** The hosts of this machine itself: what is sent there crosses no network. */
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** A pin as `pinOf` makes it. */
const PIN = /^sha256-[\w-]{43}$/;

/** The address of a service. */
export interface Address {
  url: URL;
  /** The pin of its certificate's key; without it every certificate that the system trusts is accepted. */
  pin: string | undefined;
}

/** Whether a text is the URL of a service, and not a folder or the name of a remote. */
export const isUrl = (text: string | undefined): text is string => /^https?:/i.test(text ?? '');

/**
 * Checks the address of a service.
 * @param pin of its certificate
 * @throws SciaticaError `invalid` with every fault
 */
export function checkAddress(text: string, pin?: string): Address {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const issues = faultsOf(url).map((message) => ({ field: 'URL', message }));
  if (pin !== undefined && !PIN.test(pin))
    issues.push({
      field: '--pin',
      message:
        'must be the pin of a certificate, sha256- and 43 characters, as the machine of the service shows it',
    });
  else if (pin !== undefined && url?.protocol === 'http:')
    issues.push({ field: '--pin', message: 'needs an https URL' });
  if (!url || issues.length > 0) throw invalid(issues);
  return { url, pin };
}

function faultsOf(url: URL | undefined): string[] {
  if (!url || !['http:', 'https:'].includes(url.protocol))
    return ['must be the address of a service, such as https://home.example:3000'];
  const faults: string[] = [];
  if (url.protocol === 'http:' && !LOOPBACK.includes(url.hostname))
    faults.push(
      'must begin with https: others on the network could read along (http is for this machine only)',
    );
  if (url.username !== '' || url.password !== '')
    faults.push('must hold no password: a token comes from --token-file');
  if (url.search !== '' || url.hash !== '') faults.push('must end with its path: without ? and #');
  return faults;
}
