// Elements out of plain calls. Text goes in as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";

/** The element with the id `id`, which the page is known to have. */
export const byId = (id) => document.getElementById(id);

/**
 * An HTML element. `attributes` go in as they are named; a function is a listener (`onclick`), `false`, null
 * and undefined leave an attribute out, `true` sets it empty. `children` may be nested, and null among them.
 */
export function h(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** The same for SVG. */
export function s(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (name === "value" && "value" in element) element.value = value ?? "";
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child != null && child !== false));
  return element;
}

/** Put `children` in the place of whatever `parent` holds. */
export function fill(parent, ...children) {
  parent.replaceChildren(...children.flat(Infinity).filter((child) => child != null && child !== false));
  return parent;
}

/** Keep `keyed` children ([key, make]) of `parent` in order, making those only that are not there yet. */
export function keep(parent, keyed) {
  const present = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  const wanted = keyed.map(([key, make]) => {
    const child = present.get(key) ?? make();
    child.dataset.key = key;
    return child;
  });
  for (const child of present.values()) if (!wanted.includes(child)) child.remove();
  wanted.forEach((child, at) => {
    if (parent.children[at] !== child) parent.insertBefore(child, parent.children[at] ?? null);
  });
  return parent;
}

/** `draw`, run only where what `state` gives is not what it gave the last time. */
export function whenChanged(state, draw) {
  let shown = null;
  return () => {
    const now = JSON.stringify(state());
    if (now === shown) return;
    shown = now;
    draw();
  };
}
