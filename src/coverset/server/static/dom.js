// Elements from code. Text goes in as text nodes only, so nothing a document says can become markup.

const SVG = "http://www.w3.org/2000/svg";

export const $ = (id) => document.getElementById(id);

export function element(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

export function shape(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== undefined && child !== false));
  return node;
}

export const percent = (share) => `${Math.round(100 * share)} %`;
export const short = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);
