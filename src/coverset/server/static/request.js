// The request as it was read: its words, each in the colour of a document that has it, and its parts, to be edited.

import { $, element, short } from "./dom.js";

export function showRequest(view, parts, change) {
  const answer = view.answers.nnn;
  showWords(view, answer);
  $("parts").replaceChildren(...chips(view, answer, parts ?? answer.parts.map((part) => part.text), change));
  $("told-parts").hidden = parts === null;
  $("parts-note").textContent = parts === null && !answer.parts.length ? "It is taken as one thing." : "";
}

function showWords(view, answer) {
  const holders = new Map();
  for (const hit of answer.hits) {
    for (const word of hit.words) holders.set(word, [...(holders.get(word) ?? []), hit.id]);
  }
  for (const word of answer.uncovered_words) holders.set(word, []);
  for (const word of answer.unknown_words) holders.set(word, null);
  $("words").hidden = $("words-note").hidden = !holders.size;
  $("words").replaceChildren(...pieces(view.query, holders).map((piece) => mark(piece, holders, view)));
  $("words-note").textContent = [
    answer.unknown_words.length && `No document has: ${answer.unknown_words.join(", ")}.`,
    answer.uncovered_words.length && `In other documents, but none of these: ${answer.uncovered_words.join(", ")}.`,
  ].filter(Boolean).join(" ");
}

// The text cut at its words; those that are known by the name they go by are named.
function pieces(text, holders) {
  const names = [...holders.keys()].sort((a, b) => b.length - a.length).map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  if (!names.length) return [{ text }];
  const cut = text.split(new RegExp(`(?<![\\p{Ll}\\p{M}])(${names.join("|")})(?![\\p{Ll}\\p{M}])`, "giu"));
  return cut.map((part, n) => ({ text: part, word: n % 2 ? part.toLowerCase() : undefined }));
}

function mark({ text, word }, holders, view) {
  if (word === undefined || !holders.has(word)) return text;
  const ids = holders.get(word);
  if (ids === null) return element("span", { class: "word unknown", title: "no document has this word" }, text);
  if (!ids.length) return element("span", { class: "word bare", title: "none of these documents has this word" }, text);
  return element(
    "span",
    {
      class: `word ${view.colour(ids[0])}`, "data-documents": JSON.stringify(ids),
      title: `in ${ids.map((id) => short(id, 40)).join(", ")}`,
    },
    text,
  );
}

function chips(view, answer, parts, change) {
  return parts.map((part, n) => {
    const served = answer.parts.find((each) => each.text === part)?.served_by ?? [];
    const text = element("input", { type: "text", value: part, "aria-label": `Part ${n + 1}`, maxlength: 2000 });
    text.style.setProperty("inline-size", `${Math.min(44, Math.max(6, part.length + 1))}ch`);
    text.addEventListener("change", () => change(parts.map((old, m) => (m === n ? text.value : old))));
    const drop = element("button", { type: "button", "aria-label": `Without part ${n + 1}` }, "×");
    drop.addEventListener("click", () => change(parts.filter((_, m) => m !== n)));
    return element(
      "li", { class: `chip ${served.length ? "" : "unserved"}` },
      ...served.map((id) =>
        element("i", { class: `dot ${view.colour(id)}`, "data-document": id, title: `served by ${short(id, 60)}` })),
      text,
      element("span", { class: "only-spoken" }, served.length ? `served by ${served.join(", ")}` : "served by none"),
      !served.length && element("span", { class: "quiet", "aria-hidden": "true" }, "none serves it"),
      drop,
    );
  });
}
