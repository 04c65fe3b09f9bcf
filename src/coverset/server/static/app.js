// The page: reads its state from the address, asks the service, and shows the answer.

import { showAnswers, showVerdict } from "./answers.js";
import { call, key, Refused } from "./api.js";
import { cover } from "./cover.js";
import { $ } from "./dom.js";
import { COLOURS, families } from "./families.js";
import { path, pathList } from "./path.js";
import { showRequest } from "./request.js";
import { distinct, L1, L2, MOST, read, state, toPosition, toValue, write } from "./state.js";

const WAIT = 60; // milliseconds a slider rests before the service is asked
const RANGES = { l1: L1, l2: L2 };
let defaults = {};
let own = "Automatic"; // what this store does when it is told nothing
let timer = 0;
let shown = null; // the last view
let drawn = null; // the l1 path of `drawnFor`
let drawnFor = "";
let moveMarker = () => {};

function viewOf(query, answer) {
  const documents = new Map(answer.documents.map((document, row) => [document.id, { ...document, row }]));
  const row = (id) => documents.get(id).row;
  const order = [...new Set(["nnn", "dense", "mmr"].flatMap((name) => answer.answers[name].hits.map((hit) => row(hit.id))))];
  const family = families(order, answer.similarity);
  return {
    query,
    answer,
    answers: answer.answers,
    documents,
    leftOut: new Set(answer.left_out.map((change) => change.id)),
    broughtIn: new Set(answer.brought_in.map((change) => change.id)),
    cosine: (a, b) => answer.similarity[row(a)][row(b)],
    colour: (id) => {
      const number = documents.has(id) ? family.get(row(id)) : undefined;
      return number === undefined || number >= COLOURS ? "f0" : `f${number + 1}`;
    },
  };
}

async function search() {
  clearTimeout(timer);
  $("intro").hidden = Boolean(state.q.trim());
  if (!state.q.trim()) {
    $("results").hidden = true;
    return;
  }
  if (state.k < 1) {
    refuse(`Documents must be a whole number from 1 to ${MOST}, got ${state.k}`);
    return;
  }
  const { q: query, k, l1, l2, relevance, parts } = state;
  const wanted = JSON.stringify([query, l2]);
  document.body.setAttribute("aria-busy", "true");
  try {
    const answer = await call("compare", "v1/compare", {
      query, k: Math.min(k, MOST), relevance, ...(l1 !== null && { l1 }), ...(l2 !== null && { l2 }), ...(parts && { parts }),
      path: wanted !== drawnFor,
    });
    if (k !== state.k) return; // another number is being asked for, or none that can be
    if (answer.path) [drawn, drawnFor] = [answer.path, wanted];
    trouble("");
    show(viewOf(query, answer));
  } catch (error) {
    if (error.name === "AbortError") return;
    if (error instanceof Refused && error.status === 401) $("key-row").hidden = false;
    trouble(error instanceof Refused ? error.message : "The service does not answer. Is it still running?");
  }
  document.body.removeAttribute("aria-busy");
}

// What cannot be asked for gets no answer, only the controls to change it with.
function refuse(message) {
  $("results").hidden = false;
  $("results").classList.add("unanswered");
  document.body.removeAttribute("aria-busy");
  trouble(message);
}

// A strength as it was asked for, or as it was chosen for the request that is shown.
const strength = (name) => state[name] ?? shown?.answer[name] ?? RANGES[name].low;

function show(view) {
  shown = view;
  $("results").hidden = false;
  $("results").classList.remove("unanswered");
  toControls();
  showRequest(view, state.parts, (parts) => partsChanged(parts));
  showVerdict(view);
  showAnswers(view);
  $("cover").replaceChildren(cover(view));
  showPath(view);
  const { answered, certified, gap, passes } = view.answers.nnn;
  $("certificate").textContent = !answered ? "" : certified
    ? `NNN’s answer is proved optimal over all ${view.answer.searched} documents (duality gap below ${Math.max(gap, 1e-15).toExponential(0)}), after ${passes} ${passes === 1 ? "pass" : "passes"}.`
    : `NNN’s answer is the best among the nearest of ${view.answer.searched} documents, without a certificate for the rest.`;
}

function showPath(view) {
  if (!drawn) return;
  const { figure, move } = path(drawn, view, strength("l1"), Math.max(300, Math.min(1080, $("path").clientWidth)));
  moveMarker = move;
  $("path").replaceChildren(figure);
  $("path-list").replaceChildren(...pathList(drawn));
}

function trouble(message) {
  $("trouble").textContent = message;
  $("trouble").hidden = !message;
}

function toControls() {
  if (document.activeElement !== $("k")) $("k").value = state.k;
  $("relevance").value = Math.round(100 * state.relevance);
  label();
}

