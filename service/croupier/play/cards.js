// Playing cards, drawn here. Four colours, and a shape for each suit besides; the name is said to those who listen.

import { h, keep, s } from "./dom.js";
import { cardName, t } from "./words.js";

const SUITS = {
  c: "M12 2a4.7 4.7 0 0 1 3.7 7.6 4.7 4.7 0 1 1-2.9 7.2c.3 2.4 1.3 4 2.9 5.2H8.3c1.6-1.2 2.6-2.8 2.9-5.2a4.7 4.7 0 1 1-2.9-7.2A4.7 4.7 0 0 1 12 2Z",
  d: "M12 1.2C14.4 5.6 17 9 20.6 12 17 15 14.4 18.4 12 22.8 9.6 18.4 7 15 3.4 12 7 9 9.6 5.6 12 1.2Z",
  h: "M12 21.6C5.2 16 2 12.2 2 8 2 4.9 4.3 2.6 7.2 2.6 9.2 2.6 11.1 3.8 12 5.8 12.9 3.8 14.8 2.6 16.8 2.6 19.7 2.6 22 4.9 22 8 22 12.2 18.8 16 12 21.6Z",
  s: "M12 1.6C8.2 6.8 2.8 9.6 2.8 14.1 2.8 16.8 4.8 18.6 7.2 18.6 8.9 18.6 10.3 17.8 11.2 16.5 11 19 10.1 20.9 8.3 22.2H15.7C13.9 20.9 13 19 12.8 16.5 13.7 17.8 15.1 18.6 16.8 18.6 19.2 18.6 21.2 16.8 21.2 14.1 21.2 9.6 15.8 6.8 12 1.6Z",
};
const CROWNS = {
  J: "M-13 6C-13-3-6-9 4-9 2-5 6-2 13-3 12 2 9 6 9 6Z M4-9C10-13 15-11 16-6 11-8 8-7 4-9Z",
  Q: "M-13 7-15-6-7 1 0-9 7 1 15-6 13 7Z M-15-9a2 2 0 1 0 .1 0Z M0-13a2.2 2.2 0 1 0 .1 0Z M15-9a2 2 0 1 0 .1 0Z",
  K: "M-14 7-14-5-8 0-4-7-1-3-1-9-4-9-4-12-1-12-1-15 1-15 1-12 4-12 4-9 1-9 1-3 4-7 8 0 14-5 14 7Z",
};
const [LEFT, MIDDLE, RIGHT] = [47, 64.5, 82];
/** Where a rank's pips are: [column, height above the middle], the lower half mirrored. */
const PIPS = {
  2: [[MIDDLE, 45]],
  3: [
    [MIDDLE, 45],
    [MIDDLE, 0],
  ],
  4: [
    [LEFT, 45],
    [RIGHT, 45],
  ],
  5: [
    [LEFT, 45],
    [RIGHT, 45],
    [MIDDLE, 0],
  ],
  6: [
    [LEFT, 45],
    [RIGHT, 45],
    [LEFT, 0],
    [RIGHT, 0],
  ],
  7: [
    [LEFT, 45],
    [RIGHT, 45],
    [LEFT, 0],
    [RIGHT, 0],
    [MIDDLE, 22, true],
  ],
  8: [
    [LEFT, 45],
    [RIGHT, 45],
    [LEFT, 0],
    [RIGHT, 0],
    [MIDDLE, 22],
  ],
  9: [
    [LEFT, 47],
    [RIGHT, 47],
    [LEFT, 16],
    [RIGHT, 16],
    [MIDDLE, 0],
  ],
  T: [
    [LEFT, 47],
    [RIGHT, 47],
    [LEFT, 16],
    [RIGHT, 16],
    [MIDDLE, 31],
  ],
};

