// The address contains the whole state: the view, the result in the panel, the search and the filters.

import { el } from "./dom.js";

/** @import { Child } from "./dom.js" */
/** @typedef {"view" | "case" | "api" | "target" | "q" | "ask" | "line" | "before" | "after" | "every" | "name" | "operation"} Single */
/** @typedef {"only" | "without" | "with" | "port" | "stand"} Several */
/** @typedef {Record<Single, string> & Record<Several, string[]>} State */
/** @typedef {Partial<Record<Single, string | null> & Record<Several, string[]>>} Changes */

/** @type {Single[]} */
const SINGLE = ["view", "case", "api", "target", "q", "ask", "line", "before", "after", "every", "name", "operation"];
/** @type {Several[]} */
const LISTS = ["only", "without", "with", "port", "stand"];
export const NOTHING_OPEN = { case: null, api: null, target: null };

/** The state in the address. */
export function readAddress() {
  const parts = new URLSearchParams(location.hash.slice(1));
  const single = SINGLE.map((name) => [name, parts.get(name) ?? ""]);
  const lists = LISTS.map((name) => [name, parts.getAll(name).filter(Boolean)]);
  return /** @type {State} */ (Object.fromEntries([...single, ...lists]));
}

/** The fragment of the address for a state.
 * @param {Changes} state */
export function addressOf(state) {
  const single = SINGLE.map((name) => [name, state[name]]);
  const lists = LISTS.flatMap((name) => (state[name] ?? []).map((value) => [name, value]));
  const written = [...single, ...lists].filter(([, value]) => value)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value)).replaceAll("%2F", "/")}`);
  return `#${written.join("&")}`;
}

/** Change the state; adds an entry to the history unless `step` is false.
 * @param {Changes} changes */
export function go(changes, { step = true } = {}) {
  const address = addressOf({ ...readAddress(), ...changes });
  if (address === (location.hash || "#")) return;
  history[step ? "pushState" : "replaceState"](null, "", address);
  window.dispatchEvent(new Event("addresschange"));
}

/** The address of an API's view.
 * @param {string} name */
export function apiAddress(name) {
  return addressOf({ view: "api", name });
}

/** A link that opens a result in the panel and keeps the rest of the state.
 * @param {{ case: string, api: string, target: string }} result @param {Child[]} children */
export function resultLink(result, ...children) {
  return el("a", { class: "open", href: resultAddress(result) }, ...children);
}

/** @param {{ case: string, api: string, target: string }} result */
export function resultAddress(result) {
  return addressOf({ ...readAddress(), case: result.case, api: result.api, target: result.target });
}
