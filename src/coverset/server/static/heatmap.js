// How alike an answer's documents are, pair by pair, as a small grid of squares.

import { shape, short } from "./dom.js";

const CELL = 14;

export function heatmap(ids, view) {
  const side = ids.length * CELL;
  const cells = ids.flatMap((row, y) => ids.map((column, x) => cell(row, column, x, y, view)));
  return shape(
    "svg",
    { class: "heatmap", viewBox: `-1 -1 ${side + 2} ${side + 2}`, role: "img", "aria-label": spoken(ids, view) },
    ...cells,
  );
}

function cell(row, column, x, y, view) {
  const cosine = Math.max(0, Math.min(1, view.cosine(row, column)));
  return shape(
    "rect",
    {
      x: x * CELL, y: y * CELL, width: CELL - 1, height: CELL - 1, rx: 2,
      class: x === y ? "self" : "pair", "fill-opacity": x === y ? 1 : (0.06 + 0.94 * cosine ** 2).toFixed(3),
    },
    shape("title", {}, x === y ? short(row, 60) : `${short(row, 40)} and ${short(column, 40)}: ${cosine.toFixed(2)}`),
  );
}

function spoken(ids, view) {
  const pairs = ids.flatMap((a, i) => ids.slice(i + 1).map((b) => [a, b, view.cosine(a, b)]));
  if (!pairs.length) return "only one document";
  const [a, b, cosine] = pairs.reduce((best, pair) => (pair[2] > best[2] ? pair : best));
  return `similarity of the documents; most alike: ${short(a, 40)} and ${short(b, 40)}, ${cosine.toFixed(2)}`;
}
