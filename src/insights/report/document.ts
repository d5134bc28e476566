import type { Chart } from './charts/frame.ts';

/** What a report is made of. Every text is plain; the renderers escape. */
export type Block =
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'alert'; readonly text: string }
  | { readonly kind: 'facts'; readonly rows: readonly Fact[] }
  | {
      readonly kind: 'table';
      readonly caption: string;
      readonly columns: readonly Column[];
      readonly rows: readonly string[][];
    }
  | ({ readonly kind: 'chart' } & Chart)
  | {
      readonly kind: 'notes';
      readonly notes: readonly { readonly heading: string; readonly text: string }[];
    };

/** A label and what is said under it: one text, or several lines. */
export interface Fact {
  readonly label: string;
  readonly lines: readonly string[];
}

export interface Column {
  readonly label: string;
  /** Aligned to the right. */
  readonly numeric?: boolean;
}

export interface Section {
  readonly title: string;
  readonly blocks: readonly Block[];
  /** Begins on a new page, in small print. */
  readonly appendix?: boolean;
}

export interface Document {
  readonly title: string;
  readonly subtitle: string;
  readonly sections: readonly Section[];
}
