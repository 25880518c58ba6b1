// How the behaviour of each framework changed between versions.

import { addressOf, apiAddress, NOTHING_OPEN, resultLink } from "./address.js";
import { resultAt, worstOf } from "./data.js";
import { badge, el } from "./dom.js";
import { sortable } from "./sorting.js";

/** @import { State } from "./address.js" */
/** @import { Data, Result } from "./data.js" */
/** @import { Change, ConditionChange, Step, Timeline, VersionCell } from "./payload.d.ts" */
/** @typedef {Exclude<VersionCell, 0>} Cell */
/** @typedef {{ clause: string, api: string, cells: Cell[] }} Row */

/** The list of timelines, and the steps and the table of the chosen one.
 * @param {Data} all @param {State} state */
export function versionsView(all, state) {
  if (all.timelines.length === 0) {
    return [el("h2", {}, "Versions"), el("p", { class: "lead" },
      "These results have only one version per framework. Use ",
      el("code", {}, "conformance matrix torch --versions 2.1.2,2.13.0"), " for several.")];
  }
  /** @param {Timeline} line */
  const nameOf = (line) => `${line.framework} on ${line.where}`;
  const current = all.timelines.find((line) => nameOf(line) === state.line) ?? all.timelines[0];
  const links = all.timelines.map((line) => el("li", {}, el("a", {
    href: addressOf({ ...state, ...NOTHING_OPEN, line: nameOf(line), before: "", after: "" }),
    "aria-current": line === current && "true",
  }, nameOf(line), " ", el("b", {}, line.targets.length))));
  return [
    el("h2", {}, "Versions"),
    el("p", { class: "lead" }, "What changed from version to version, by condition of the call, whether or not it conforms. A word opens a call before or after."),
    el("nav", { "aria-label": "Frameworks" }, el("ul", { class: "choices-list" }, links)),
    (state.line ? [current] : all.timelines).map((line) => [el("h3", {}, `${line.title} on ${line.where}`), stepsOf(all, line)]),
    tableOfVersions(all, current, state),
  ];
}

/** @param {Timeline} line @param {string} id */
function versionOf(line, id) {
  return line.targets.find((target) => target.id === id)?.version;
}

/** The steps between versions, the newest first and unfolded.
 * @param {Data} all @param {Timeline} line */
function stepsOf(all, line) {
  return [...line.steps].reverse().map((step, number) => el("details", { class: "step", open: number === 0 },
    el("summary", {}, el("b", {}, `${versionOf(line, step.before)} → ${versionOf(line, step.after)}`), " ",
      el("small", {}, summaryOf(step))),
    changesOf(all, step)));
}

/** @param {Step} step */
function summaryOf(step) {
  const calls = step.changes.reduce((sum, change) => sum + callsOf(change), 0);
  /** @param {string} kind */
  const count = (kind) => step.apis.filter(([apiKind]) => apiKind === kind).length;
  return [
    `${counted(calls, "call")} changed`, `${step.same} the same`, step.not_comparable > 0 && `${step.not_comparable} not comparable`,
    count("new") > 0 && `${counted(count("new"), "API")} new`, count("gone") > 0 && `${counted(count("gone"), "API")} gone`,
  ].filter(Boolean).join(", ");
}

/** @param {Change} change */
function callsOf({ clauses }) {
  return clauses.reduce((sum, [, count]) => sum + count, 0);
}

/** @param {number} count @param {string} noun */
function counted(count, noun) {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** @param {Data} all @param {Step} step */
function changesOf(all, step) {
  if (step.changes.length + step.apis.length === 0) return el("p", {}, "No changes.");
  const apis = step.apis.map(([kind, operation, api]) => el("li", {},
    el("b", {}, kind === "new" ? "New: " : "Gone: "), el("code", {}, all.texts[api]),
    el("span", { class: "where" }, all.texts[operation])));
  const [errors, others] = [true, false].map((error) => step.changes.filter((change) => change.error === error));
  return [
    changesTable(all, step),
    apis.length > 0 && el("ul", { class: "findings" }, apis),
    foldedChanges(all, "The same by clause", others), foldedChanges(all, "Only the error is another one", errors),
  ];
}

/** What each API did before and does after, by condition.
 * @param {Data} all @param {Step} step */
function changesTable(all, step) {
  if (step.conditions.length === 0) return el("p", {}, "Nothing but errors changed.");
  const [before, after] = [step.before, step.after].map((id) => all.target.get(id)?.version ?? id);
  const head = ["API", "Condition", `until ${before}`, `from ${after}`, "Calls"].map((name) => el("th", { scope: "col" }, name));
  return el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": `Changes from ${before} to ${after} by condition` },
    sortable(el("table", { class: "rows by-condition" }, el("thead", {}, el("tr", {}, head)),
      el("tbody", {}, step.conditions.map((change) => conditionRow(all, change))))));
}

/** @param {Data} all @param {ConditionChange} change */
function conditionRow(all, [operation, api, condition, was, now, before, after, sort, calls, count]) {
  const name = all.texts[api];
  return el("tr", {},
    el("th", { scope: "row" }, el("a", { href: apiAddress(name) }, name), " ", el("small", {}, all.texts[operation])),
    el("td", {}, all.texts[condition]),
    el("td", {}, resultLink(resultAt(all, before), all.texts[was])),
    el("td", {}, resultLink(resultAt(all, after), badge(all.sorts[sort], all.texts[now]))),
    el("td", {}, count === 1 ? "1" : el("details", { class: "proofs" }, el("summary", {}, count), el("ul", {},
      calls.map((at) => resultAt(all, at)).map((result) => el("li", {}, resultLink(result, result.case))),
      count > calls.length && el("li", {}, `and ${count - calls.length} more`)))));
}

