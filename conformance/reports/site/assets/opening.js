// Opens the call that the address names in the panel.

import { byId, el, nodes } from "./dom.js";
import { loadCalls, loadCases, loadWords } from "./loading.js";
import { panelContent } from "./panel.js";
import { operationOf } from "./results.js";

/** @import { Calls, Row } from "./page.d.ts" */
/** @typedef {{ call: string, target: string, row: string }} State */

/** @type {Element | null} */
let openedFrom = null;

/** What the address names; null if it is no call.
 * @returns {State | null} */
function readAddress() {
  const parts = new URLSearchParams(location.hash.slice(1));
  const call = parts.get("call");
  return call === null ? null : { call, target: parts.get("target") ?? "", row: parts.get("row") ?? "" };
}

/** Completes a link to a call by its row of the API's page. It is written when the link is followed, since pages have hundreds of these links. */
export function listenToCallLinks() {
  const complete = (/** @type {Event} */ event) => {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (!link?.hash.startsWith("#call=") || link.hash.includes("&row=")) return;
    const row = rowOf(link);
    if (row) link.hash += `&row=${row}`;
  };
  document.addEventListener("click", complete);
  document.addEventListener("auxclick", complete);
}

/** The id of a link's row on the page of the API: of the row that has it there, or of the one to which the page of a situation links.
 * @param {Element} link */
function rowOf(link) {
  const row = link.closest("tr");
  const heading = row?.querySelector(".of-situation th a");
  return heading instanceof HTMLAnchorElement ? heading.hash.slice(1) : row?.id;
}

export function listenToPanel() {
  const path = document.body.dataset.calls;
  if (path === undefined) return;
  const follow = () => openCall(path);
  window.addEventListener("hashchange", follow);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") closePanel();
  });
  document.addEventListener("click", (event) => {
    if (!(event.target instanceof Element)) return;
    if (event.target.closest(".close")) closePanel();
    const link = event.target.closest("a");
    if (!link?.hash.startsWith("#call=") || byId("panel").contains(link)) return;
    openedFrom = link;
  });
  follow();
}

/** @param {string} path of the calls, relative to the page */
async function openCall(path) {
  const state = readAddress();
  const panel = byId("panel");
  if (state === null) {
    hide();
    return;
  }
  const root = document.body.dataset.root ?? "";
  const [words, calls] = await Promise.all([loadWords(), loadCalls(decodeURIComponent(path).slice(root.length))]);
  const chosen = choose(calls, state);
  const shown = chosen === null ? nothing(state) : panelContent(words, calls, await loadCases(caseFile(calls, state.call)), state, chosen);
  panel.replaceChildren(...nodes(shown));
  panel.hidden = false;
  document.body.classList.add("open");
  panel.scrollTop = 0;
  panel.focus({ preventScroll: true });
}

/** The result that the address names, or that of another target.
 * @param {Calls} calls @param {State} state @returns {{ target: string, result: Row } | null} */
function choose(calls, state) {
  const number = calls.cases.indexOf(state.call);
  for (const target of [state.target, ...Object.keys(calls.targets)]) {
    const result = calls.results[target]?.find(([at]) => at === number);
    if (result) return { target, result };
  }
  return null;
}

/** @param {Calls} calls @param {string} name */
function caseFile(calls, name) {
  return calls.operations[operationOf(calls, name)] ?? Object.values(calls.operations)[0];
}

/** @param {State} state */
function nothing(state) {
  return [
    el("button", { class: "close", type: "button" }, "Close (Esc)"),
    el("h2", { id: "panel-title" }, "No such call"),
    el("p", {}, "This run has no result of ", el("code", {}, state.call), " on this API."),
  ];
}

function closePanel() {
  if (readAddress() === null) return;
  history.pushState(null, "", location.pathname + location.search);
  hide();
  if (openedFrom instanceof HTMLElement) openedFrom.focus();
}

function hide() {
  byId("panel").hidden = true;
  document.body.classList.remove("open");
}
