import { Option } from 'commander';
import { formats } from '../exchange/records.ts';

/** `--format`, of the commands that read and write files. */
export const formatOption = (otherwise: string) =>
  new Option('--format <format>', `how the file is laid out (otherwise ${otherwise})`).choices(formats);

/** `--raw`: CSV without the `'` that guards texts from being run as formulas. */
export const rawOption = (help: string) => new Option('--raw', help);
