import type { Chart } from './charts.ts';

/** A block of a report. Every text is plain; the renderers escape it. */
export type Block =
  | { readonly kind: 'lead' | 'paragraph'; readonly text: string }
  | { readonly kind: 'alert'; readonly lines: readonly string[] }
  | { readonly kind: 'tiles'; readonly tiles: readonly Tile[] }
  | ({ readonly kind: 'bars' } & Bars)
  | { readonly kind: 'facts'; readonly rows: readonly Fact[] }
  | {
      readonly kind: 'table';
      readonly caption: string;
      readonly columns: readonly Column[];
      readonly rows: readonly (readonly string[])[];
    }
  | ({ readonly kind: 'chart' } & Chart)
  /** With a title, the notes are shortened to one line each. */
  | { readonly kind: 'notes'; readonly title?: string; readonly notes: readonly Note[] }
  | { readonly kind: 'records'; readonly groups: readonly RecordGroup[] };

/** A headline figure with lines that explain it. */
export interface Tile {
  readonly label: string;
  readonly value: string;
  readonly lines: readonly string[];
}

/** A bar from 0 to a mean with its interval, for each exercise. */
export interface Bars {
  readonly caption: string;
  readonly groups: readonly {
    readonly title: string;
    readonly rows: readonly Bar[];
    /** Text about the exercises that have no bar. */
    readonly rest: string | null;
  }[];
}

/** The labels of the columns, except that of the drawing. */
export const barLabels = {
  exercise: 'Exercise',
  verdict: 'Verdict',
  mean: 'Mean (95 % interval)',
  sessions: 'Sessions',
} as const;

export interface Bar {
  readonly name: string;
  readonly remark: string | null;
  readonly verdict: string;
  /** The direction if it is clear; decides the colour. */
  readonly tone: 'less' | 'more' | 'open';
  readonly mean: number;
  readonly interval: readonly [number, number];
  readonly sessions: number;
}

/** A label and what is said under it: one text, or several lines. */
interface Fact {
  readonly label: string;
  readonly lines: readonly string[];
}

/** The first column of a table names the row. */
export interface Column {
  readonly label: string;
  /** Aligned to the right. */
  readonly numeric?: boolean;
}

/** Columns of text, followed by columns of figures. */
export const columnsOf = (texts: readonly string[], figures: readonly string[]): Column[] => [
  ...texts.map((label) => ({ label })),
  ...figures.map((label) => ({ label, numeric: true })),
];

export interface Note {
  readonly heading: string;
  readonly text: string;
}

/** The records of one exercise, a line for each month. */
export interface RecordGroup {
  readonly title: string;
  readonly lines: readonly Fact[];
}

export interface Section {
  readonly title: string;
  readonly blocks: readonly Block[];
  /** Printed in small type. */
  readonly small?: boolean;
}

export interface Document {
  readonly title: string;
  readonly subtitle: string;
  /** The person whom the report is about. */
  readonly about: string;
  readonly sections: readonly Section[];
}
