// The l1 path: every document's weight as the entry bar falls, at the present l2.

import { element, shape, short } from "./dom.js";

const FRAME = { left: 44, right: 170, top: 14, bottom: 40, height: 320 };
// Names shown: those in the answers, then the heaviest of the rest.
const LABELS = 10;

// Draws for the width there is, so that letters keep their size on a phone.
export function path(drawn, view, l1, width) {
  const narrow = width < 560;
  const frame = { ...FRAME, width, right: narrow ? 112 : FRAME.right, height: narrow ? 280 : FRAME.height };
  const [first, last] = [drawn.l1[0], drawn.l1.at(-1)];
  const top = Math.max(...drawn.documents.flatMap((d) => d.weights), 1e-9);
  const inner = frame.width - frame.left - frame.right;
  const scale = {
    x: (value) => frame.left + (inner * Math.log(first / clamp(value, last, first))) / Math.log(first / last),
    y: (value) => frame.height - frame.bottom - ((frame.height - frame.bottom - frame.top) * value) / top,
  };
  const marker = shape("line", { class: "now", y1: frame.top - 8, y2: frame.height - frame.bottom });
  const figure = shape(
    "svg", { class: "path", viewBox: `0 0 ${frame.width} ${frame.height}`, role: "img", "aria-label": spoken(drawn) },
    ...axes(frame, scale, first, last, top),
    ...drawn.documents.map((d) => line(d, drawn.l1, scale, view)),
    ...labels(drawn, frame, scale, view, narrow ? 13 : 21),
    marker,
  );
  const move = (value) => {
    marker.setAttribute("x1", scale.x(value));
    marker.setAttribute("x2", scale.x(value));
  };
  move(l1);
  return { figure, move };
}

const clamp = (value, low, high) => Math.min(high, Math.max(low, value));

function line(document, l1, scale, view) {
  const begin = Math.max(0, document.weights.findIndex((w) => w > 0) - 1);
  const points = document.weights.slice(begin).map((w, i) => `${scale.x(l1[begin + i]).toFixed(1)},${scale.y(w).toFixed(1)}`);
  return shape(
    "g", { class: `run ${view.colour(document.id)}`, "data-document": document.id },
    shape("polyline", { points: points.join(" ") }),
    shape("circle", { cx: scale.x(document.enters), cy: scale.y(0), r: 3 }),
    shape("title", {}, `${short(document.id, 60)} comes in at l1 = ${document.enters.toPrecision(2)}`),
  );
}

// The names of the documents with most weight, at the right, pushed apart so that none covers another.
function labels(drawn, frame, scale, view, letters) {
  const last = (d) => d.weights.at(-1);
  const heaviest = [...drawn.documents]
    .sort((a, b) => view.documents.has(b.id) - view.documents.has(a.id) || last(b) - last(a))
    .slice(0, LABELS)
    .sort((a, b) => last(b) - last(a));
  const lowest = frame.height - frame.bottom + 4;
  let floor = frame.top - 10;
  const places = heaviest.map((d) => (floor = Math.max(floor + 17, scale.y(last(d)) + 4)));
  for (let i = places.length - 1, ceiling = lowest; i >= 0; i--, ceiling -= 17) places[i] = Math.min(places[i], ceiling);
  return heaviest.map((d, i) =>
    shape(
      "text",
      { class: `name ${view.colour(d.id)}`, "data-document": d.id, x: frame.width - frame.right + 8, y: places[i] },
      short(d.id, letters),
    ),
  );
}

function axes(frame, scale, first, last, top) {
  const ticks = [];
  for (const t of [1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005]) {
    const apart = ticks.length ? scale.x(t) - scale.x(ticks.at(-1)) : Infinity;
    if (t <= first && t >= last * 0.999 && apart >= 36) ticks.push(t);
  }
  const base = frame.height - frame.bottom;
  return [
    shape("line", { class: "axis", x1: frame.left, x2: frame.width - frame.right, y1: base, y2: base }),
    ...ticks.flatMap((t) => [
      shape("line", { class: "grid", x1: scale.x(t), x2: scale.x(t), y1: frame.top, y2: base }),
      shape("text", { class: "tick", x: scale.x(t), y: base + 16, "text-anchor": "middle" }, String(t)),
    ]),
    shape("text", { class: "tick", x: frame.left, y: base + 34 }, "l1: strict"),
    shape("text", { class: "tick", x: frame.width - frame.right, y: base + 34, "text-anchor": "end" }, "lenient"),
    shape("text", { class: "tick", x: frame.left - 6, y: scale.y(top) + 4, "text-anchor": "end" }, top.toFixed(2)),
    shape("text", { class: "tick", x: frame.left - 6, y: base + 4, "text-anchor": "end" }, "0"),
  ];
}

function spoken(drawn) {
  return `weights of ${drawn.documents.length} documents as l1 falls from ${drawn.l1[0].toPrecision(2)}; the list below has them in order`;
}

export function pathList(drawn) {
  return drawn.documents.map((d) =>
    element("li", {}, element("span", { class: "id" }, short(d.id, 80)), ` comes in at l1 = ${d.enters.toPrecision(2)}`),
  );
}