/** @param {Data} all @param {string} title @param {Change[]} changes */
function foldedChanges(all, title, changes) {
  if (changes.length === 0) return null;
  const calls = changes.reduce((sum, change) => sum + callsOf(change), 0);
  return el("details", { class: "step" }, el("summary", {}, `${title}: ${counted(calls, "call")}`),
    el("ul", { class: "findings" }, changes.map((change) => changeItem(all, change))));
}

/** A change of an API's behaviour, with its clauses.
 * @param {Data} all @param {Change} change */
function changeItem(all, change) {
  const first = resultAt(all, change.clauses[0][0]);
  return el("li", {},
    resultLink(first, el("b", {}, all.texts[change.api])), " ", el("span", { class: "was" }, all.texts[change.was]), " → ",
    badge(all.sorts[change.sort], all.texts[change.now]),
    el("span", { class: "where" }, all.texts[change.operation]),
    el("details", {}, el("summary", {}, `${counted(callsOf(change), "call")} in ${counted(change.clauses.length, "clause")}`),
      el("ul", {}, change.clauses.map(([at, count]) => changedClause(all, resultAt(all, at), count)))));
}

/** @param {Data} all @param {Result} result @param {number} count */
function changedClause(all, result, count) {
  return el("li", {}, resultLink(result, all.clause.get(result.clause)?.states ?? result.clause), " ",
    el("small", {}, `${result.clause}, ${counted(count, "call")}`));
}

/** Clauses and APIs by version: those that changed, those that changed between two versions, or all.
 * @param {Data} all @param {Timeline} line @param {State} state */
function tableOfVersions(all, line, state) {
  const [from, to] = [state.before, state.after].map((id) => line.targets.findIndex((target) => target.id === id));
  const rows = line.rows.map(([, clause, api, cells]) =>
    ({ clause: all.texts[clause], api: all.texts[api], cells: unfolded(cells) }));
  const shown = rows.filter(({ cells }) => state.every || hasChanged(cells, from, to));
  const head = el("tr", {}, el("th", { scope: "col" }, "Clause and API"), line.targets.map((target, at) =>
    el("th", { scope: "col", class: (at === from || at === to) && "chosen" }, target.version, target.blocked && el("small", {}, "did not start"))));
  return el("section", { "aria-labelledby": "timeline-title" },
    el("h3", { id: "timeline-title" }, state.every ? "Every clause" : "Clauses on which versions differ"),
    controlsOf(line, state),
    el("p", { class: "status", "aria-live": "polite" }, `${shown.length} of ${rows.length} rows`),
    shown.length > 0 && el("div", { class: "scroll", tabindex: "0", role: "group", "aria-labelledby": "timeline-title" },
      sortable(el("table", { class: "timeline" }, el("thead", {}, head),
        el("tbody", {}, shown.map((row) => rowOfVersions(all, line, row)))))));
}

/** The cells, with repeated ones written out.
 * @param {VersionCell[]} cells */
function unfolded(cells) {
  /** @type {Cell} */
  let last = null;
  return cells.map((cell) => {
    if (cell !== 0) last = cell;
    return last;
  });
}

/** @param {Cell[]} cells @param {number} from @param {number} to */
function hasChanged(cells, from, to) {
  if (from >= 0 && to >= 0) return cells[from]?.[0] !== cells[to]?.[0];
  return new Set(cells.flatMap((cell) => (cell ? [cell[0]] : []))).size > 1;
}

/** @param {Timeline} line @param {State} state */
function controlsOf(line, state) {
  /** @param {"before" | "after"} name @param {string} text */
  const choose = (name, text) => el("label", {}, `${text} `, el("select", { id: `choose-${name}`, "data-state": name },
    el("option", { value: "" }, "any version"),
    line.targets.map(({ id, version }) => el("option", { value: id, selected: id === state[name] }, version))));
  return el("p", { class: "controls" }, choose("before", "Compare"), choose("after", "with"),
    el("label", {}, el("input", { type: "checkbox", id: "every", "data-state": "every", checked: state.every === "yes" }),
      " include unchanged clauses"));
}

/** @param {Data} all @param {Timeline} line @param {Row} row */
function rowOfVersions(all, line, row) {
  return el("tr", {},
    el("th", { scope: "row" }, all.clause.get(row.clause)?.states ?? row.clause,
      el("small", {}, el("code", {}, row.api), ` · ${row.clause}`)),
    row.cells.map((cell, at) => versionCell(all, line.targets[at], row, cell, row.cells.slice(0, at).findLast(Boolean) ?? null)));
}

/** @param {Data} all @param {Timeline["targets"][number]} target @param {Row} row @param {Cell} cell @param {Cell} before */
function versionCell(all, target, row, cell, before) {
  if (!cell) return el("td", { class: "none" }, target.blocked ? "" : "no result");
  const [state, words] = cell;
  const changed = before !== null && before[0] !== state;
  const at = worstOf(all, row.clause, target.id, row.api);
  const text = words.map(([word, count]) => `${all.texts[word]} ${count}`).join(", ");
  return el("td", { class: `state-${state % 3}${changed ? " changed" : ""}` },
    changed && el("span", { class: "mark" }, "≠ ", el("span", { class: "unseen" }, "changed: ")),
    at === undefined ? text : resultLink(resultAt(all, at), text));
}
