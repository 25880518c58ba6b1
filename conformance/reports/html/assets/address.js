// The address holds the whole state: what is open (case, api, target) and what is filtered (q, only, without).

/** The state as the address has it. */
function readAddress() {
  const parts = new URLSearchParams(location.hash.slice(1));
  const list = (name) => parts.getAll(name).filter(Boolean);
  return {
    case: parts.get("case"), api: parts.get("api"), target: parts.get("target"),
    q: parts.get("q") ?? "", only: list("only"), without: list("without"),
  };
}

/** The part of an address after the sign, for a state. */
function addressOf(state) {
  const parts = [];
  for (const name of ["case", "api", "target", "q"]) if (state[name]) parts.push([name, state[name]]);
  for (const name of ["only", "without"]) for (const value of state[name]) parts.push([name, value]);
  return "#" + parts.map(([name, value]) => `${name}=${encodeURIComponent(value).replaceAll("%2F", "/")}`).join("&");
}

/** Go to the state with these changes; a step in the history only where something else is opened. */
function go(changes, { step = true } = {}) {
  const address = addressOf({ ...readAddress(), ...changes });
  if (address === (location.hash || "#")) return;
  history[step ? "pushState" : "replaceState"](null, "", address);
  window.dispatchEvent(new Event("addresschange"));
}
