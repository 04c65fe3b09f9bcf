// How much of the request each answer explains: a bar per decoder, a block per document.

import { element, percent, short } from "./dom.js";

const NAMES = { dense: "Dense", mmr: "MMR", nnn: "NNN" };

export function cover(view) {
  const widest = Math.max(...Object.keys(NAMES).map((name) => view.answers[name].covered), 1e-9);
  return element(
    "dl", { class: "cover" },
    ...Object.keys(NAMES).flatMap((name) => {
      const { hits, covered } = view.answers[name];
      return [
        element("dt", { class: name }, NAMES[name]),
        element(
          "dd", {},
          element("ol", { class: "blocks" }, ...hits.map((hit) => block(hit, widest, view))),
          element("span", { class: "total" }, percent(covered)),
        ),
      ];
    }),
  );
}

function block(hit, widest, view) {
  const item = element(
    "li", { class: `block ${view.colour(hit.id)}`, "data-document": hit.id, title: `${hit.id} adds ${percent(hit.adds)}` },
    element("span", { class: "id" }, short(hit.id, 60)),
    element("span", { class: "only-spoken" }, ` adds ${percent(hit.adds)}`),
  );
  item.style.setProperty("inline-size", `${(100 * hit.adds) / widest}%`);
  return item;
}
