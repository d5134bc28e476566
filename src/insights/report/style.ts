/**
 * The style sheet, for screens from a phone up and for A4. Colours only repeat what words say. The page stays light in a
 * browser that darkens pages, and with forced colours the charts keep theirs, on white.
 */
export const STYLE = `
:root { color-scheme: only light; }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0 auto; padding: 1.5rem 1rem 3rem; max-width: 52rem; color: #1a1d21; background: #fff;
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; overflow-wrap: anywhere; }
h1, h2, h3, p, dl, dd, ul, figure { margin: 0; padding: 0; }
h1 { font-size: 1.6rem; line-height: 1.2; letter-spacing: -.01em; }
h2 { font-size: 1.2rem; line-height: 1.3; margin: 2.5rem 0 .75rem; padding-top: .6rem; border-top: 2px solid #1a1d21; break-after: avoid; }
h3 { font-size: .95rem; line-height: 1.4; margin: 1rem 0 .25rem; break-after: avoid; }
.period { font-size: 1.05rem; color: #4a5058; }
.about { margin-top: .35rem; font-size: .9rem; color: #4a5058; }
section > p { margin: .6rem 0; }
.lead { font-size: 1.2rem; line-height: 1.4; font-weight: 600; }

.tiles { display: grid; grid-template-columns: repeat(4, 1fr); gap: .75rem 1.5rem; margin: 1rem 0 1.25rem; }
.tiles div { border-top: 1px solid #8b9299; padding-top: .4rem; }
.tiles dt { font-size: .85rem; font-weight: 600; }
.tiles dd { font-size: .85rem; line-height: 1.4; color: #4a5058; }
.tiles .value { font-size: 1.55rem; line-height: 1.25; font-weight: 600; color: #1a1d21; font-variant-numeric: tabular-nums; }

table { border-collapse: collapse; width: 100%; font-size: .9rem; line-height: 1.35; font-variant-numeric: tabular-nums; }
caption { caption-side: bottom; break-inside: avoid; text-align: left; font-size: .85rem; line-height: 1.45; color: #4a5058; padding-top: .4rem; }
th, td { text-align: left; vertical-align: baseline; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid #d5d9dd; font-weight: 400; }
th:last-child, td:last-child { padding-right: 0; }
thead th { border-bottom: 1px solid #1a1d21; vertical-align: bottom; font-size: .85rem; color: #4a5058; overflow-wrap: normal; }
thead { display: table-header-group; }
tr { break-inside: avoid; }
th[scope=row] { font-weight: 600; }
th small { font-size: inherit; font-weight: 400; color: #4a5058; }
.number { text-align: right; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

.bars th[scope=row] { width: 28%; }
.bars tbody :is(th, td) { vertical-align: middle; }
.bars em { display: block; font-style: normal; font-weight: 400; font-size: .85rem; color: #4a5058; }
.bars .verdict { width: 13%; white-space: nowrap; }
.bars .axis, .bars .bar { padding: 0 1.4rem 0 .6rem; vertical-align: middle; }
.bars .number { white-space: nowrap; }
.bars .number span { color: #4a5058; }
.bars .axis, .bars .bar, figure { background: #fff; color: #1a1d21; forced-color-adjust: none; }
.bars svg { display: block; overflow: visible; }
.bars .group th { font-size: .85rem; font-weight: 600; padding: .8rem 0 .15rem; border-bottom: 1px solid #8b9299; }
.bars .rest td { color: #4a5058; border-bottom: 0; }
.verdict.less { color: #1d5a9c; font-weight: 600; }
.verdict.more { color: #a33b12; font-weight: 600; }
rect.less { fill: #2f74bd; } rect.more { fill: #d9772b; } rect.open { fill: #8b9299; }
.zero { stroke: #1a1d21; stroke-width: 1; }
.range line { stroke: #1a1d21; stroke-width: 2; }

.short { list-style: none; font-size: .9rem; line-height: 1.4; }
.short li { padding: .2rem 0; break-inside: avoid; }
.short b { font-weight: 600; }
.short span { unicode-bidi: isolate; color: #4a5058; }
.alert { border: 2px solid #a33b12; border-radius: .3rem; padding: .6rem .8rem; margin: 1.1rem 0 0; font-size: .95rem; font-weight: 600; break-inside: avoid; }
.alert p + p { margin-top: .3rem; }

.facts div { display: grid; grid-template-columns: 12rem 1fr; gap: 0 1rem; padding: .25rem 0; break-inside: avoid; }
.facts dt { font-weight: 600; }
section > .facts { margin: .9rem 0; }
table + .facts, .short + .facts { margin-top: 1rem; }

figure { margin: 0 0 1rem; padding-top: .4rem; break-inside: avoid; }
figcaption { font-size: .85rem; line-height: 1.45; color: #4a5058; margin-top: .3rem; }
.plot { display: block; overflow: visible; margin: 0 .6rem 0 1.9rem; width: calc(100% - 2.5rem); }
svg text { font-size: .8rem; fill: #4a5058; font-variant-numeric: tabular-nums; }
.end text { text-anchor: end; }
.middle text { text-anchor: middle; }
.grid line { stroke: #d5d9dd; stroke-width: 1; }
.tick { stroke: #4a5058; }
.stem line { stroke-width: 1.6; }
.stem.less line { stroke: #2f74bd; }
.stem.more line { stroke: #d9772b; }
.dot circle { fill: #1a1d21; }
.ring circle { fill: #fff; stroke: #1a1d21; stroke-width: 1.2; }
.median line { stroke: #8b9299; stroke-width: 4; stroke-linecap: round; }
.box line { stroke: #4a5058; stroke-width: 1; }
.box rect { fill: #6b8cae; }
.box .middle { stroke: #1a1d21; stroke-width: 2.5; }
.week rect { fill: #6b8cae; }
.target { stroke: #1a1d21; stroke-width: 1.5; }

.note { margin: .9rem 0; }
.note h3 { font-size: .85rem; font-weight: 600; color: #4a5058; margin: 0; }
.note p { white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: plaintext; }
.small { font-size: .9rem; line-height: 1.45; }
.small h3 { font-size: .9rem; margin: .8rem 0 .1rem; }
.records dl { font-size: .85rem; line-height: 1.5; font-variant-numeric: tabular-nums; }
.records dl div { display: grid; grid-template-columns: 4.2rem 1fr; break-inside: avoid; }
.records dt { color: #4a5058; }
.records span { display: inline-block; width: 7.4em; }
.records { columns: 2; column-gap: 2rem; }
.records h3:first-child { margin-top: 0; }

@media screen and (min-width: 54rem) {
  .cards { font-size: .85rem; }
  .cards td { white-space: nowrap; }
}
@media screen and (max-width: 47rem) {
  body { padding-top: 1rem; }
  .tiles { grid-template-columns: 1fr 1fr; gap: .75rem 1rem; }
  .facts div { grid-template-columns: 1fr; }
  .records { columns: 1; }
  table { display: flex; flex-direction: column; }
  caption { order: 1; }
  caption, thead, tbody, tr, th, td { display: block; width: auto !important; }
  th, td { padding: 0; border: 0; }
  .cards thead, .bars thead th:not(.axis) { position: absolute; width: 1px !important; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .cards tr { border: 1px solid #8b9299; border-radius: .4rem; padding: .6rem .75rem; margin: .6rem 0; }
  .cards th[scope=row] { font-size: 1rem; padding-bottom: .25rem; }
  .cards td { display: grid; grid-template-columns: 9rem 1fr; gap: .75rem; text-align: left; }
  .cards td::before { content: attr(data-label); color: #4a5058; }
  .bars thead th.axis, .bars td.bar { padding: .1rem .8rem; border-bottom: 0; }
  .bars tr:not(.group, .rest) { display: grid; grid-template-columns: 1fr auto; gap: .1rem .75rem; padding: .5rem 0; border-bottom: 1px solid #d5d9dd; }
  .bars thead tr { display: block !important; border: 0 !important; padding: 0 !important; }
  .bars td.bar { grid-column: 1 / -1; }
  .bars .number { text-align: left; }
  .bars .verdict, .bars .sessions { text-align: right; }
  .bars .verdict { align-self: start; }
  .bars .sessions::after { content: " sessions"; }
  .bars .group th { border-bottom: 1px solid #8b9299; padding-bottom: .2rem; }
  .bars .rest td { padding-top: .5rem; }
}
@media print {
  @page { size: A4; margin: 13mm 15mm 14mm; }
  html { font-size: 9.6pt; }
  body { padding: 0; max-width: none; }
  h2 { margin-top: 1.5rem; padding-top: .4rem; margin-bottom: .5rem; }
  .lead { font-size: 1.15rem; }
  .tiles { margin: .6rem 0 .5rem; }
  .bars th, .bars td { padding-top: .16rem; padding-bottom: .16rem; }
  .bars .group th { padding-top: .5rem; }
  .bars em { line-height: 1.1; }
  .short li { padding: .08rem 0; }
  .alert { margin-top: .7rem; padding: .45rem .7rem; line-height: 1.35; }
  section > .facts, .short + .facts { margin: .6rem 0; }
  .facts { font-size: .95rem; }
  figure { margin-bottom: .6rem; }
  .cards { font-size: 8.4pt; }
  .cards td { white-space: nowrap; }
  .small { font-size: 8pt; }
  .small h3 { font-size: 8pt; }
  .small .facts { font-size: inherit; columns: 2; column-gap: 8mm; margin: 0; }
  .small .facts div { display: block; padding: 0 0 .5rem; }
  .notes { columns: 2; column-gap: 8mm; font-size: 8.5pt; line-height: 1.4; }
  .note { margin: 0 0 2.5mm; }
  .note h3 { font-size: 8.5pt; }
  .records dl { font-size: 7.5pt; line-height: 1.35; }
  .records dl div { grid-template-columns: 13mm 1fr; }
  .records { columns: 3; column-gap: 6mm; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
`;
