// The search: words with synonyms over behaviours, findings and clauses, with the dtypes, errors and modes of their calls.

import { addressOf, apiAddress } from "./address.js";
import { clauseOf, ownerOf } from "./data.js";
import { all, byId, el } from "./dom.js";

/** @import { State } from "./address.js" */
/** @import { Data } from "./data.js" */
/** @typedef {string[]} Term texts of which one has to occur */

/** Texts that mean the same; a search for one finds all. */
const SYNONYMS = [
  ["out of bounds", "out-of-bounds", "out of range", "past the end", "outside", "index range"],
  ["negative", "below zero", "counts from the end"],
  ["duplicate", "written twice", "repeated", "more than once"],
  ["sum", "add", "accumulate"],
  ["crash", "ends the process", "died", "dies", "segfault", "sigsegv", "sigabrt", "abort", "sigfpe"],
  ["hang", "hung", "timeout", "deadlock"],
  ["flaky", "varies", "not the same each time", "nondeterministic", "non-deterministic", "unstable"],
  ["broadcast", "broadcastable"],
  ["empty", "no indices", "length 0", "length zero"],
  ["modulo", "wraps around"],
  ["bf16", "bfloat16"], ["fp16", "half", "float16"], ["fp32", "single", "float32"], ["fp64", "double", "float64"],
  ["long", "int64"], ["nan", "non-finite", "infinit"],
  ["in-place", "in place", "changes them", "input-changed"],
];

/** @type {ReturnType<typeof textsOfPage> | undefined} */
let texts;
const apis = [...new Set(all(".apis-of a").map((link) => link.textContent ?? ""))];
/** By clause, what its calls are and did; empty until the data are unpacked.
 * @type {Map<string, string>} */
let calls = new Map();
let isFiltered = false;

/** The rows of behaviour and the findings with their texts, which are read only when somebody searches. */
function textsOfPage() {
  const behaviours = all(".does").map((section) => {
    const names = all(".apis-of, thead", section).map((part) => part.textContent).join(" ");
    return { section, rows: all("tbody tr", section).map((row) => ({ row, text: `${section.id} ${row.textContent} ${names}`.toLowerCase() })) };
  });
  const findings = all("[data-view=overview] .findings > li").map((item) => ({ item, text: (item.textContent ?? "").toLowerCase() }));
  return { behaviours, findings };
}

/** The terms of a search: synonyms of several words first, then single words.
 * @param {string} text @returns {Term[]} */
export function termsOf(text) {
  let rest = text.toLowerCase().replaceAll(/[“”"]/g, " ");
  /** @type {Term[]} */
  const terms = [];
  for (const group of SYNONYMS) {
    const named = group.filter((name) => new RegExp(`(^|\\s)${name}`).test(rest)).sort((a, b) => b.length - a.length)[0];
    if (!named) continue;
    terms.push(group);
    rest = rest.replaceAll(named, " ");
  }
  const words = rest.split(/\s+/).filter((word) => word.length > 1 || /[a-z\d]/.test(word));
  return [...terms, ...words.filter((word) => !["of", "the", "in"].includes(word)).map((word) => [word])];
}

/** Whether each term occurs in one of two texts.
 * @param {Term[]} terms @param {string} text @param {string} [more] */
export function matches(terms, text, more = "") {
  return terms.every((term) => term.some((name) => text.includes(name) || more.includes(name)));
}

/** What the calls of a clause are and did.
 * @param {string} clause */
export function wordsOfClause(clause) {
  return calls.get(clause) ?? "";
}

/** The APIs that a search names.
 * @param {Term[]} terms */
export function apisNamed(terms) {
  const dotted = terms.flat().filter((word) => word.includes("."));
  return new Set(apis.filter((api) => dotted.some((word) => api.toLowerCase().includes(word))));
}

/** Collect dtypes, words, errors and modes of all calls by clause.
 * @param {Data} payload */
export function learn(payload) {
  /** @type {Map<string, Set<string>>} */
  const found = new Map();
  const { results } = payload;
  for (let at = 0; at < results.case.length; at += 1) {
    const clause = clauseOf(payload, results.case[at]);
    const words = found.get(clause) ?? new Set();
    found.set(clause, words);
    const [, word, , , known, behaviour] = results.judgements[results.judgement[at]];
    words.add(word).add(payload.cases.name[results.case[at]]).add(known ?? "").add(behaviour ?? "").add(ownerOf(payload, at)[0]);
    if (results.outcome[at] > 0) words.add(payload.texts[payload.descriptions[results.outcome[at] - 1][0]]);
  }
  calls = new Map([...found].map(([clause, words]) => [clause, [...words].join(" ").toLowerCase()]));
}

/** Filter behaviours and findings, and say what was found; `clauses` is how many clauses remain.
 * @param {State} state @param {Term[]} terms @param {number} clauses */
export function showHits(state, terms, clauses) {
  if (terms.length === 0 && !isFiltered) return;
  isFiltered = terms.length > 0;
  document.body.classList.toggle("searching", isFiltered);
  texts ??= textsOfPage();
  let rows = 0;
  for (const { section, rows: members } of texts.behaviours) {
    const hits = members.filter(({ row, text }) => reveals(row, matches(terms, text))).length;
    reveals(section, hits > 0);
    rows += hits;
  }
  const items = texts.findings.filter(({ item, text }) => reveals(item, matches(terms, text))).length;
  const box = byId("hits");
  box.hidden = terms.length === 0 || Boolean(state.view);
  if (!box.hidden) box.replaceChildren(...hitTexts(terms, rows, items, clauses));
}

/** Show or hide an element; returns whether it is shown.
 * @param {HTMLElement} element @param {boolean} shown */
function reveals(element, shown) {
  if (element.hidden === shown) element.hidden = !shown;
  return shown;
}

/** @param {number} count @param {string} noun @param {string} plural */
function countOfHits(count, noun, plural) {
  return `${count} ${count === 1 ? noun : plural}`;
}

/** @param {Term[]} terms @param {number} rows @param {number} items @param {number} clauses */
function hitTexts(terms, rows, items, clauses) {
  const named = apis.filter((api) => matches(terms, api.toLowerCase()));
  const links = named.slice(0, 12).map((api, at) => [at > 0 && ", ", el("a", { class: "to-api", href: apiAddress(api) }, api)]);
  if (rows + items + clauses + named.length === 0) {
    return [el("p", {}, "Nothing matches all of these words. Try fewer of them, an API (torch.gather), an operation (scatter_nd), ",
      "a situation (out of bounds, duplicates, empty), a dtype (bfloat16), an error (IndexError) or a signal (SIGABRT); ",
      "targets may be hidden by the filters. ", el("a", { href: addressOf({}) }, "Show all"))];
  }
  return [
    links.length > 0 && el("p", {}, "APIs: ", ...links.flat().filter((part) => part !== false)),
    el("p", { class: "jump" }, el("a", { href: "#behaviours" }, countOfHits(rows, "row of behaviour", "rows of behaviour")),
      el("a", { href: "#findings-title" }, countOfHits(items, "finding", "findings")),
      el("a", { href: "#matrices" }, countOfHits(clauses, "clause", "clauses"))),
  ].filter((part) => part !== false);
}
