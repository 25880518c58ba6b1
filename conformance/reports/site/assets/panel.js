// The panel: all details of a call of an API on a target.

import { badge, copyable, el } from "./dom.js";
import { differences, grid, placesOf } from "./grid.js";
import { caseOf } from "./literals.js";
import { drawCase, isAsExpected } from "./pictures.js";
import { callAddress, linesOf, operationOf, quoted, resultOf } from "./results.js";

/** @import { State } from "./opening.js" */
/** @import { Result } from "./results.js" */
/** @import { Calls, Case, Cases, Clause, Description, Row, Words } from "./page.d.ts" */

/** The panel's content for a call.
 * @param {Words} words @param {Calls} calls @param {Cases} cases @param {State} state
 * @param {{ target: string, result: Row }} chosen */
export function panelContent(words, calls, cases, state, chosen) {
  const result = resultOf(calls, chosen.result, chosen.target);
  const kase = caseOf(cases, state.call);
  const clause = kase && cases.clauses[kase.clause];
  const operation = operationOf(calls, state.call);
  const [title, where] = calls.targets[chosen.target];
  const picture = kase && drawCase(kase, result);
  return [
    el("button", { class: "close", type: "button" }, "Close (Esc)"),
    el("p", { class: "crumbs" }, `${title} · ${where} · ${operation}`),
    el("h2", { id: "panel-title" }, document.body.dataset.api),
    state.target && state.target !== chosen.target
      && el("p", { class: "alarm" }, `No result of this call on ${state.target}; showing another one.`),
    verdict(words, result),
    kase && theCall(kase, operation),
    picture,
    comparison(kase, result, Boolean(picture)),
    result.differs && differences(result.differs),
    remarksOf(kase, result, operation),
    clause && theClause(clause),
    theScript(result),
    otherTargets(words, calls, state, result),
    otherCalls(words, calls, state, result),
    kase && otherApis(words, cases, kase, state),
    code(calls, result, operation),
    el("p", { class: "crumbs" }, `${state.call}${kase ? `, ${kase.source}` : ""}`),
  ];
}

/** @param {Words} words @param {Result} result */
function verdict(words, result) {
  const sort = words.sorts[result.sort];
  const means = result.kinds.map((kind) => words.divergences[kind] ?? kind).join(" ");
  return [
    el("p", { class: "verdict" }, badge(sort, sort.label), result.word !== result.sort && el("b", {}, result.word),
      means && el("span", {}, means)),
    el("p", { class: "explain" }, result.reason ?? sort.means),
    result.cause && el("p", {}, el("a", { href: rooted(result.cause) }, "Everything that is wrong for this reason"),
      result.known && [", known as ", el("code", {}, result.known)]),
  ];
}

/** A path of the site, relative to the page.
 * @param {string} path */
function rooted(path) {
  return `${document.body.dataset.root}${path}`;
}

/** @param {string} url @param {string} text */
function link(url, text) {
  return el("a", { href: url, rel: "noopener noreferrer" }, text);
}

/** @param {Clause} clause */
function theClause(clause) {
  return [
    el("h3", {}, "Documentation"),
    el("p", {}, clause.states),
    clause.requires && el("pre", {}, clause.requires),
    clause.citations.map((citation) => el("div", { class: "cited" },
      el("p", {}, citation.says),
      el("p", { class: "crumbs" }, citation.url ? link(citation.url, citation.document) : citation.document, ", ",
        el("a", { href: rooted(citation.page), title: "The page of the document" }, citation.locator),
        citation.versions && `, versions ${citation.versions}`,
        citation.official ? "" : ", not official"))),
    clause.citations.length === 0 && el("p", {}, "No document."),
  ];
}

/** The same call on the other targets of this API.
 * @param {Words} words @param {Calls} calls @param {State} state @param {Result} result */
function otherTargets(words, calls, state, result) {
  const number = calls.cases.indexOf(state.call);
  const rows = Object.entries(calls.targets).flatMap(([target, [title, where]]) => {
    const row = calls.results[target]?.find(([at]) => at === number);
    return row ? [{ name: `${title}, ${where}`, address: callAddress(state.call, target, state.row), isCurrent: target === result.target, ...judged(calls, row) }] : [];
  });
  return rows.length < 2 ? null : [el("h3", {}, "This call in each version and mode"), choices(words, rows, "Target")];
}

/** The other calls of the cell that was opened.
 * @param {Words} words @param {Calls} calls @param {State} state @param {Result} result */
function otherCalls(words, calls, state, result) {
  const numbers = new Set(calls.rows[state.row]?.[result.target] ?? []);
  const rows = (calls.results[result.target] ?? []).filter(([at]) => numbers.has(at)).map((row) => ({
    name: calls.cases[row[0]], address: callAddress(calls.cases[row[0]], result.target, state.row),
    isCurrent: calls.cases[row[0]] === state.call, ...judged(calls, row),
  }));
  return rows.length < 2 ? null : [el("h3", {}, `${rows.length} calls of this cell`), choices(words, rows, "Call")];
}

/** The same call on every API, in the newest version of each.
 * @param {Words} words @param {Cases} cases @param {Case} kase @param {State} state */
