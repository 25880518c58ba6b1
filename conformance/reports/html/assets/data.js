// The results, unpacked once: columns of numbers into a table of texts, and objects made of them when asked for.

let unpacked = null;

/** Everything that the file holds; the same promise each time. */
function data() {
  unpacked ??= unpack(document.getElementById("data").textContent.trim()).then(indexed);
  return unpacked;
}

async function unpack(text) {
  const characters = atob(text);
  const bytes = new Uint8Array(characters.length);
  for (let at = 0; at < bytes.length; at += 1) bytes[at] = characters.charCodeAt(at);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

/** The payload with its columns summed up, and with ways from a name to its numbers. */
function indexed(all) {
  const { cases, results } = all;
  for (const name of ["clause", "signature", "from", "note", "source", "calls", "expects"]) sumUp(cases[name]);
  for (const name of ["owner", "case", "told", "got", "remarks"]) sumUp(results[name]);
  for (const operation of all.porting.operations) ["cases", "profile"].forEach((name) => sumUp(operation[name]));
  const mappings = all.mappings.map(([target, api, operation, composed, inPlace, follows, source]) =>
    ({ target, api, operation, composed, inPlace, follows, source: all.texts[source] }));
  return {
    ...all, mappings, starts: startsOf(cases),
    target: new Map(all.targets.map((one) => [one.id, one])),
    clause: new Map(all.clauses.map((one) => [one.id, one])),
    ledger: new Map(all.known.map((one) => [key(one.framework, one.id), one])),
    mapping: new Map(mappings.map((one) => [key(one.target, one.api, one.operation), one])),
    caseNumber: new Map(cases.id.map((_, number) => [caseId(all, number), number])),
    byCase: grouped(results.case, (number) => number),
    byCell: grouped(results.case, (number, at) => key(clauseOf(all, number), ...ownerOf(all, at))),
  };
}

function sumUp(column) {
  for (let at = 1; at < column.length; at += 1) column[at] += column[at - 1];
}

/** For each case the place of its first argument among all calls. */
function startsOf(cases) {
  let start = 0;
  return cases.signature.map((signature) => {
    start += cases.signatures[signature].length;
    return start - cases.signatures[signature].length;
  });
}

/** The places of a column's entries by what a function says of each. */
function grouped(column, keyOf) {
  const groups = new Map();
  column.forEach((entry, at) => {
    const name = keyOf(entry, at);
    const found = groups.get(name);
    if (found) found.push(at);
    else groups.set(name, [at]);
  });
  return groups;
}

function key(...parts) {
  return parts.join("\n");
}

/** The id of a case by its number; those beyond the last are named by results only. */
function caseId(all, number) {
  const { cases, results } = all;
  if (number >= cases.id.length) return results.strangers[number - cases.id.length][0];
  const clause = all.clauses[cases.clause[number]];
  return clause ? `${clause.id}/${cases.id[number]}` : cases.id[number];
}

/** The id of a case's clause. */
function clauseOf(all, number) {
  const { cases, results } = all;
  if (number >= cases.id.length) return results.strangers[number - cases.id.length][1];
  return all.clauses[cases.clause[number]]?.id ?? cases.id[number].split("/")[0];
}

function ownerOf(all, at) {
  return all.results.owners[all.results.owner[at]];
}

/** A text by number; null for -1. */
function textAt(all, number) {
  return number < 0 ? null : all.texts[number];
}

/** A case by number: its call and control as texts by argument, and what is expected; null where there is no record of it. */
function caseAt(all, number) {
  const { cases } = all;
  if (number === undefined || number >= cases.id.length) return null;
  const names = cases.signatures[cases.signature[number]];
  const start = all.starts[number];
  const call = Object.fromEntries(names.map((name, at) => [name, all.texts[cases.calls[start + at]]]));
  return {
    id: caseId(all, number), clause: clauseOf(all, number), call, control: controlOf(all, names, call, cases.controls[number]),
    expects: all.texts[cases.expects[number]], from: textAt(all, cases.from[number]),
    note: textAt(all, cases.note[number]), source: textAt(all, cases.source[number]), picture: all.pictures[number],
  };
}

function controlOf(all, names, call, changed) {
  if (!changed) return null;
  const control = { ...call };
  for (let at = 0; at < changed.length; at += 2) control[names[changed[at]]] = all.texts[changed[at + 1]];
  return control;
}

/** A result by its place. */
function resultAt(all, at) {
  const { results, cases } = all;
  const number = results.case[at];
  const [target, api] = ownerOf(all, at);
  const [sort, word, kinds, why, known] = results.tolds[results.told[at]];
  const got = results.got[at] === 0 ? cases.expects[number] : results.got[at] - 1;
  const rare = results.rare[at] ?? {};
  return {
    at, number, case: caseId(all, number), clause: clauseOf(all, number), target, api, sort, word, kinds, known,
    why: textAt(all, why), got: all.texts[got], remarks: results.saids[results.remarks[at]].map((one) => all.texts[one]),
    differs: rare.differs ?? null, right: textAt(all, rare.right ?? -1), script: textAt(all, rare.script ?? -1),
  };
}

/** The sort of a result, without the rest. */
function sortAt(all, at) {
  return all.results.tolds[all.results.told[at]][0];
}

/** The place of the worst that an API of a target did under a clause; undefined where it did nothing. */
function worstOf(all, clause, target, api) {
  const some = all.byCell.get(key(clause, target, api)) ?? [];
  const rank = (at) => all.sorts[sortAt(all, at)].rank;
  return some.reduce((best, at) => (rank(at) < rank(best) ? at : best), some[0]);
}
