// An API: what it does by situation and version, dtypes, what is wrong, its documentation, and its siblings.

import { addressOf, apiAddress, NOTHING_OPEN, readAddress, resultLink } from "./address.js";
import { key, ownerOf, resultAt } from "./data.js";
import { badge, el } from "./dom.js";
import { dtypeTables } from "./dtypes.js";
import { choiceName, codeToPaste, preferredOf, shareOf } from "./implementations.js";
import { sortable } from "./sorting.js";
import { documentationOf } from "./sentences.js";

/** @import { State } from "./address.js" */
/** @import { Data, Result } from "./data.js" */
/** @import { Child } from "./dom.js" */
/** @import { Target } from "./payload.d.ts" */
/** @typedef {{ name: string, framework: string, operations: string[], targets: Target[] }} Api */
/** @typedef {{ operation: string, situation: string, verb: number, result: Result, calls: number, since: string | null }} Does */

/** The APIs of the file.
 * @param {Data} all @returns {Api[]} */
function listedApis(all) {
  return all.apis.list.map(([name, framework, operations, targets]) => ({
    name: all.texts[name], framework, operations: operations.map((operation) => all.texts[operation]),
    targets: targets.map((number) => all.targets[number]),
  }));
}

/** The view of the API in the address, or the list of all.
 * @param {Data} all @param {State} state @returns {Child[]} */
export function apiView(all, state) {
  const apis = listedApis(all);
  const api = apis.find(({ name }) => name === state.name);
  if (!api) return listOf(all, apis, state);
  return [
    el("p", { class: "crumbs" }, el("a", { href: addressOf({ ...state, ...NOTHING_OPEN, name: "" }) }, "All APIs")),
    el("h2", { class: "api-name" }, api.name), leadOf(all, api),
    el("nav", { class: "jump", "aria-label": "Parts" }, PARTS.map(([id, title]) => el("a", { href: `#${id}` }, title))),
    ...PARTS.map(([id, title, content]) => el("section", { "aria-labelledby": id, class: "part" },
      el("h3", { id }, title), content(all, api) ?? el("p", {}, "Nothing."))),
  ];
}

/** @type {[id: string, title: string, content: (all: Data, api: Api) => Child][]} */
const PARTS = [
  ["api-does", "What it does", behaviourOf],
  ["api-wrong", "What is wrong", wrongOf],
  ["api-dtypes", "Dtypes, claimed and observed", (all, api) => dtypeTables(all, (target, name) => name === api.name && target === newestOf(api).id)],
  ["api-documentation", "Its documentation", (all, api) => documentationOf(all, api)],
  ["api-siblings", "In other frameworks", siblingsOf],
  ["api-code", "How it is called", codeOf],
];

/** @param {Data} all @param {Api[]} apis @param {State} state @returns {Child[]} */
function listOf(all, apis, state) {
  const rows = apis.map((api) => el("tr", {},
    el("th", { scope: "row" }, el("a", { href: apiAddress(api.name) }, api.name)),
    el("td", {}, frameworkTitle(newestOf(api))), el("td", {}, api.operations.join(", ")),
    el("td", {}, causesOf(all, api).length)));
  const head = ["API", "Framework", "Operation", "Causes of what is wrong"].map((name) => el("th", { scope: "col" }, name));
  return [
    el("h2", {}, "APIs"),
    state.name && el("p", { class: "alarm" }, `No API of these results is called ${state.name}.`),
    el("p", { class: "lead" }, "Each with what it does by situation and version, its dtypes, its documentation, and how it differs from its siblings."),
    el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "APIs" },
      sortable(el("table", { class: "rows" }, el("thead", {}, el("tr", {}, head)), el("tbody", {}, rows)))),
  ];
}

/** The target of the newest version in the first mode.
 * @param {Api} api */
export function newestOf(api) {
  return /** @type {Target} */ (api.targets.findLast(({ where }) => where === api.targets[0].where));
}

/** The framework's name, without its version.
 * @param {Target} target */
function frameworkTitle(target) {
  return target.title.replace(` ${target.version}`, "");
}

/** @param {Data} all @param {Api} api */
function leadOf(all, api) {
  const newest = newestOf(api);
  const versions = api.targets.filter(({ where }) => where === newest.where).map(({ version }) => version);
  const documents = all.apis.documents.filter(({ describes, url }) => url && describes.includes(api.name));
  const links = [...new Set(documents.map(({ url }) => url))].map((url, at) =>
    [at > 0 && ", ", el("a", { href: url, rel: "noopener noreferrer" }, "read it")]);
  const composed = all.mapping.get(key(newest.id, api.name, api.operations[0]))?.composed;
  return el("p", { class: "lead" }, `${frameworkTitle(newest)} ${versions.join(", ")}. Operation: ${api.operations.join(", ")}. `,
    composed && "Composed of several calls. ", links.length > 0 && ["Its documentation: ", links, "."]);
}

/** What the API does in each version.
 * @param {Data} all @param {Api} api */
function does(all, api) {
  /** @type {Does[]} */
  const rows = [];
  for (const [operation, situation, verb, at, calls, since] of all.apis.does) {
    const [target, name] = ownerOf(all, at);
    if (name !== api.name || !api.targets.some(({ id }) => id === target)) continue;
    rows.push({
      operation: all.texts[operation], situation: all.apis.situations[situation], verb, result: resultAt(all, at), calls,
      since: since < 0 ? null : all.texts[since],
    });
  }
  return rows;
}

/** Situations by version, for each operation.
 * @param {Data} all @param {Api} api */
