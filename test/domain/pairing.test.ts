import { expect, test } from 'vitest';
import { invitationOf, pairingUri } from '../../src/domain/pairing.ts';

const url = 'https://192.168.1.23:3000';

test.each([
  [{ url, code: 'J7Wm' }, `${url}/app/#code=J7Wm`],
  [{ url, pin: 'sha256-x', code: 'J7Wm' }, `${url}/app/#code=J7Wm&pin=sha256-x`],
])('%j is the link %s, and back', (invitation, uri) => {
  expect(pairingUri(invitation)).toBe(uri);
  expect(invitationOf(uri)).toEqual(invitation);
});

test.each([
  'http://192.168.1.23:3000/app/#code=J7Wm',
  `${url}/app/#pin=x`,
  `${url}/app/`,
  `${url}/#code=J7Wm`,
])('%s is no such link', (uri) => expect(invitationOf(uri)).toBeUndefined());
