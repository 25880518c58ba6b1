// What opens and closes, and the address that says it.

const panel = document.getElementById("panel");
let opener = null;

function follow() {
  const state = readAddress();
  showFilters(state);
  filter(state);
  showView(state);
  show(state);
  if (!state.case) reveal();
}

/** Go to the clause or claim that the address names, which may be filtered away or folded up when the browser looks. */
function reveal() {
  const named = /^#(claim|clause)\//.test(location.hash) && document.getElementById(decoded(location.hash.slice(1)));
  if (!named) return;
  const folded = named.closest("details");
  if (folded) folded.open = true;
  named.scrollIntoView();
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // not written by this page
  }
}

async function show(state) {
  for (const cell of document.querySelectorAll(".matrix [aria-current]")) cell.removeAttribute("aria-current");
  if (!state.case) {
    close();
    return;
  }
  const all = await data();
  if (addressOf(state) !== addressOf(readAddress())) return; // gone elsewhere meanwhile
  const result = resultFor(all, state);
  panel.replaceChildren(...(result ? panelContent(all, result) : unknown(state)).filter(Boolean));
  panel.hidden = false;
  document.body.classList.add("open");
  for (const list of panel.querySelectorAll(".choices")) {
    const here = list.querySelector(".here");
    if (here) list.scrollTop = here.offsetTop - list.clientHeight / 2;
  }
  panel.scrollTop = 0;
  if (result) markCell(result);
  panel.focus({ preventScroll: true });
}

/** The result that the state names, else one of the same case on the same API, else any of the case. */
function resultFor(all, state) {
  const some = (all.byCase.get(numberOfCase(all, state.case)) ?? []).map((at) => resultAt(all, at));
  const sameApi = some.filter((one) => one.api === state.api);
  return sameApi.find((one) => one.target === state.target) ?? sameApi[0] ?? some[0];
}

function numberOfCase(all, id) {
  const stranger = all.results.strangers.findIndex(([name]) => name === id);
  return all.caseNumber.get(id) ?? (stranger < 0 ? undefined : all.cases.id.length + stranger);
}

function unknown(state) {
  return [
    el("button", { class: "close", type: "button" }, "Close (Esc)"),
    el("h2", { id: "panel-title" }, "Not in these results"),
    el("p", {}, `No result has the case ${state.case}. It may have been renamed, or not selected in this run.`),
    el("p", {}, el("a", { href: addressOf({ q: state.case.split("/")[0] }) }, "Look for its clause")),
  ];
}

/** Open the worst that a cell stands for. */
async function openCell(cell) {
  const table = cell.closest("table");
  const column = table.querySelectorAll(".apis th")[cell.cellIndex - 1];
  const all = await data();
  const { target, api } = column.dataset;
  const worst = worstOf(all, cell.parentElement.dataset.clause, target, api);
  if (worst === undefined) return;
  opener = cell;
  go({ case: caseId(all, all.results.case[worst]), api, target });
}

/** Point out the cell that the open result belongs to. */
function markCell(result) {
  const row = [...document.querySelectorAll("tr.clause")].find((one) => one.dataset.clause === result.clause);
  const columns = [...(row?.closest("table").querySelectorAll(".apis th") ?? [])];
  const place = columns.findIndex((one) => one.dataset.target === result.target && one.dataset.api === result.api);
  const cell = row?.cells[place + 1];
  if (place < 0 || cell.hidden) return;
  cell.setAttribute("aria-current", "true");
  opener = opener?.isConnected ? opener : cell;
  cell.scrollIntoView({ block: "nearest", inline: "nearest" });
}

function close() {
  if (panel.hidden) return;
  panel.hidden = true;
  panel.replaceChildren();
  document.body.classList.remove("open");
  if (opener?.matches("td")) focusCell(opener, { preventScroll: true });
  else opener?.focus({ preventScroll: true });
  opener = null;
}

document.addEventListener("click", (event) => {
  const plain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
  if (event.target.closest?.(".close")) go(NOTHING_OPEN);
  const cell = event.target.closest?.(".matrix td");
  const anchor = event.target.closest?.("a");
  if (plain && cell) openCell(cell);
  if (!plain || !anchor) return;
  if (anchor.matches(".open")) {
    event.preventDefault();
    if (!panel.contains(anchor)) opener = anchor;
    const parts = new URLSearchParams(anchor.hash.slice(1));
    go({ case: parts.get("case"), api: parts.get("api"), target: parts.get("target") });
  } else if (anchor.matches(".jump a, .skip")) {
    event.preventDefault(); // the address keeps the state
    const place = document.getElementById(anchor.hash.slice(1));
    place?.scrollIntoView();
    if (anchor.matches(".skip")) place?.focus();
  }
});

views.set("documents", { title: "Documents" });
for (const part of document.querySelectorAll("[data-scripted]")) part.hidden = false;
for (const name of ["hashchange", "addresschange"]) window.addEventListener(name, follow);
listenToFilters();
listenToKeys();
listenToControls();
follow();
(window.requestIdleCallback ?? setTimeout)(() => data());
