// The types of the data that payload.py writes. The number of a text is its index in `texts`, -1 for none.
// A column holds differences: each number is relative to the previous one.

export type Column = number[];
/** A set of an operation's cases: hexadecimal digits of a number, the lowest bit for the first case. */
export type CaseSet = string;

export interface Payload {
  sorts: Record<string, Sort>;
  divergences: Record<string, string>;
  targets: Target[];
  clauses: Clause[];
  known: Known[];
  mappings: [target: string, api: string, operation: string, composed: boolean, inPlace: string | null,
    follows: string | null, script: number, source: number][];
  cases: CaseColumns;
  results: ResultColumns;
  matrices: Matrices;
  questions: Question[];
  timelines: Timeline[];
  dtypes: [result: number, operation: number, args: number, dtype: number, word: number, claimed: number, by: number,
    works: number, tried: number][];
  apis: Apis;
  porting: Porting;
  pictures: (Picture | null)[];
  descriptions: [head: number, body: number, notes: number[], shape: number[] | null, cells: number][];
  cells: string[][];
  texts: string[];
}

export interface Sort { name: string; sign: string; label: string; means: string; rank: number }
export interface Target {
  id: string; framework: string; version: string | null; title: string; where: string; issues: string | null;
}
export interface Citation {
  document: string; locator: string; says: string; official: boolean; url: string | null; claim: string;
  versions: string | null; device: string | null;
}
export interface Clause {
  id: string; operation: string; states: string; requires: string | null; source: string; citations: Citation[];
}
export interface Known {
  framework: string; id: string; reason: string; link: string; source: string; url: string | null;
}

/** `id`, `name` and `clause` also have the cases that only results name; the others end with the cases of the file. */
export interface CaseColumns {
  id: string[]; name: string[]; clauses: string[]; clause: Column; signature: Column; origin: Column; note: Column;
  source: Column; calls: Column; expected: Column; signatures: string[][];
  /** By case: pairs of an argument's position and its text in the control. */
  controls: Record<string, number[]>;
}

/** `outcome` is 0 for what was expected, or else the number of a description plus one. */
export interface ResultColumns {
  owner: Column; case: Column; judgement: Column; outcome: Column; remarks: Column;
  owners: [target: string, api: string][];
  judgements: [sort: string, word: string, kinds: string[], reason: number, known: string | null,
    behaviour: string | null][];
  remark_sets: number[][];
  rare: Record<string, { differs?: Differences; right?: number; script?: number }>;
}
export interface Differences {
  count: number; total: number; rows: [index: number[], expected: string, actual: string][]; more: number;
  largest: [difference: string, index: number[]] | null;
}

/** For each matrix, the columns of targets that it does not show at first. */
export interface Matrices {
  columns: MatrixColumn[][];
  cells: [sort: string, word: number, count: string, news: string, notJudged: string[], sorts: string][];
}
/** `place` is its number among all columns; `cells` has a number for each clause. */
export interface MatrixColumn {
  place: number; target: number; api: number; label: string; notes: [text: string, title: string][]; first: boolean;
  cells: number[];
}

export interface Question {
  name: string; title: string; means: string;
  rows: [result: number, sort: string, word: number, count: number, reason: number][];
}

/** A cell is null without results, 0 if it equals the previous one, or else a state and words with their counts. */
export type VersionCell = [state: number, words: [word: number, count: number][]] | 0 | null;
export interface Change {
  operation: number; api: number; was: number; now: number; sort: string; clauses: [result: number, calls: number, since: number][];
  /** Whether it is an error before and after. */
  error: boolean;
}
export type ConditionChange = [operation: number, api: number, condition: number, was: number, now: number, before: number,
  after: number, sort: string, calls: number[], count: number];
export interface Step {
  before: string; after: string; same: number; not_comparable: number; changes: Change[];
  apis: [kind: string, operation: number, api: number][]; conditions: ConditionChange[];
}
export interface Timeline {
  framework: string; title: string; where: string; targets: { id: string; version: string; blocked: boolean }[];
  rows: [operation: number, clause: number, api: number, cells: VersionCell[]][];
  steps: Step[];
}

export interface Apis {
  list: [name: number, framework: string, operations: number[], targets: number[]][];
  /** Icon and word, the most dangerous first. */
  verbs: [icon: string, word: string][];
  /** since: a text, or -1. */
  does: [operation: number, situation: number, verb: number, worst: number, calls: number, since: number][];
  situations: string[];
  documents: ApiDocument[];
  coverage: [target: number, api: number, sentences: number, claimed: number, untestable: number, unread: number][];
  causes: [danger: number, apis: number[], framework: string, result: number, calls: number, standing: number, upstream: number,
    reason: number][];
  /** Title of each danger, the worst first. */
  dangers: Record<string, string>;
}
export interface ApiDocument {
  name: string; describes: string[]; official: boolean; url: string | null;
  claims: [locator: string, says: string, untestable: string | null, program: boolean, address: string, sentences: number][];
  untestable: [name: string, reason: string, sentences: number][];
}

export interface Porting {
  /** The targets that are compared by default. */
  first: string[];
  /** The meaning of letters that do not stand for a value. */
  words: Record<string, string>;
  letters: { nothing: string; raised: string };
  conditions: string[]; questions: string[];
  /** For each condition the number of its question. */
  question: number[];
  /** Conditions about the dtype of indices, each with the condition that such indices were cast for some, or -1. */
  index_dtypes: [condition: number, cast: number][];
  /** Conditions about emptiness, and those that stand for a clause. */
  emptiness: number[]; clauses: number[];
  operations: PortingOperation[];
}
export interface PortingOperation {
  name: string;
  implementations: [target: string, api: string][];
  /** By target, the number of the implementation that supports most calls. */
  preferred: Record<string, number>;
  /** For each implementation a letter for each case, the cases whose indices were cast, to which dtype, and those that
   * returned no elements. */
  outcomes: string[]; cast: CaseSet[]; cast_to: [condition: number, cases: CaseSet][][]; empty: CaseSet[];
  cases: Column;
  having: [condition: number, cases: CaseSet][];
  pairs: [left: number, right: number, facts: number][];
  facts: [same: CaseSet, wrong: CaseSet, against: [condition: number, cases: CaseSet][]][];
}

/** Colours: 0 axes that indices select along, 1 batch axes, 2 all other axes. */
export type Axis = [label: string, colour: number];
export interface Part {
  role: "index" | "target" | "moved" | "other"; name: string; head: string; shape: number[]; axes: Axis[];
  cells: number; spots: [move: number, at: number[]][];
}
export type Move = [index: number[], target: number[] | null, moved: number[] | null];
export interface Picture {
  parts: Part[];
  result: { shape: number[]; axes: Axis[] } | null;
  moves: Move[];
  /** Whether elements are read; whether the arguments are compatible. */
  out: boolean; fits: boolean;
}
