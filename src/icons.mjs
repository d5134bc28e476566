// The icon of the companion page, as SVG and PNG from the same coordinates: a line that rises, falls, rises.
import { crc32, deflateSync } from 'node:zlib';

const SIZE = 96;
const GROUND = [0x1d, 0x5c, 0x4b];
const LINE = [
  [22, 66],
  [40, 42],
  [54, 54],
  [74, 28],
];
const STROKE = 9;

export function iconAsSvg() {
  const path = `M${LINE.map((point) => point.join(' ')).join('L')}`;
  const colour = `#${Buffer.from(GROUND).toString('hex')}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIZE} ${SIZE}"><title>sciatica</title><rect width="${SIZE}" height="${SIZE}" fill="${colour}"/><path d="${path}" fill="none" stroke="#fff" stroke-width="${STROKE}" stroke-linecap="round" stroke-linejoin="round"/></svg>`;
}

/**
 * The icon as PNG: 8 bits per colour channel, no transparency (https://www.w3.org/TR/png-3/).
 * @param size width and height in pixels
 */
export function iconAsPng(size) {
  const rows = Array.from({ length: size }, (_, y) => {
    const pixels = Array.from({ length: size }, (_, x) => pixel(x, y, SIZE / size)).flat();
    // Each row begins with its filter type: 0, none.
    return Buffer.from([0, ...pixels]);
  });
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  const data = deflateSync(Buffer.concat(rows), { level: 9 });
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The colour of a pixel at its centre; edges are antialiased over one pixel. @param scale units of the drawing per pixel */
function pixel(x, y, scale) {
  const at = [(x + 0.5) * scale, (y + 0.5) * scale];
  const distances = LINE.slice(1).map((end, i) => distance(at, LINE[i], end));
  const share = Math.min(1, Math.max(0, (STROKE / 2 - Math.min(...distances)) / scale + 0.5));
  return GROUND.map((ground) => Math.round(ground + (255 - ground) * share));
}

/** The distance of a point from the line segment between two others. */
function distance([x, y], [fromX, fromY], [toX, toY]) {
  const [dx, dy] = [toX - fromX, toY - fromY];
  const along = Math.min(1, Math.max(0, ((x - fromX) * dx + (y - fromY) * dy) / (dx * dx + dy * dy)));
  return Math.hypot(x - fromX - along * dx, y - fromY - along * dy);
}

function chunk(type, data) {
  const content = Buffer.concat([Buffer.from(type), data]);
  const [length, crc] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  crc.writeUInt32BE(crc32(content));
  return Buffer.concat([length, content, crc]);
}
