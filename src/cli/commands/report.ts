import { extname } from 'node:path';
import type { Context } from '../../context.ts';
import { logFields } from '../../domain/log.ts';
import { anonymous, reportFields } from '../../domain/summary.ts';
import type { Command } from '../input/command.ts';
import { type Options, parseFlags } from '../input/options.ts';
import { resolveUserOrAsk } from '../input/resolve-user.ts';
import { namingFlags, usage } from '../terminal/errors.ts';
import { escapeControls, STDOUT, say, writeData } from '../terminal/io.ts';

const formats = ['html', 'md'] as const;
type Format = (typeof formats)[number];

export function addReportCommand(program: Command, context: Context): void {
  // A plain option: a flag that is off by default needs no opposite (--no-full).
  const { full, ...others } = reportFields;
  program
    .command('report')
    .summary('Write a report for the physiotherapist')
    .description(
      'Write a report on one user, for screen and paper: one file that loads and runs nothing. The same records give the same bytes on the same day. Without -o it goes to stdout, or in a terminal to report-ID.html in the current folder.',
    )
    .fields({ userId: logFields.userId, ...others })
    .option(`--${full.flag}`, full.help)
    .option(`--${anonymous.flag}`, `${anonymous.help}; notes stay as they were written`)
    .choice('--format <format>', 'HTML, or md for Markdown (otherwise by the name of the file)', formats)
    .option('-o, --output <file>', 'write to this file; - is stdout')
    .option('--force', 'replace the file if it exists')
    .examples(
      'sciatica report',
      'sciatica report --user 3 --since -90d --previous -14d -o nora.html',
      'sciatica report --user 3 --anonymous --format md > case.md',
    )
    .action((options: Options) => writeReport(context, options));
}

async function writeReport(context: Context, options: Options): Promise<void> {
  const asked = await parseFlags(context, options, reportFields);
  const userId = await resolveUserOrAsk(context, options['user']);
  const format = formatOf(options);
  const output = outputOf(context, options, userId, format);
  const force = options['force'] === true;
  const file = await import('../terminal/output-file.ts');
  if (output !== undefined) file.refuseExisting(output, force);
  const { reportHtml, reportMarkdown, reportOf } = await import('../../cases/report.ts');
  const report = namingFlags(reportFields, () =>
    reportOf(context.store, userId, { ...asked, anonymous: options['anonymous'] === true }, context.today),
  );
  const text = format === 'md' ? reportMarkdown(report) : reportHtml(report);
  if (output === undefined) return writeData(context, [text]);
  await file.writeOutputFile(output, { force }, [text]);
  // Terminal only: cron would mail it.
  if (context.stderr.isTTY) say(context, `Wrote ${escapeControls(output)}.`);
}

/** @throws SciaticaError `invalid` for a file name with the extension of another format, such as report.pdf */
function formatOf({ format, output }: Options): Format {
  if (format !== undefined) return format as Format;
  const ending = typeof output === 'string' ? extname(output).toLowerCase() : '';
  if (ending === '.pdf')
    throw usage('A report is HTML or Markdown: write it as .html, and print it to a PDF from a browser.');
  if (/^\.(md|markdown)$/.test(ending)) return 'md';
  if (/^\.(?!html?$)[a-z]\w{0,5}$/.test(ending))
    throw usage(`${escapeControls(String(output))}: a report is html or md. Say which with --format.`);
  return 'html';
}

/** The output file; undefined for stdout. In a terminal the default is a file, since markup is hard to read there. */
function outputOf(context: Context, options: Options, userId: number, format: Format): string | undefined {
  const given = options['output'] as string | undefined;
  if (given === STDOUT) return undefined;
  return given ?? (context.stdout.isTTY ? `report-${userId}.${format}` : undefined);
}
