// Applies the address to the filters, the views and the panel.

import { go, NOTHING_OPEN, readAddress } from "./address.js";
import { data, resultAt } from "./data.js";
import { all } from "./dom.js";
import { watchEdges } from "./edges.js";
import { filter, listenToFilters, showFilters } from "./filters.js";
import { listenToKeys } from "./keyboard.js";
import { openCell, openedFrom, panel, show } from "./opening.js";
import { learn } from "./search.js";
import { sortable } from "./sorting.js";
import { listenToControls, showView, titleOfView } from "./views.js";

/** @import { State } from "./address.js" */

const pageTitle = document.title;

function follow() {
  const state = readAddress();
  showFilters(state);
  filter(state);
  showView(state);
  show(state);
  document.title = titleOf(state);
  if (!state.case) reveal();
}

/** The title of the document: what is open, then the view.
 * @param {State} state */
function titleOf(state) {
  const open = state.case && [state.api, state.case].filter(Boolean).join(", ");
  const search = state.q && `“${state.q}”`;
  return [open, search, titleOfView(state), pageTitle].filter(Boolean).join(" · ");
}

/** Scroll to the clause or claim in the address, which may have been hidden or folded when the browser looked for it. */
function reveal() {
  const element = /^#(claim|clause)\//.test(location.hash) && document.getElementById(decoded(location.hash.slice(1)));
  if (!element) return;
  const folded = element.closest("details");
  if (folded) folded.open = true;
  bringIntoView(element);
}

/** Scroll to an element, and again when the sections that came into view have their real heights instead of estimates.
 * @param {Element} element */
function bringIntoView(element) {
  element.scrollIntoView();
  requestAnimationFrame(() => requestAnimationFrame(() => element.scrollIntoView()));
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // not an address of this page
  }
}

/** Open the result that a link names, by its number in the data or by its names.
 * @param {string} hash */
async function openLink(hash) {
  if (hash.startsWith("#result/")) {
    const { case: name, api, target } = resultAt(await data(), Number(hash.slice("#result/".length)));
    go({ case: name, api, target });
  } else {
    const parts = new URLSearchParams(hash.slice(1));
    go({ case: parts.get("case"), api: parts.get("api"), target: parts.get("target") });
  }
}

/** @param {MouseEvent} event */
function openClicked(event) {
  if (!(event.target instanceof Element)) return;
  const plain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
  if (event.target.closest(".close")) go(NOTHING_OPEN);
  const folding = /** @type {HTMLElement | null} */ (event.target.closest("button.fold"));
  if (folding) unfold(folding);
  const cell = /** @type {HTMLTableCellElement | null} */ (event.target.closest(".matrix td"));
  const anchor = event.target.closest("a");
  if (plain && cell) openCell(cell);
  if (!plain || !anchor) return;
  if (anchor.matches(".open")) {
    event.preventDefault();
    if (!panel.contains(anchor)) openedFrom(anchor);
    openLink(anchor.hash);
  } else if (anchor.matches(".jump a, .skip")) {
    event.preventDefault(); // the address keeps the state
    const destination = document.getElementById(anchor.hash.slice(1));
    if (destination) bringIntoView(destination);
    if (anchor.matches(".skip")) destination?.focus();
  }
}

/** Show or fold the other columns of a framework in a table.
 * @param {HTMLElement} button */
function unfold(button) {
  const shown = button.getAttribute("aria-expanded") !== "true";
  button.setAttribute("aria-expanded", String(shown));
  for (const part of all("[data-fold]", button.closest(".does") ?? undefined)) {
    if (part.dataset.fold === button.dataset.framework) part.classList.toggle("unfolded", shown);
  }
}

document.addEventListener("click", openClicked);
for (const part of all("[data-scripted]")) part.hidden = false;
for (const name of ["hashchange", "addresschange"]) window.addEventListener(name, follow);
for (const table of all("table.totals, table.sentences, table.environments")) sortable(table);
watchEdges();
listenToFilters();
listenToKeys();
listenToControls();
follow();
(window.requestIdleCallback ?? setTimeout)(async () => {
  learn(await data());
  const state = readAddress();
  if (state.q) filter(state);
});