function label() {
  const said = (value) => String(Number(value.toPrecision(2)));
  for (const name of ["l1", "l2"]) {
    const unknown = state[name] === null && !shown;
    const text = unknown ? "" : said(strength(name));
    if (document.activeElement !== $(name) || state[name] === null) $(name).value = toPosition(strength(name), RANGES[name]);
    $(`${name}-value`).textContent = text;
    $(name).setAttribute("aria-valuetext", state[name] === null ? `${text}, ${own.toLowerCase()}` : text);
  }
  $("relevance-value").textContent = said(state.relevance);
  $("relevance").setAttribute("aria-valuetext", said(state.relevance));
  $("k-note").textContent = state.k > MOST ? `at most ${MOST} are shown` : "";
  const left = state.l1 === null && state.l2 === null;
  $("auto").setAttribute("aria-pressed", String(left));
  $("auto").textContent = own;
  $("auto-note").textContent = left ? "l1 and l2 as a search takes them" : "l1 and l2 as you have set them; press to let go";
  moveMarker(strength("l1"));
}

function changed(isNew = false) {
  write(isNew);
  label();
  clearTimeout(timer);
  timer = setTimeout(search, WAIT);
}

function partsChanged(parts) {
  state.parts = parts && distinct(parts);
  changed(true);
}

function listen() {
  $("ask").addEventListener("submit", (event) => {
    event.preventDefault();
    if (state.q !== $("request").value) state.parts = null; // they were another request's
    state.q = $("request").value;
    if (!$("key-row").hidden) key($("key").value);
    write(true);
    search();
  });
  for (const name of ["l1", "l2"]) {
    $(name).addEventListener("input", () => {
      // The other one stays where it is seen to be.
      for (const each of ["l1", "l2"]) state[each] ??= toValue(toPosition(strength(each), RANGES[each]), RANGES[each]);
      state[name] = toValue($(name).value, RANGES[name]);
      changed();
    });
  }
  $("relevance").addEventListener("input", () => changed((state.relevance = Number($("relevance").value) / 100) < 0));
  $("k").addEventListener("input", () => {
    const k = Number.parseInt($("k").value, 10);
    if (!Number.isFinite(k)) return;
    state.k = k;
    changed();
  });
  $("k").addEventListener("blur", () => ($("k").value = state.k));
  $("auto").addEventListener("click", () => {
    state.l1 = state.l2 = null;
    changed();
  });
  $("add-part").addEventListener("click", () => {
    const parts = state.parts ?? shown.answers.nnn.parts.map((part) => part.text);
    showRequest(shown, [...parts, ""], (edited) => partsChanged(edited));
    $("parts").lastElementChild.querySelector("input").focus();
  });
  $("told-parts").addEventListener("click", () => partsChanged(null));
  $("copy").addEventListener("click", async () => {
    // Browsers hand out the clipboard only over TLS and on this machine.
    await navigator.clipboard?.writeText(location.href);
    $("copied").textContent = navigator.clipboard ? "copied" : "the address of this page is the link";
    setTimeout(() => ($("copied").textContent = ""), 4000);
  });
  window.addEventListener("popstate", restore);
  window.addEventListener("resize", () => shown && showPath(shown));
  for (const [over, lit] of [["pointerover", true], ["pointerout", false], ["focusin", true], ["focusout", false]]) {
    document.addEventListener(over, (event) => light(event.target, lit));
  }
}

// A document under the pointer lights up wherever else it is on the page.
function light(target, lit) {
  const id = target.closest?.("[data-document]")?.dataset.document;
  if (id === undefined) return;
  for (const node of document.querySelectorAll("[data-document]")) {
    if (node.dataset.document === id) node.classList.toggle("lit", lit);
  }
  for (const word of document.querySelectorAll("[data-documents]")) {
    if (JSON.parse(word.dataset.documents).includes(id)) word.classList.toggle("lit", lit);
  }
}

function restore() {
  read(defaults);
  $("request").value = state.q;
  $("k").value = state.k;
  toControls();
  search();
}

async function start() {
  listen();
  $("go").disabled = false; // until here, Enter would have sent the words to the server in an address
  let typed = false;
  $("request").addEventListener("input", () => (typed = true), { once: true });
  try {
    const store = await call("store", "v1/store");
    $("store").textContent = `${store.documents} documents · ${store.encoder}`;
    const { decoder, l1, l2, relevance } = store.default;
    if (store.configured && decoder === "mmr") defaults = { relevance };
    if (store.configured && decoder === "nnn" && (l1 ?? l2 ?? null) !== null) own = "As this store is tuned";
  } catch (error) {
    if (error instanceof Refused && error.status === 401) $("key-row").hidden = false;
  }
  if (!typed) restore();
}

toControls();
start();
