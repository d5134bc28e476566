/** The one style sheet: screens from a phone up, and A4. No colour carries meaning. */
export const STYLE = `
:root { color-scheme: light; }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 52rem; color: #111; background: #fff;
  font: 1rem/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.2; margin: 0; }
h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; padding-bottom: .2rem; border-bottom: 2px solid #111; break-after: avoid; }
p { margin: .5rem 0; }
.period { margin: .2rem 0 0; color: #333; font-size: 1.05rem; }
dl { margin: .5rem 0; display: grid; grid-template-columns: minmax(8rem, 11rem) 1fr; gap: .35rem 1rem; }
dt { font-weight: 600; }
dd { margin: 0; }
dd p { margin: 0 0 .15rem; }
.alert { border: 2px solid #111; padding: .5rem .75rem; margin: .75rem 0; font-weight: 600; break-inside: avoid; }
figure { margin: .5rem 0; break-inside: avoid; }
figure.long { break-inside: auto; }
figcaption { font-size: .85rem; color: #333; }
.short figcaption, .long figcaption { break-after: avoid; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .85rem; font-variant-numeric: tabular-nums; margin: .5rem 0; }
th, td { text-align: left; vertical-align: top; padding: .2rem .45rem .2rem 0; border-bottom: 1px solid #bbb; overflow-wrap: normal; }
th { border-bottom: 1px solid #111; vertical-align: bottom; }
td.text { overflow-wrap: break-word; min-width: 6rem; max-width: 16rem; }
.number { text-align: right; white-space: nowrap; }
th.number { white-space: normal; }
thead { display: table-header-group; }
tr { break-inside: avoid; }
.note { margin: .6rem 0; }
.note h3 { font-size: .85rem; font-weight: 600; color: #333; margin: 0; break-after: avoid; }
.note p { margin: .1rem 0 0; white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: plaintext; }
.chart { display: block; width: 100%; max-width: 40rem; height: auto; font: 12px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
.grid line { stroke: #ddd; stroke-width: 1; }
.label { fill: #333; font-size: 11.5px; }
.label .tick { stroke: #333; }
.end { text-anchor: end; }
.middle { text-anchor: middle; }
.count { text-anchor: end; fill: #333; }
.name { font-weight: 600; fill: #111; }
.stem line { stroke: #777; stroke-width: 1.2; }
.stem.faint line { stroke-width: .8; stroke-opacity: .35; }
.dot circle { fill: #111; }
.dot.faint circle { fill-opacity: .55; }
.halo { fill: none; stroke: #fff; stroke-width: 6; }
.median { fill: none; stroke: #111; stroke-width: 2.6; stroke-linejoin: round; }
.zero { stroke: #111; stroke-width: 1.5; stroke-dasharray: 4 3; }
.range { stroke: #111; stroke-width: 2; }
.mean { fill: #111; stroke: #111; stroke-width: 1.5; }
.hollow { fill: #fff; }
.diamond { fill: #fff; stroke: #111; stroke-width: 1.3; }
.day rect { stroke: #777; stroke-width: .8; }
.s0 { fill: #fff; } .s1 { fill: #ccc; } .s2 { fill: #999; } .s3 { fill: #555; } .s4 { fill: #000; }
@media (max-width: 34rem) {
  dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin-bottom: .55rem; }
}
@media print {
  @page { size: A4; margin: 15mm 15mm 17mm; }
  body { padding: 0; max-width: none; font-size: 10pt; }
  h1 { font-size: 16pt; }
  h2 { font-size: 12pt; margin-top: 1.2rem; }
  .scroll { overflow: visible; }
  table { font-size: 8pt; }
  .notes { columns: 2; column-gap: 8mm; font-size: 8.5pt; }
  .note { margin: 0 0 2mm; }
  .note h3 { font-size: 8.5pt; }
  figcaption { font-size: 8.5pt; }
  .appendix { break-before: page; }
  .appendix th, .appendix td { padding-top: 0; padding-bottom: 0; line-height: 1.3; }
  .chart { max-width: 130mm; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
`;
