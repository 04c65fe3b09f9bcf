// The page: reads its state from the address, asks the service, and shows the answer.

import { showAnswers, showVerdict } from "./answers.js";
import { call, key, Refused } from "./api.js";
import { cover } from "./cover.js";
import { $ } from "./dom.js";
import { COLOURS, families } from "./families.js";
import { path, pathList } from "./path.js";
import { L1, L2, MOST, read, state, toPosition, toValue, write } from "./state.js";

const WAIT = 60; // milliseconds a slider rests before the service is asked
let defaults = {};
let timer = 0;
let shown = null; // the last view
let drawn = null; // the l1 path of `drawnFor`
let drawnFor = "";
let moveMarker = () => {};

function viewOf(answer) {
  const documents = new Map(answer.documents.map((document, row) => [document.id, { ...document, row }]));
  const row = (id) => documents.get(id).row;
  const order = [...new Set(["nnn", "dense", "mmr"].flatMap((name) => answer.answers[name].hits.map((hit) => row(hit.id))))];
  const family = families(order, answer.similarity);
  return {
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

async function search(chosen = true) {
  clearTimeout(timer);
  $("intro").hidden = Boolean(state.q.trim());
  if (!state.q.trim()) {
    $("results").hidden = true;
    return;
  }
  const wanted = JSON.stringify([state.q, state.l2]);
  const { q: query, k, l1, l2, relevance } = state;
  document.body.setAttribute("aria-busy", "true");
  try {
    const answer = await call("compare", "v1/compare", {
      query, k, relevance, ...(chosen && { l1, l2 }), path: !chosen || wanted !== drawnFor,
    });
    if (!chosen) follow(answer);
    if (answer.path) [drawn, drawnFor] = [answer.path, JSON.stringify([state.q, state.l2])];
    trouble("");
    show(viewOf(answer));
  } catch (error) {
    if (error.name === "AbortError") return;
    if (error instanceof Refused && error.status === 401) $("key-row").hidden = false;
    trouble(error instanceof Refused ? error.message : "The service does not answer. Is it still running?");
  }
  document.body.removeAttribute("aria-busy");
}

// The sliders go to the strengths that were chosen for the request, as far as they reach.
function follow(answer) {
  state.l1 = toValue(toPosition(answer.l1 ?? state.l1, L1), L1);
  state.l2 = toValue(toPosition(answer.l2 ?? state.l2, L2), L2);
  toControls();
  write(false);
}

function show(view) {
  shown = view;
  $("results").hidden = false;
  showVerdict(view);
  showAnswers(view);
  $("cover").replaceChildren(cover(view));
  showPath(view);
  const { certified, gap, passes } = view.answers.nnn;
  $("certificate").textContent = certified
    ? `NNN’s answer is proved optimal over all ${view.answer.searched} documents (duality gap below ${Math.max(gap, 1e-15).toExponential(0)}), after ${passes} ${passes === 1 ? "pass" : "passes"}.`
    : "NNN’s answer is not certified.";
}

function showPath(view) {
  if (!drawn) return;
  const { figure, move } = path(drawn, view, state.l1, Math.max(300, Math.min(1080, $("path").clientWidth)));
  moveMarker = move;
  $("path").replaceChildren(figure);
  $("path-list").replaceChildren(...pathList(drawn));
}

function trouble(message) {
  $("trouble").textContent = message;
  $("trouble").hidden = !message;
}

function toControls() {
  $("request").value = state.q;
  $("k").value = state.k;
  $("l1").value = toPosition(state.l1, L1);
  $("l2").value = toPosition(state.l2, L2);
  $("relevance").value = Math.round(100 * state.relevance);
  label();
}

function label() {
  for (const name of ["l1", "l2", "relevance"]) {
    const text = String(Number(state[name].toPrecision(2)));
    $(`${name}-value`).textContent = text;
    $(name).setAttribute("aria-valuetext", text);
  }
  moveMarker(state.l1);
}

function changed(isNew = false) {
  write(isNew);
  label();
  clearTimeout(timer);
  timer = setTimeout(search, WAIT);
}

function listen() {
  $("ask").addEventListener("submit", (event) => {
    event.preventDefault();
    state.q = $("request").value;
    if (!$("key-row").hidden) key($("key").value);
    write(true);
    search();
  });
  $("l1").addEventListener("input", () => changed((state.l1 = toValue($("l1").value, L1)) < 0));
  $("l2").addEventListener("input", () => changed((state.l2 = toValue($("l2").value, L2)) < 0));
  $("relevance").addEventListener("input", () => changed((state.relevance = Number($("relevance").value) / 100) < 0));
  $("k").addEventListener("input", () => {
    const k = Number.parseInt($("k").value, 10);
    if (k >= 1 && k <= MOST) changed((state.k = k) < 0);
  });
  $("auto").addEventListener("click", () => search(false));
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
}

function restore() {
  read(defaults);
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
    if (store.configured) defaults = decoder === "nnn" ? { l1, l2 } : decoder === "mmr" ? { relevance } : {};
  } catch (error) {
    if (error instanceof Refused && error.status === 401) $("key-row").hidden = false;
  }
  if (!typed) restore();
}

toControls();
start();
