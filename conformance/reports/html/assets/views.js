// The views: each has a title, and all but those that are in the page from the start a function that makes their nodes.

const views = new Map([
  ["overview", { title: "Overview" }],
]);

const DEFAULT_VIEW = "overview";
let rendered = null; // the state that the view on the page was made from

function viewOf(state) {
  if (/^#claim\//.test(location.hash)) return "documents";
  return views.has(state.view) ? state.view : DEFAULT_VIEW;
}

/** Show the view that the state asks for. */
async function showView(state) {
  const name = viewOf(state);
  showTabs(state, name);
  for (const part of document.querySelectorAll("[data-view]")) part.hidden = part.dataset.view !== name;
  const place = document.getElementById("view");
  place.hidden = !views.get(name).render;
  if (place.hidden) return;
  const asked = addressOf({ ...state, ...NOTHING_OPEN });
  if (rendered === asked) return;
  if (!rendered) place.replaceChildren(el("p", {}, "Unpacking the results ..."));
  const all = await data();
  if (asked !== addressOf({ ...readAddress(), ...NOTHING_OPEN })) return; // gone elsewhere meanwhile
  rendered = asked;
  const focused = place.contains(document.activeElement) ? document.activeElement.id : null;
  place.replaceChildren(...[views.get(name).render(all, state)].flat(Infinity).filter(Boolean));
  if (focused) document.getElementById(focused)?.focus();
}

function showTabs(state, current) {
  const links = [...views].map(([name, { title }]) => el("a", {
    href: addressOf({ ...state, ...NOTHING_OPEN, view: name === DEFAULT_VIEW ? "" : name }),
    "aria-current": name === current && "page",
  }, title));
  const bar = document.getElementById("views");
  const focused = [...bar.children].indexOf(document.activeElement);
  bar.replaceChildren(...links);
  if (focused >= 0) bar.children[focused].focus();
}
