import type { ComponentChildren } from 'preact';

/** A table whose rows begin with their headings. It scrolls where it is wider than the screen. */
export function Table({ head, rows }: { head: ComponentChildren[]; rows: ComponentChildren[][] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to scroll by the keyboard
    <div class="wide" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head.map((cell, i) => (
              <th key={i} scope="col">
                {cell}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, ...cells], i) => (
            <tr key={i}>
              <th scope="row">{name}</th>
              {cells.map((cell, j) => (
                <td key={j}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
