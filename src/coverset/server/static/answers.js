// The three answers side by side, and in words what changed from the nearest documents to NNN's.

import { $, element, percent, short } from "./dom.js";
import { heatmap } from "./heatmap.js";

const MUCH = 0.6; // as `explaining/reasons.py` has it
const TITLES = {
  dense: ["Dense", "the nearest in meaning"],
  mmr: ["MMR", "near, but unlike the last"],
  nnn: ["NNN", "together they cover it"],
};

export function showAnswers(view) {
  $("bars-note").textContent = view.answers.nnn.share
    ? "A bar is how much of the request a document explains by itself, by words and meaning; for Dense and MMR, which go by meaning alone, how much of its meaning."
    : "A bar is how much of the request a document explains by itself.";
  for (const name of Object.keys(TITLES)) showAnswer(name, view);
}

function showAnswer(name, view) {
  const answer = view.answers[name];
  const [title, idea] = TITLES[name];
  $(name).replaceChildren(
    element("h2", {}, title, element("span", { class: "quiet" }, idea)),
    element("ol", { class: "hits" }, ...answer.hits.map((hit) => hitItem(name, hit, view))),
    element(
      "div", { class: "alike" },
      heatmap(answer.hits.map((hit) => hit.id), view),
      element(
        "p", {},
        element("strong", {}, answer.redundancy.toFixed(2)), " alike on average",
        element("br"),
        element("strong", {}, percent(answer.covered)), " of the request covered",
      ),
    ),
  );
}

function hitItem(name, hit, view) {
  const bar = element("span", { class: "bar", "aria-hidden": "true" }, element("span"));
  bar.firstChild.style.setProperty("inline-size", `${100 * hit.score}%`);
  const score = element("span", { class: "score" }, percent(hit.score));
  const weight = { dense: "inner product", mmr: "MMR’s marginal score", nnn: "NNN’s weight" }[name];
  const whole = view.answers.nnn.share && !view.answers[name].share ? "the request’s meaning" : "the request";
  score.title = `how much of ${hit.part === null ? whole : "its part"} it explains by itself; ${weight}: ${hit.weight.toFixed(3)}`;
  return element(
    "li", { class: `hit ${hit.weight > 0 ? "" : "idle"}`, "data-document": hit.id },
    element(
      "p", { class: "name" },
      element("i", { class: `dot ${view.colour(hit.id)}`, "aria-hidden": "true" }),
      element("span", { class: "id" }, hit.id),
      tag(name, hit, view),
    ),
    textOf(view.documents.get(hit.id).text),
    hit.part !== null && element("p", { class: "for" }, `for “${short(hit.part, 60)}”`),
    standsFor(hit.alike),
    element("p", { class: "measure" }, element("span", { class: "only-spoken" }, "score "), bar, score),
  );
}

// The documents so alike to a hit that it stands for them: named, so that nothing is hidden.
function standsFor(alike) {
  if (!alike.length) return undefined;
  return element(
    "details", { class: "kind" },
    element("summary", {}, `stands for ${alike.length} more of its kind`),
    ...alike.map((id) => element("span", { class: "id" }, id)),
  );
}

function tag(name, hit, view) {
  if (name === "dense" && view.leftOut.has(hit.id)) return element("span", { class: "tag out" }, "left out");
  if (name !== "nnn") return undefined;
  if (view.broughtIn.has(hit.id)) return element("span", { class: "tag in" }, "not among the nearest");
  return hit.weight > 0 ? undefined : element("span", { class: "tag" }, "only fills up");
}

function textOf(text) {
  const paragraph = element("p", { class: "text" }, text);
  if (text.length <= 140) return paragraph;
  const more = element("button", { type: "button", class: "more", "aria-expanded": "false" }, "read all");
  paragraph.classList.add("cut");
  more.addEventListener("click", () => {
    const open = paragraph.classList.toggle("cut");
    more.textContent = open ? "read all" : "less";
    more.setAttribute("aria-expanded", String(!open));
  });
  return element("div", {}, paragraph, more);
}

export function showVerdict(view) {
  const out = view.answer.left_out;
  const incoming = view.answer.brought_in;
  document.querySelector(".changes").hidden = !view.answers.nnn.answered;
  $("headline").textContent = headline(view, out.length, incoming.length);
  $("left-out").replaceChildren(...listed(out, view, repeated, "none: all of the nearest are in"));
  $("brought-in").replaceChildren(
    ...listed(incoming, view, ({ dense_rank: rank }) => [
      rank ? `number ${rank} by nearness in meaning` : "far down by nearness in meaning",
    ], "none: the answer is made of the nearest"),
  );
}

// Of a document that was left out nobody knows more than how alike it is to one that is in.
function repeated({ like, cosine }) {
  if (cosine < MUCH) return ["ranks below those that are in"];
  const other = element("span", { class: "id" }, short(like, 60));
  return ["says much of what ", other, ` says (${Math.floor(100 * cosine)} % alike)`];
}

function headline(view, out, incoming) {
  if (!view.answers.nnn.answered) return "Nothing here seems to answer this. A search returns the nearest there is.";
  if (!out && !incoming) return "The nearest documents are also those that cover the request together.";
  const near = view.answers.dense.hits.length;
  return `Of the ${near} nearest, ${near - out} ${near - out === 1 ? "is" : "are"} in the answer, with ${incoming} that ${incoming === 1 ? "is" : "are"} not among them.`;
}

function listed(changes, view, reason, nothing) {
  if (!changes.length) return [element("li", { class: "quiet" }, nothing)];
  return changes.map((change) =>
    element(
      "li", { "data-document": change.id },
      element("i", { class: `dot ${view.colour(change.id)}`, "aria-hidden": "true" }),
      element("span", { class: "id" }, short(change.id, 60)),
      element("span", { class: "quiet" }, ...reason(change)),
    ),
  );
}
