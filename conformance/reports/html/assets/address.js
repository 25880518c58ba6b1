// The address holds the whole state: the view, what is open in the panel, what is searched and filtered.

const SINGLE = ["view", "case", "api", "target", "q", "ask", "line", "before", "after", "every"];
const LISTS = ["only", "without", "with", "port", "stand"];
const NOTHING_OPEN = { case: null, api: null, target: null };

/** The state as the address has it. */
function readAddress() {
  const parts = new URLSearchParams(location.hash.slice(1));
  const state = {};
  for (const name of SINGLE) state[name] = parts.get(name) ?? "";
  for (const name of LISTS) state[name] = parts.getAll(name).filter(Boolean);
  return state;
}

/** The part of an address after the sign, for a state. */
function addressOf(state) {
  const parts = [];
  for (const name of SINGLE) if (state[name]) parts.push([name, state[name]]);
  for (const name of LISTS) for (const value of state[name] ?? []) parts.push([name, value]);
  return "#" + parts.map(([name, value]) => `${name}=${encodeURIComponent(value).replaceAll("%2F", "/")}`).join("&");
}

/** Go to the state with these changes; a step in the history only where something else is opened. */
function go(changes, { step = true } = {}) {
  const address = addressOf({ ...readAddress(), ...changes });
  if (address === (location.hash || "#")) return;
  history[step ? "pushState" : "replaceState"](null, "", address);
  window.dispatchEvent(new Event("addresschange"));
}
