import { Option } from 'commander';
import { type Format, formats } from '../../exchange/records.ts';

/** `--format` of commands that read or write files. */
export const formatOption = (otherwise: string, choices: readonly string[] = formats) =>
  new Option('--format <format>', `format of the file (otherwise ${otherwise})`).choices(choices);

/** Formats of the export; FHIR cannot be imported. */
export const exportFormats = [...formats, 'fhir'] as const;
export type ExportFormat = Format | 'fhir';

/** `--raw`: CSV without the `'` that keeps spreadsheets from running texts as formulas. */
export const rawOption = (help: string) => new Option('--raw', help);
