// Filters the list of findings by framework, by what is wrong, and by whether it is reported.

/** @typedef {{ framework: string, danger: string, reported: string }} Choice */

export function listenToFilters() {
  const form = /** @type {HTMLFormElement | null} */ (document.getElementById("filters"));
  if (!form) return;
  form.hidden = false;
  const selects = [...form.querySelectorAll("select")];
  const asked = new URLSearchParams(location.search);
  for (const select of selects) {
    const value = asked.get(select.name) ?? "";
    if ([...select.options].some((option) => option.value === value)) select.value = value;
  }
  const apply = () => {
    const choice = /** @type {Choice} */ (Object.fromEntries(selects.map(({ name, value }) => [name, value])));
    filter(choice, /** @type {HTMLOutputElement} */ (form.querySelector("output")));
  };
  form.addEventListener("change", () => {
    const chosen = new URLSearchParams(selects.filter(({ value }) => value).map(({ name, value }) => [name, value]));
    history.replaceState(null, "", `${location.pathname}${chosen.size > 0 ? `?${chosen}` : ""}`);
    apply();
  });
  apply();
}

/** @param {Choice} choice @param {HTMLOutputElement} output */
function filter({ framework, danger, reported }, output) {
  let [shown, all] = [0, 0];
  for (const section of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("section[data-danger]"))) {
    const items = /** @type {HTMLElement[]} */ ([...section.querySelectorAll("li[data-framework]")]);
    for (const item of items) {
      item.hidden = (danger !== "" && section.dataset.danger !== danger) ||
        (framework !== "" && item.dataset.framework !== framework) || (reported !== "" && item.dataset.reported !== reported);
    }
    const left = items.filter((item) => !item.hidden).length;
    section.hidden = left === 0;
    [shown, all] = [shown + left, all + items.length];
  }
  output.textContent = shown === all ? `${all} causes` : `${shown} of ${all} causes`;
}
