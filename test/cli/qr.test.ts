import jsQr from 'jsqr';
import { describe, expect, test } from 'vitest';
import { qrLines } from '../../src/cli/commands/pair.ts';
import { pairingUri } from '../../src/domain/pairing.ts';

const uri = (url: string) =>
  pairingUri({ url, pin: `sha256-${'Ab_-'.repeat(10)}xyz`, code: 'J7WmZ0cIpZp5xV2bq3xKkA' });

const SCALE = 4;

/** What a camera reads of the lines: each half of a character is a square of pixels, dark or light. */
function scanned(lines: readonly string[], darkOf: (character: string) => [upper: boolean, lower: boolean]) {
  const rows = lines.flatMap((line) => {
    const halves = [...line].map(darkOf);
    return [halves.map(([upper]) => upper), halves.map(([, lower]) => lower)];
  });
  const [width, height] = [(rows[0]?.length ?? 0) * SCALE, rows.length * SCALE];
  const pixels = new Uint8ClampedArray(width * height * 4).fill(255);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      if (rows[Math.floor(y / SCALE)]?.[Math.floor(x / SCALE)])
        pixels.fill(0, (y * width + x) * 4, (y * width + x) * 4 + 3);
  return jsQr(pixels, width, height)?.data;
}

/** Whether the two halves of a character are in its own colour. */
const inked = (character: string): [boolean, boolean] => ['▀█'.includes(character), '▄█'.includes(character)];

describe.each([
  ['an IPv4 address', 'https://192.168.100.123:30000', 45, 23],
  ['a name', 'https://noras-macbook.local:3000', 49, 25],
  ['an IPv6 address', 'https://[2001:db8:1234:5678:9abc:def0:1234:5678]:3000', 53, 27],
])('the code of %s', (_, url, width, height) => {
  const text = uri(url);

  test(`is ${width} columns wide and ${height} lines high`, async () => {
    const lines = (await qrLines(text, width, false)) ?? [];
    expect(lines.map((line) => line.length)).toEqual(Array(height).fill(width));
    expect(await qrLines(text, width - 1, false)).toBeUndefined();
  });

  test('is black on white in colours that no theme changes', async () => {
    const lines = (await qrLines(text, 80, true)) ?? [];
    const bare = lines.map((line) => {
      const [, cells] = /^\u001b\[38;5;16;48;5;231m([ ▀▄█]+)\u001b\[0m$/.exec(line) ?? [];
      return cells ?? '';
    });
    expect(scanned(bare, inked)).toBe(text);
  });

  test('is light where the ink is, without colours on a dark terminal', async () => {
    const lines = (await qrLines(text, 80, false)) ?? [];
    const light = (character: string): [boolean, boolean] => {
      const [upper, lower] = inked(character);
      return [!upper, !lower];
    };
    expect(scanned(lines, light)).toBe(text);
  });
});