function behaviourOf(all, api) {
  const rows = does(all, api);
  if (rows.length === 0) return null;
  const targets = api.targets.filter(({ id }) => rows.some(({ result }) => result.target === id));
  const head = el("tr", {}, el("th", { scope: "col" }, "Situation"), targets.map(({ version, where }) =>
    el("th", { scope: "col" }, version ?? "", el("small", {}, where))));
  return [...Map.groupBy(rows, ({ operation }) => operation)].map(([operation, group]) => [
    api.operations.length > 1 && el("h4", { class: "operation-name" }, operation),
    el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": `What ${api.name} does in ${operation}` },
      el("table", { class: "behaviours" }, el("thead", {}, head.cloneNode(true)), el("tbody", {},
        [...Map.groupBy(group, ({ situation }) => situation)].map(([situation, cells]) => el("tr", {},
          el("th", { scope: "row" }, situation), targets.map((target) => doesCell(all, cells, target)))))))]);
}

/** @param {Data} all @param {Does[]} cells @param {Target} target */
function doesCell(all, cells, target) {
  const own = cells.filter(({ result }) => result.target === target.id);
  if (own.length === 0) return el("td", { "data-column": target.version }, el("span", { class: "nil" }, "not called"));
  return el("td", { "data-column": target.version }, own.map((each) => el("div", { class: sortOf(all, each) },
    doesLink(all, each), each.since !== null && el("small", { class: "since" }, each.since))));
}

/** @param {Data} all @param {Does} each */
function sortOf(all, { verb, result }) {
  const [, word] = all.apis.verbs[verb];
  if (word === "unchanged") return "conforms";
  return word === "changes them" && !result.kinds.includes("input-changed") ? "observed" : result.sort;
}

/** @param {Data} all @param {Does} each */
function doesLink(all, each) {
  const [icon, word] = all.apis.verbs[each.verb];
  const sort = all.sorts[sortOf(all, each)];
  const mark = !["conforms", "observed"].includes(sort.name) && [" ", el("span", { class: "mark" }, sort.sign)];
  return [resultLink(each.result, el("span", { class: "icon", "aria-hidden": "true" }, icon), " ", word, mark,
    el("span", { class: "unseen" }, ` (${sort.label})`)), " ", el("small", {}, each.calls === 1 ? "1 call" : `${each.calls} calls`)];
}

/** @param {Data} all @param {Api} api */
function causesOf(all, api) {
  return all.apis.causes.filter(([, names, framework]) =>
    framework === api.framework && names.some((name) => all.texts[name] === api.name));
}

/** @param {Data} all @param {Api} api */
function wrongOf(all, api) {
  const causes = causesOf(all, api);
  const dangers = Object.values(all.apis.dangers);
  if (causes.length === 0) return el("p", {}, "Nothing in this run.");
  return el("ul", { class: "findings" }, causes.map(([danger, , , at, calls, standing, upstream, reason]) => {
    const result = ownResult(all, api, at);
    return el("li", {}, resultLink(result, badge(all.sorts[result.sort], result.word), " ", el("b", {}, dangers[danger])),
      el("span", { class: "where" }, `${calls === 1 ? "1 call" : `${calls} calls`}; ${all.texts[standing]}; ${all.texts[upstream]}`),
      reason >= 0 && el("p", {}, all.texts[reason]),
      el("p", { class: "reason" }, all.clause.get(result.clause)?.states ?? result.clause));
  }));
}

/** The result of a cause on this API, if the cause has one with the same case.
 * @param {Data} all @param {Api} api @param {number} at */
function ownResult(all, api, at) {
  const first = resultAt(all, at);
  if (first.api === api.name) return first;
  const own = (all.byCase.get(first.number) ?? []).find((other) => ownerOf(all, other)[1] === api.name);
  return own === undefined ? first : resultAt(all, own);
}

/** The APIs of other frameworks for the same operation.
 * @param {Data} all @param {Api} api */
function siblingsOf(all, api) {
  const own = newestOf(api);
  const rows = all.porting.operations.filter(({ name }) => api.operations.includes(name)).flatMap((operation) => {
    const mine = operation.implementations.findIndex(([target, name]) => target === own.id && name === api.name);
    if (mine < 0) return [];
    return all.porting.first.filter((target) => target !== own.id).flatMap((target) => {
      const number = preferredOf(operation, target);
      if (number === undefined || all.target.get(target)?.framework === api.framework) return [];
      const [, name] = operation.implementations[number];
      const stand = [mine, number].map((each) => choiceName(operation, each));
      return [el("tr", {}, el("th", { scope: "row" }, el("a", { href: apiAddress(name) }, name)),
        el("td", {}, all.target.get(target)?.title), el("td", {}, shareOf(operation, mine, number)),
        el("td", {}, el("a", { href: addressOf({ ...readAddress(), ...NOTHING_OPEN, view: "porting", name: "", port: [own.id, target],
          stand, operation: operation.name }) }, "how to port")))];
    });
  });
  const head = ["API", "Framework", "Same result", "Porting"].map((name) => el("th", { scope: "col" }, name));
  if (rows.length === 0) return el("p", {}, "No other framework of these results has the operation.");
  return el("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "In other frameworks" },
    el("table", { class: "rows" }, el("thead", {}, el("tr", {}, head)), el("tbody", {}, rows)));
}

/** @param {Data} all @param {Api} api */
function codeOf(all, api) {
  const newest = newestOf(api);
  return api.operations.map((operation) => {
    const mapping = all.mapping.get(key(newest.id, api.name, operation));
    return mapping && [api.operations.length > 1 && el("h4", { class: "operation-name" }, operation), codeToPaste(mapping)];
  });
}
