// What the page shows, and its place in the address: everything after #, so it never reaches a server's log.

export const L1 = { low: 0.005, high: 0.6 };
export const L2 = { low: 0.01, high: 100 };
export const MOST = 20;
const MOST_PARTS = 16;

// Strengths and parts that are null are left to the service, as a search leaves them.
const UNSAID = { k: 5, l1: null, l2: null, relevance: 0.7, parts: null };
export const state = { q: "", ...UNSAID };

const inside = (value, { low, high }) => Math.min(high, Math.max(low, value));
const rounded = (value) => Number(value.toPrecision(3));

// Sliders are logarithmic: a position from 0 to 1000 for a value from low to high.
export const toPosition = (value, { low, high }) =>
  Math.round((1000 * Math.log(inside(value, { low, high }) / low)) / Math.log(high / low));
export const toValue = (position, { low, high }) => rounded(low * (high / low) ** (position / 1000));

export function read(defaults = {}) {
  const given = new URLSearchParams(location.hash.slice(1));
  const number = (name, fallback, range) => {
    const value = Number.parseFloat(given.get(name) ?? "");
    return Number.isFinite(value) ? inside(value, range) : fallback;
  };
  Object.assign(state, UNSAID, defaults);
  state.q = (given.get("q") ?? "").slice(0, 2000);
  state.k = Math.trunc(number("k", state.k, { low: -Infinity, high: Infinity })); // as asked for: what is wrong with it is told
  state.l1 = number("l1", state.l1, L1);
  state.l2 = number("l2", state.l2, L2);
  state.relevance = number("relevance", state.relevance, { low: 0, high: 1 });
  if (given.has("part")) state.parts = distinct(given.getAll("part"));
}

// The parts as the service takes them: none that is empty or there twice.
export function distinct(parts) {
  return [...new Set(parts.map((part) => part.trim()).filter(Boolean))].slice(0, MOST_PARTS);
}

export function write(isNew) {
  const { parts, ...rest } = state;
  const said = Object.entries(rest).filter(([, value]) => value !== null);
  // An empty part tells parts that were all taken away from parts that were never given.
  for (const part of parts?.length ? parts : parts ? [""] : []) said.push(["part", part]);
  const hash = `#${new URLSearchParams(said)}`;
  if (hash === location.hash) return;
  if (isNew) history.pushState(null, "", hash);
  else history.replaceState(null, "", hash);
}
