// The search in the text of all pages, with the index that pagefind makes of a published site.

import { el } from "./dom.js";

const MOST_PAGES = 20;

/** @typedef {{ url: string, plain_excerpt: string, meta: { title: string } }} Page */
/** @typedef {{ search(words: string): Promise<{ results: { data(): Promise<Page> }[] }> }} Index */

export function listenToTextSearch() {
  const form = document.getElementById("text");
  const field = /** @type {HTMLInputElement | null} */ (document.getElementById("words"));
  if (!form || !field) return;
  form.hidden = false;
  field.value = new URLSearchParams(location.search).get("q") ?? "";
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    history.replaceState(null, "", `?q=${encodeURIComponent(field.value)}`);
    search(field.value);
  });
  if (field.value) search(field.value);
  field.focus();
}

/** @param {string} words */
async function search(words) {
  const state = /** @type {HTMLElement} */ (document.getElementById("text-state"));
  const list = /** @type {HTMLElement} */ (document.getElementById("text-found"));
  state.textContent = "Searching";
  list.replaceChildren();
  /** @type {Index} */
  let index;
  try {
    index = await import(new URL(`${document.body.dataset.root}pagefind/pagefind.js`, location.href).href);
  } catch {
    state.textContent = "This copy of the site has no index of its text, or is not on a web server.";
    return;
  }
  const { results } = await index.search(words);
  const pages = await Promise.all(results.slice(0, MOST_PAGES).map((result) => result.data()));
  state.textContent = results.length === 0 ? "No page has these words." : results.length === 1 ? "1 page" : `${results.length} pages`;
  list.replaceChildren(...pages.map((page) => el("li", {}, el("a", { href: page.url }, page.meta.title), el("p", {}, page.plain_excerpt))));
}