function otherApis(words, cases, kase, state) {
  const rows = kase.also.map(([number, sort, word]) => {
    const [name, title, page, target] = cases.apis[number];
    return { name: `${name}, ${title}`, address: `${rooted(page)}${callAddress(state.call, target, "")}`, isCurrent: false, sort, word };
  });
  return rows.length < 2 ? null : [el("h3", {}, "This call on every API"), choices(words, rows, "API")];
}

/** @param {Calls} calls @param {Row} row */
function judged(calls, row) {
  const [sort, word] = calls.judgements[row[1]];
  return { sort, word };
}

/** @typedef {{ name: string, address: string, isCurrent: boolean, sort: string, word: string }} Choice */

/** @param {Words} words @param {Choice[]} rows @param {string} heading */
function choices(words, rows, heading) {
  const head = el("thead", {}, el("tr", {}, [heading, "Result"].map((name) => el("th", { scope: "col" }, name))));
  const body = rows.map(({ name, address, isCurrent, sort, word }) => el("tr", { class: isCurrent && "current" },
    el("td", {}, el("a", { href: address, "aria-current": isCurrent && "true" }, name)),
    el("td", {}, badge(words.sorts[sort], word))));
  return el("div", { class: "choices", tabindex: "0", role: "group", "aria-label": heading }, el("table", { class: "rows" }, head, el("tbody", {}, body)));
}

/** @param {Case} kase @param {string} operation */
function theCall(kase, operation) {
  return [
    el("h3", {}, "The call"),
    el("pre", {}, callText(operation, kase.call)),
    kase.note && el("p", {}, kase.note),
    kase.program && [el("h3", {}, "The program around it"), el("pre", {}, kase.program)],
  ];
}

/** A call with one argument per line.
 * @param {string} operation @param {Record<string, string>} call */
function callText(operation, call) {
  const width = Math.max(0, ...Object.keys(call).map((name) => name.length));
  const lines = Object.entries(call).map(([name, text]) => `  ${name.padEnd(width)} = ${text}`);
  return `${operation}(\n${lines.join("\n")}\n)`;
}

/** Expected and actual result; as text if a diagram shows the elements.
 * @param {Case | null} kase @param {Result} result @param {boolean} isDrawn */
function comparison(kase, result, isDrawn) {
  const differing = placesOf(result.differs);
  /** @param {Description} description @param {string} label @param {number[][]} marked */
  const shown = (description, label, marked) => (isDrawn && kase?.picture?.result
    ? el("pre", {}, linesOf(description)) : asGrid(description, label, marked));
  if (kase && !result.right && isAsExpected(kase.expected, result.actual)) {
    return [el("h3", {}, "Expected and actual"), shown(result.actual, "actual", []), kase.origin && el("p", { class: "crumbs" }, kase.origin)];
  }
  return el("div", { class: "pair" },
    kase && el("div", {}, el("h3", {}, "Expected"), shown(kase.expected, "expected", result.right ? [] : differing),
      kase.origin && el("p", { class: "crumbs" }, kase.origin),
      result.right && [el("p", { class: "crumbs" }, "right side"), shown(result.right, "right side", differing)]),
    el("div", {}, el("h3", {}, "Actual"), shown(result.actual, "actual", differing)));
}

/** An array as a grid below its dtype and shape, or anything else as text.
 * @param {Description} description @param {string} label @param {number[][]} differing */
function asGrid(description, label, differing) {
  const picture = grid(description, label, differing);
  if (!picture) return el("pre", {}, linesOf(description));
  const notes = description.notes.map((note) => el("p", { class: "crumbs" }, note));
  return [el("p", {}, el("code", {}, description.head)), picture, notes];
}

/** @param {Case | null} kase @param {Result} result @param {string} operation */
function remarksOf(kase, result, operation) {
  return [
    result.remarks.length > 0 && [el("h3", {}, "Also observed"), result.remarks.map((text) => el("p", {}, text))],
    kase?.control && [el("h3", {}, "Control: the same call with only the violation fixed"), el("pre", {}, callText(operation, kase.control))],
  ];
}

/** The script that reproduces the result, or the command that prints it.
 * @param {Result} result */
function theScript(result) {
  if (["blocked", "unsupported"].includes(result.sort)) return null;
  if (result.script) {
    return [el("h3", {}, "Script"),
      el("p", {}, "Verified in this target's interpreter."), copyable(result.script, "script")];
  }
  const words = ["conformance repro", quoted(result.name), "--target", quoted(result.target), "--api", quoted(document.body.dataset.api ?? "")];
  const command = [...words, ...result.options].join(" ");
  return [el("h3", {}, "Script"), copyable(command, "command")];
}

/** @param {Calls} calls @param {Result} result @param {string} operation */
function code(calls, result, operation) {
  const mapping = calls.mappings.find(([target, name]) => target === result.target && name === operation);
  if (!mapping) return null;
  return [el("h3", {}, "How the API was called"),
    el("pre", { class: "code", tabindex: "0" }, calls.sources[mapping[2]].trimEnd())];
}