/** A suit's shape, `size` wide around (`x`, `y`). */
function suitShape(suit, x, y, size, upsideDown = false) {
  const turn = upsideDown ? " rotate(180)" : "";
  return s("path", {
    d: SUITS[suit],
    class: `suit suit-${suit}`,
    transform: `translate(${x} ${y})${turn} scale(${size / 24}) translate(-12 -12)`,
  });
}

/** The index: large, and at one corner alone, for nobody here holds cards upside down. */
function corner(rank, suit) {
  const ten = rank === "T";
  return [
    s(
      "text",
      {
        x: 20,
        y: 38,
        class: `rank suit-${suit}${ten ? " ten" : ""}`,
        ...(ten ? { textLength: 33, lengthAdjust: "spacingAndGlyphs" } : {}),
      },
      ten ? "10" : rank,
    ),
    suitShape(suit, 20, 57, 25),
  ];
}

function middle(rank, suit) {
  if (rank === "A") return [suitShape(suit, 61, 88, 58)];
  if (rank in CROWNS) {
    const half = (turn) =>
      s(
        "g",
        { transform: `rotate(${turn} 64.5 70)` },
        s("path", { d: CROWNS[rank], class: "crown", transform: "translate(64.5 36) scale(1.2)" }),
      );
    return [
      s("rect", { x: 40, y: 10, width: 49, height: 120, rx: 6, class: `court suit-${suit}` }),
      s("path", { d: "M41 101 88 39", class: "sash" }),
      half(0),
      half(180),
      s("circle", { cx: 64.5, cy: 70, r: 19, class: "medal" }),
      suitShape(suit, 64.5, 70.5, 25),
    ];
  }
  return PIPS[rank].flatMap(([x, up, alone]) => [
    suitShape(suit, x, 70 - up, 18),
    ...(up && !alone ? [suitShape(suit, x, 70 + up, 18, true)] : []),
  ]);
}

function drawing(name, ...parts) {
  return s(
    "svg",
    { viewBox: "0 0 100 140", role: "img", "aria-label": name, focusable: "false" },
    s("rect", { x: 0.75, y: 0.75, width: 98.5, height: 138.5, rx: 9, class: "paper" }),
    parts,
  );
}

const face = ([rank, suit]) => drawing(cardName(rank + suit), middle(rank, suit), corner(rank, suit));

function back() {
  const lines = [];
  for (let at = -140; at < 140; at += 14) lines.push(`M${at} 0l140 140M${at + 140} 0l-140 140`);
  return drawing(
    t("card.down"),
    s(
      "svg",
      { x: 7, y: 7, width: 86, height: 126, viewBox: "7 7 86 126" },
      s("rect", { x: 7, y: 7, width: 86, height: 126, rx: 6, class: "back" }),
      s("path", { d: lines.join(""), class: "lattice" }),
      s("rect", { x: 9, y: 9, width: 82, height: 122, rx: 5, class: "inlay" }),
      s("circle", { cx: 50, cy: 70, r: 21, class: "seal" }),
      suitShape("s", 50, 69, 24),
    ),
  );
}

function cardElement(card) {
  if (card === null) return h("li", { class: "card slot", "aria-hidden": "true" });
  if (card === "back") return h("li", { class: "card down" }, back());
  return h("li", { class: "card up", "data-card": card }, face(card));
}

/**
 * Show `cards` in `list`, keeping those already there so that only new ones are dealt in. Null is an empty place,
 * `"back"` a card face down. The cards among `best` stand out, the others step back.
 */
export function showCards(list, cards, best = null) {
  keep(
    list,
    cards.map((card, at) => [`${at}:${card}:${document.documentElement.lang}`, () => cardElement(card)]),
  );
  [...list.children].forEach((element, at) => {
    element.classList.toggle("best", Boolean(best?.includes(cards[at])));
    element.classList.toggle("other", Boolean(best && !best.includes(cards[at])));
    element.dataset.at = at;
  });
  return list;
}

/** A list for cards, named for those who listen. */
export const cardList = (label, className = "") =>
  h("ul", { class: `cards ${className}`, "aria-label": label });
