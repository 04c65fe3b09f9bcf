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
  const letters = text.normalize("NFC").match(/\P{M}?\p{M}*/gu).filter(Boolean);
  const folded = letters.map(fold);
  const names = [...holders.keys()].map((word) => ({ word, name: word.match(/\P{M}?\p{M}*/gu).map(fold).join("") }));
  names.sort((a, b) => b.name.length - a.name.length);
  const cut = [{ text: "" }];
  for (let at = 0; at < letters.length; ) {
    const found = breaks(letters, at) && names.map(({ word, name }) => ({ word, end: end(folded, at, name) }))
      .find(({ end }) => end && breaks(letters, end));
    if (found) cut.push({ text: letters.slice(at, found.end).join(""), word: found.word }, { text: "" });
    else cut.at(-1).text += letters[at];
    at = found ? found.end : at + 1;
  }
  return cut.filter(({ text }) => text);
}

// A letter as words are compared by: whatever its case and its form, and ß as ss, which no small letter alone tells.
function fold(letter) {
  return letter.normalize("NFKC").replace("\u2019", "'").toLowerCase().toUpperCase().toLowerCase();
}

// Where a name that begins here ends; 0: it does not begin here.
function end(folded, at, name) {
  let said = "";
  while (at < folded.length && said.length < name.length) said += folded[at++];
  return said === name ? at : 0;
}

const UNSPACED = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}ー]/u;
const HANGUL = /^\p{sc=Hangul}/u;

// Whether a word may begin or end before this letter, as identifiers come apart and scripts change within a run.
function breaks(letters, at) {
  const [before, here, after] = [at - 1, at, at + 1].map((n) => letters[n] ?? " ");
  const both = (kind) => kind.test(before) && kind.test(here);
  if (both(/^\p{Nd}/u)) return false;
  if (!both(/^\p{L}/u) || UNSPACED.test(before) || UNSPACED.test(here)) return true;
  if (HANGUL.test(before) !== HANGUL.test(here)) return true;
  return /^\p{Lu}/u.test(here) && (!/^\p{Lu}/u.test(before) || /^\p{Ll}/u.test(after));
}

function mark({ text, word }, holders, view) {
  if (word === undefined) return text;
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
