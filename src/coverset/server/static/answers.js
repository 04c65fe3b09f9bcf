// The three answers side by side, and in words what changed from the nearest documents to NNN's.

import { $, element, percent, short } from "./dom.js";
import { heatmap } from "./heatmap.js";

const TITLES = {
  dense: ["Dense", "the nearest, one by one"],
  mmr: ["MMR", "near, but unlike the last"],
  nnn: ["NNN", "together they cover it"],
};

export function showAnswers(view) {
  for (const name of Object.keys(TITLES)) showAnswer(name, view);
}

function showAnswer(name, view) {
  const answer = view.answers[name];
  const [title, idea] = TITLES[name];
  const largest = Math.max(...answer.hits.map((hit) => hit.weight), 1e-9);
  $(name).replaceChildren(
    element("h2", {}, title, element("span", { class: "quiet" }, idea)),
    element("ol", { class: "hits" }, ...answer.hits.map((hit) => hitItem(name, hit, largest, view))),
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

function hitItem(name, hit, largest, view) {
  const found = view.documents.get(hit.id);
  const bar = element("span", { class: "bar", "aria-hidden": "true" }, element("span"));
  bar.firstChild.style.setProperty("inline-size", `${(100 * Math.max(0, hit.weight)) / largest}%`);
  const weight = element("span", { class: "weight" }, hit.weight.toFixed(2));
  weight.title = { dense: "inner product with the request", mmr: "MMR’s marginal score", nnn: "NNN’s weight" }[name];
  return element(
    "li", { class: `hit ${hit.weight > 0 ? "" : "idle"}`, "data-document": hit.id },
    element(
      "p", { class: "name" },
      element("i", { class: `dot ${view.colour(hit.id)}`, "aria-hidden": "true" }),
      element("span", { class: "id" }, hit.id),
      tag(name, hit, view),
    ),
    textOf(found.text),
    element("p", { class: "measure" }, element("span", { class: "only-spoken" }, "weight "), bar, weight),
  );
}

function tag(name, hit, view) {
  if (name === "dense" && view.leftOut.has(hit.id)) return element("span", { class: "tag out" }, "left out by NNN");
  if (name !== "nnn") return undefined;
  if (view.broughtIn.has(hit.id)) return element("span", { class: "tag in" }, "brought in");
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
  $("headline").textContent = headline(out.length, incoming.length);
  $("left-out").replaceChildren(
    ...listed(out, view, repeated, "nothing: NNN kept all of the nearest"),
  );
  $("brought-in").replaceChildren(
    ...listed(incoming, view, (change) => [
      change.dense_rank ? `only number ${change.dense_rank} among the nearest` : "far down among the nearest",
    ], "nothing: the nearest already cover the request"),
  );
}

// A document can also be redundant without being like any other one: when several together say what it says.
function repeated({ like, cosine }) {
  const other = element("span", { class: "id" }, short(like, 60));
  const share = `${Math.floor(100 * cosine)} %`;
  if (cosine >= 0.6) return [`${share} like `, other, ", which is in"];
  return ["the others leave it little to add; most like ", other, ` (${share})`];
}

function headline(out, incoming) {
  if (!out && !incoming) return "Here the nearest documents are also those that cover the request together.";
  const gone = `NNN left out ${out === 1 ? "one" : out} of the nearest documents`;
  if (!incoming) return `${gone}, which the others already explain.`;
  return `${gone} and brought in ${incoming === 1 ? "one that was" : `${incoming} that were`} missing.`;
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
