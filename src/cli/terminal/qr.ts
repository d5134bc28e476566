import { correction, generate } from 'lean-qr';

/** Light modules around a code: two are enough for cameras, and leave room for it in 24 lines. */
const MARGIN = 2;

/** True black and white by number, whatever the theme of the terminal (https://en.wikipedia.org/wiki/ANSI_escape_code#8-bit). */
const [BLACK_ON_WHITE, RESET] = ['\u001b[38;5;16;48;5;231m', '\u001b[0m'];

/** By whether the upper and the lower half are dark. */
const HALVES = { coloured: [' ', '▄', '▀', '█'], plain: ['█', '▀', '▄', ' '] } as const;

/**
 * A text as a QR code, in lines of half blocks, two rows of modules each; undefined where that is wider than `width`.
 * @param colour whether black and white can be said; otherwise the terminal is taken to be dark
 */
export function qrLines(text: string, width: number, colour: boolean): string[] | undefined {
  const code = generate(text, { minCorrectionLevel: correction.L });
  const end = code.size + MARGIN;
  if (code.size + 2 * MARGIN > width) return undefined;
  const halves = HALVES[colour ? 'coloured' : 'plain'];
  const lines: string[] = [];
  for (let y = -MARGIN; y < end; y += 2) {
    let line = '';
    for (let x = -MARGIN; x < end; x++)
      line += halves[(code.get(x, y) ? 2 : 0) + (code.get(x, y + 1) ? 1 : 0)];
    lines.push(colour ? `${BLACK_ON_WHITE}${line}${RESET}` : line);
  }
  return lines;
}
