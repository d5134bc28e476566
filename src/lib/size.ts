const UNITS = ['KB', 'MB', 'GB', 'TB'] as const;

/** The size of a file or a disk: `4.1 KB`, `28 MB`, `77 GB`. */
export function sized(bytes: number): string {
  let size = bytes;
  let unit = 'bytes';
  for (const next of UNITS) {
    if (Math.round(size) < 1000) break;
    size /= 1000;
    unit = next;
  }
  return `${size < 10 && unit !== 'bytes' ? size.toFixed(1) : Math.round(size)} ${unit}`;
}
