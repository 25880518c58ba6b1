// The results, unpacked once: columns of numbers, from which objects are created on demand.

/** @import { Payload } from "./payload.d.ts" */
/** @typedef {ReturnType<typeof indexed>} Data */
/** @typedef {ReturnType<typeof resultAt>} Result */
/** @typedef {NonNullable<ReturnType<typeof caseAt>>} Case */
/** @typedef {ReturnType<typeof descriptionAt>} Description */
/** @typedef {Data["mappings"][number]} Mapping */

/** @type {Promise<Data> | undefined} */
let unpacked;

/** All data of the file; always the same promise. */
export function data() {
  unpacked ??= unpack(document.getElementById("data")?.textContent?.trim() ?? "").then(indexed);
  return unpacked;
}

/** @param {string} text @returns {Promise<Payload>} */
async function unpack(text) {
  const characters = atob(text);
  const bytes = new Uint8Array(characters.length);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = characters.charCodeAt(at);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

/** The payload with its columns summed up, and with maps for lookups.
 * @param {Payload} payload */
function indexed(payload) {
  const { cases, results, texts } = payload;
  for (const column of [cases.clause, cases.signature, cases.origin, cases.note, cases.source, cases.calls, cases.expected,
    results.owner, results.case, results.judgement, results.outcome, results.remarks,
    ...payload.porting.operations.map((operation) => operation.cases)]) sumUp(column);
  const mappings = payload.mappings.map(([target, api, operation, composed, inPlace, follows, script, source]) =>
    ({ target, api, operation, composed, inPlace, follows, script: script < 0 ? null : texts[script], source: texts[source] }));
  const byCase = onDemand(() => Map.groupBy(results.case.keys(), (at) => results.case[at]));
  const byCell = onDemand(() => Map.groupBy(results.case.keys(),
    (at) => key(cases.clauses[cases.clause[results.case[at]]], ...results.owners[results.owner[at]])));
  return {
    ...payload, mappings, starts: startsOf(cases.signature.map((number) => cases.signatures[number].length)),
    target: new Map(payload.targets.map((item) => [item.id, item])),
    clause: new Map(payload.clauses.map((item) => [item.id, item])),
    knownDivergence: new Map(payload.known.map((entry) => [key(entry.framework, entry.id), entry])),
    mapping: new Map(mappings.map((mapping) => [key(mapping.target, mapping.api, mapping.operation), mapping])),
    citing: clausesByClaim(payload.clauses),
    caseNumber: new Map(cases.id.map((id, number) => [id, number])),
    get byCase() { return byCase(); },
    get byCell() { return byCell(); },
  };
}

/** What a function returns, created when it is needed first.
 * @template T
 * @param {() => T} create */
function onDemand(create) {
  /** @type {T | undefined} */
  let value;
  return () => (value ??= create());
}

/** Document and locator to the clauses that cite the claim.
 * @param {Payload["clauses"]} clauses */
function clausesByClaim(clauses) {
  /** @type {Map<string, string[]>} */
  const citing = new Map();
  for (const { id, citations } of clauses) {
    for (const { document, locator } of citations) {
      const claim = key(document, locator);
      citing.set(claim, [...(citing.get(claim) ?? []), id]);
    }
  }
  return citing;
}

/** @param {number[]} column */
function sumUp(column) {
  for (let at = 1; at < column.length; at += 1) column[at] += column[at - 1];
}

/** The offset of each list in their concatenation, from their lengths.
 * @param {number[]} lengths */
function startsOf(lengths) {
  let end = 0;
  return lengths.map((length) => {
    end += length;
    return end - length;
  });
}

/** One key of several names.
 * @param {string[]} parts */
export function key(...parts) {
  return parts.join("\n");
}

/** The id of a case by its number.
 * @param {Data} all @param {number} number */
export function caseId(all, number) {
  return all.cases.id[number];
}

/** The id of a case's clause.
 * @param {Data} all @param {number} number */
export function clauseOf(all, number) {
  return all.cases.clauses[all.cases.clause[number]];
}

/** Target and API of a result.
 * @param {Data} all @param {number} at */
export function ownerOf(all, at) {
  return all.results.owners[all.results.owner[at]];
}

/** A text by number; null for -1.
 * @param {Data} all @param {number} number */
function textAt(all, number) {
  return number < 0 ? null : all.texts[number];
}

/** An expectation or an outcome, by its number.
 * @param {Data} all @param {number} number */
function descriptionAt(all, number) {
  const [head, body, notes, shape, cells] = all.descriptions[number];
  return {
    head: all.texts[head], body: textAt(all, body), notes: notes.map((note) => all.texts[note]), shape,
    cells: cells < 0 ? null : all.cells[cells],
  };
}

/** All of a description as lines.
 * @param {Description} description */
export function linesOf({ head, body, notes }) {
  return [head, ...(body === null ? [] : [body]), ...notes].join("\n");
}

/** A case by number: its call and control as texts by argument, and what is expected; null without a record.
 * @param {Data} all @param {number} number */
export function caseAt(all, number) {
  const { cases } = all;
  if (number >= cases.signature.length) return null;
  const names = cases.signatures[cases.signature[number]];
  const call = Object.fromEntries(names.map((name, at) => [name, all.texts[cases.calls[all.starts[number] + at]]]));
  return {
    id: caseId(all, number), call, control: controlOf(all, names, call, cases.controls[number]),
    expected: descriptionAt(all, cases.expected[number]), origin: textAt(all, cases.origin[number]),
    note: textAt(all, cases.note[number]), source: all.texts[cases.source[number]], picture: all.pictures[number],
  };
}

/** @param {Data} all @param {string[]} names @param {Record<string, string>} call @param {number[]} [changed] */
function controlOf(all, names, call, changed) {
  if (!changed) return null;
  const control = { ...call };
  for (let at = 0; at < changed.length; at += 2) control[names[changed[at]]] = all.texts[changed[at + 1]];
  return control;
}

/** A result by its number.
 * @param {Data} all @param {number} at */
export function resultAt(all, at) {
  const { results, cases } = all;
  const number = results.case[at];
  const [target, api] = ownerOf(all, at);
  const [sort, word, kinds, reason, known, behaviour] = results.judgements[results.judgement[at]];
  const outcome = results.outcome[at] === 0 ? cases.expected[number] : results.outcome[at] - 1;
  const { differs = null, right, script } = results.rare[at] ?? {};
  return {
    at, number, case: caseId(all, number), name: cases.name[number], clause: clauseOf(all, number), target, api,
    sort, word, kinds, known, behaviour, differs, reason: textAt(all, reason), actual: descriptionAt(all, outcome),
    remarks: results.remark_sets[results.remarks[at]].map((number) => all.texts[number]),
    right: right === undefined ? null : descriptionAt(all, right), script: textAt(all, script ?? -1),
  };
}

/** The number of the worst result of an API of a target under a clause; undefined if there is none.
 * @param {Data} all @param {string} clause @param {string} target @param {string} api */
export function worstOf(all, clause, target, api) {
  const { judgements, judgement } = all.results;
  const numbers = all.byCell.get(key(clause, target, api)) ?? [];
  /** @param {number} at */
  const rank = (at) => all.sorts[judgements[judgement[at]][0]].rank;
  return numbers.reduce((/** @type {number | undefined} */ best, at) =>
    (best === undefined || rank(at) < rank(best) ? at : best), undefined);
}
