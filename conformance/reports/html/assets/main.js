// What opens and closes, and the address that says it.

const panel = document.getElementById("panel");
let opener = null;

function follow() {
  const state = readAddress();
  showFilters(state);
  filter(state);
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
  for (const cell of document.querySelectorAll(".cell[aria-current]")) cell.removeAttribute("aria-current");
  if (!state.case) {
    close();
    return;
  }
  const all = await data();
  if (addressOf(state) !== addressOf(readAddress())) return; // gone elsewhere meanwhile
  const some = all.byCase.get(state.case) ?? [];
  const sameApi = some.filter((one) => one.api === state.api);
  const result = sameApi.find((one) => one.target === state.target) ?? sameApi[0] ?? some[0];
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

function unknown(state) {
  return [
    el("button", { class: "close", type: "button" }, "Close (Esc)"),
    el("h2", { id: "panel-title" }, "Not in these results"),
    el("p", {}, `No result has the case ${state.case}. It may have been renamed, or not selected in this run.`),
  ];
}

/** Point out the cell that the open result belongs to. */
function markCell(result) {
  const row = [...document.querySelectorAll("tr.clause")].find((one) => one.dataset.clause === result.clause);
  const cells = [...(row?.querySelectorAll("td") ?? [])];
  const cell = cells.find((one) => one.dataset.target === result.target && one.dataset.api === result.api);
  const anchor = cell?.querySelector(".cell");
  if (!anchor) return;
  anchor.setAttribute("aria-current", "true");
  opener = opener?.isConnected ? opener : anchor;
  anchor.scrollIntoView({ block: "nearest", inline: "nearest" });
}

function close() {
  if (panel.hidden) return;
  panel.hidden = true;
  panel.replaceChildren();
  document.body.classList.remove("open");
  opener?.focus({ preventScroll: true });
  opener = null;
}

document.addEventListener("click", (event) => {
  const plain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
  const anchor = event.target.closest?.("a");
  if (event.target.closest?.(".close")) go({ case: null, api: null, target: null });
  if (!plain || !anchor) return;
  if (anchor.matches(".cell, .open")) {
    event.preventDefault();
    if (!panel.contains(anchor)) opener = anchor;
    const parts = new URLSearchParams(anchor.hash.slice(1));
    go({ case: parts.get("case"), api: parts.get("api"), target: parts.get("target") });
  } else if (anchor.matches(".jump a, .skip")) {
    event.preventDefault(); // the address keeps the state
    document.getElementById(anchor.hash.slice(1))?.scrollIntoView();
  }
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !panel.hidden) go({ case: null, api: null, target: null });
});

for (const name of ["hashchange", "addresschange"]) window.addEventListener(name, follow);
listenToFilters();
follow();
