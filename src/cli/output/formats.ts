import { Option } from 'commander';
import { type Format, formats } from '../../exchange/records.ts';

/** `--format`, of the commands that read and write files. */
export const formatOption = (otherwise: string, choices: readonly string[] = formats) =>
  new Option('--format <format>', `how the file is laid out (otherwise ${otherwise})`).choices(choices);

/** What can be written; FHIR is not read back. */
export const exportFormats = [...formats, 'fhir'] as const;
export type ExportFormat = Format | 'fhir';

/** `--raw`: CSV without the `'` that guards texts from being run as formulas. */
export const rawOption = (help: string) => new Option('--raw', help);
