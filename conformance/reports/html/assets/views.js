// The views: each has a title, and a function that creates its nodes unless the initial page has them.

import { addressOf, go, NOTHING_OPEN, readAddress } from "./address.js";
import { apiView } from "./api.js";
import { data } from "./data.js";
import { all, byId, el, nodes } from "./dom.js";
import { dtypesView } from "./dtypes.js";
import { watchEdges } from "./edges.js";
import { portingView } from "./porting.js";
import { questionsView } from "./questions.js";
import { versionsView } from "./versions.js";

/** @import { State } from "./address.js" */
/** @import { Data } from "./data.js" */
/** @import { Child } from "./dom.js" */

/** @type {Record<string, { title: string, render?: (all: Data, state: State) => Child[] }>} */
const VIEWS = {
  overview: { title: "Overview" },
  api: { title: "APIs", render: apiView },
  questions: { title: "Questions", render: questionsView },
  versions: { title: "Versions", render: versionsView },
  dtypes: { title: "Dtypes", render: dtypesView },
  porting: { title: "Porting", render: portingView },
  documents: { title: "Documents" },
};
const DEFAULT_VIEW = "overview";
/** The address of the rendered view. */
let rendered = "";

/** @param {State} state */
function viewOf(state) {
  if (/^#claim\//.test(location.hash)) return "documents";
  return Object.hasOwn(VIEWS, state.view) ? state.view : DEFAULT_VIEW;
}

/** The title of the view of a state; empty for the overview.
 * @param {State} state */
export function titleOfView(state) {
  const name = viewOf(state);
  if (name === "api" && state.name) return state.name;
  return name === DEFAULT_VIEW ? "" : VIEWS[name].title;
}

/** Show the view of the state.
 * @param {State} state */
export async function showView(state) {
  const name = viewOf(state);
  const { render } = VIEWS[name];
  showTabs(state, name);
  for (const part of all("[data-view]")) part.hidden = part.dataset.view !== name;
  const container = byId("view");
  container.hidden = !render;
  const address = addressOf({ ...state, ...NOTHING_OPEN });
  if (!render || rendered === address) return;
  if (!rendered) container.replaceChildren(el("p", {}, "Unpacking the results ..."));
  const payload = await data();
  if (address !== addressOf({ ...readAddress(), ...NOTHING_OPEN })) return; // the address has changed meanwhile
  rendered = address;
  const focused = container.contains(document.activeElement) ? document.activeElement?.id : null;
  container.replaceChildren(...nodes(render(payload, state)));
  watchEdges(container);
  if (focused) document.getElementById(focused)?.focus();
}

/** @param {State} state @param {string} current */
function showTabs(state, current) {
  const links = Object.entries(VIEWS).map(([name, { title }]) => el("a", {
    href: addressOf({ ...state, ...NOTHING_OPEN, name: "", operation: "", view: name === DEFAULT_VIEW ? "" : name }),
    "aria-current": name === current && "page",
  }, title));
  const bar = byId("views");
  const focused = [...bar.children].indexOf(/** @type {Element} */ (document.activeElement));
  bar.replaceChildren(...links);
  if (focused >= 0) links[focused].focus();
}

/** Controls with `data-state` write their value into the address. */
export function listenToControls() {
  byId("view").addEventListener("change", ({ target }) => {
    if (!(target instanceof HTMLInputElement || target instanceof HTMLSelectElement) || !target.dataset.state) return;
    const value = target instanceof HTMLInputElement ? (target.checked ? "yes" : "") : target.value;
    go({ [target.dataset.state]: value }, { step: false });
  });
}
