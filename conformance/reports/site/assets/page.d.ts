// The types of the data that call_data.py writes. A path is relative to the root of the site.

export interface Sort { name: string; sign: string; label: string; means: string; briefly: string }
export interface Words { sorts: Record<string, Sort>; divergences: Record<string, string> }
/** What the search finds, with other words for it; of an API, the situations of its rows by the prefix of their ids. */
export type Name = [name: string, kind: string, path: string, words: string, rows?: [prefix: string, situations: number[]][]];
export interface Names { names: Name[]; situations: [title: string, words: string, anchor: string][] }

/** An array with its elements as JSON in a text, and remarks; or what is said of anything else, without what is empty. */
export type Described = [dtype: string, shape: number[], elements: string, ...notes: string[]]
  | { head: string; body?: string; notes?: string[]; shape?: number[] };
/** A tensor with its elements as JSON in a text, or the text of anything else. */
export type Argument = string | [dtype: string, elements: string, view?: string];
/** What `literals.js` makes of it. */
export interface Description {
  head: string; body: string | null; notes: string[]; shape: number[] | null; cells: string[] | null;
}
export interface Citation {
  document: string; locator: string; says: string; official: boolean; versions: string | null; url: string | null; page: string;
}
export interface Clause { states: string; requires: string | null; source: string; citations: Citation[] }
/** What each API does in its newest version. */
export type Also = [api: number, sort: string, word: string][];
/** What `literals.js` makes of a row. */
export interface Case {
  clause: string; call: Record<string, string>; control: Record<string, string> | null; expected: Description;
  origin: string | null; note: string | null; program: string | null; source: string; picture: Picture | null; also: Also;
}
/** A case by the numbers of what it has in common with others; of its control, the arguments that are others. */
export type CaseRow = [about: number, also: number, picture: number, call: Record<string, Argument>, expected: Described,
  control?: Record<string, Argument>];
/** The cases of an operation. */
export interface Cases {
  apis: [name: string, title: string, page: string, target: string][];
  clauses: Record<string, Clause>;
  cases: Record<string, CaseRow>;
  abouts: [clause: string, origin: string | null, note: string | null, program: string | null, source: string][];
  also: Also[];
  pictures: (StoredPicture | null)[];
}

/** An index; of a program with several results, the name of one with an index into it. */
export type Place = number[] | string;
export interface Differences {
  count: number; total: number; rows: [place: Place, expected: string, actual: string][]; more: number;
  largest: [difference: string, place: Place] | null;
}
export interface Rare { remarks?: number; differs?: Differences; right?: number; script?: string; needsResults?: boolean }
export type Row = [call: number, judgement: number, outcome: number, rare?: Rare];
/** The results of an API on all its targets. */
export interface Calls {
  targets: Record<string, [title: string, where: string]>;
  /** By target, the options of a command that calls it; none for most. */
  options: Record<string, string>;
  /** Of the results. */
  folder: string;
  cases: string[];
  /** By operation, the file with its cases. */
  operations: Record<string, string>;
  /** By case, the number of its operation, or -1; empty if all are of the first one. */
  of: number[];
  results: Record<string, Row[]>;
  judgements: [sort: string, word: string, kinds: string[], reason: string | null, known: string | null, cause: string | null][];
  outcomes: Described[];
  remarks: string[][];
  mappings: [target: string, operation: string, source: number, composed: boolean, inPlace: string | null,
    follows: string | null][];
  sources: string[];
  /** By the id of a row of the page and by target, the cases of its cell. */
  rows: Record<string, Record<string, number[]>>;
}

/** Colours: 0 axes that indices select along, 1 batch axes, 2 all other axes. */
export type Axis = [label: string, colour: number];
export interface Part {
  role: "index" | "target" | "moved" | "other"; name: string; head: string; shape: number[]; axes: Axis[];
  cells: string[] | null; spots: [move: number, at: number[]][];
}
export type Move = [index: number[], target: number[] | null, moved: number[] | null];
export interface Picture {
  parts: Part[];
  result: { shape: number[]; axes: Axis[] } | null;
  moves: Move[];
  /** Whether elements are read; whether the arguments are compatible. */
  out: boolean; fits: boolean;
}
/** A tensor whose dtype and elements stand in the call has neither here. */
export type StoredPart = Omit<Part, "head" | "cells"> & Partial<Pick<Part, "head" | "cells">>;
export type StoredPicture = Omit<Picture, "parts"> & { parts: StoredPart[] };
