// The running balance, drawn: a line for one's own seat, thin ones for the others at the table.

import { fill, h, s } from "./dom.js";
import { brief, number, signed, t } from "./words.js";

const [WIDTH, HEIGHT] = [320, 132];
const [LEFT, RIGHT, TOP, BOTTOM] = [8, 50, 12, 20];
const POINTS = 400;

/** Each seat's balance after each settled or voided round, from the ledger; it starts at 0. */
export function balances(entries) {
  const lines = new Map();
  for (const entry of entries) {
    if (entry.type === "session_started") for (const { seat } of entry.seats) lines.set(seat, [0]);
    if (entry.type !== "round_settled" && entry.type !== "round_voided") continue;
    if (entry.seats.length === 0) continue;
    for (const [seat, line] of lines)
      line.push(entry.seats.find((one) => one.seat === seat)?.balance ?? line.at(-1));
  }
  return lines;
}

/** At most POINTS points of `line`, both ends among them. */
function thinned(line) {
  const step = Math.max(1, (line.length - 1) / POINTS);
  const found = [];
  for (let at = 0; at < line.length - 1; at += step) found.push([Math.floor(at), line[Math.floor(at)]]);
  return [...found, [line.length - 1, line.at(-1)]];
}

/** The chart of `table`, under what its seat has now. */
export function chart(table) {
  const now = h("p", { class: "balance" });
  const picture = h("div", { class: "picture" });
  const root = h(
    "section",
    { class: "panel chart", "aria-labelledby": "chart-name" },
    h("header", {}, h("h2", { id: "chart-name" }, t("balance")), now),
    picture,
  );

  function update() {
    const lines = balances(table.ledger.entries);
    const own = lines.get(table.me) ?? null;
    const last = own?.at(-1) ?? 0;
    fill(now, own ? h("b", { class: last > 0 ? "won" : last < 0 ? "lost" : "even" }, signed(last)) : "");
    fill(picture, drawn(lines, table.me));
  }

  return { root, update };
}

function drawn(lines, me) {
  const all = [...lines.values()].flat();
  const rounds = Math.max(1, ...[...lines.values()].map((line) => line.length - 1));
  const [low, high] = [Math.min(0, ...all), Math.max(0, ...all)];
  const span = high - low || 2;
  const x = (round) => LEFT + ((WIDTH - LEFT - RIGHT) * round) / rounds;
  const y = (value) => TOP + ((HEIGHT - TOP - BOTTOM) * ((high === low ? 1 : high) - value)) / span;
  const path = (line) =>
    thinned(line)
      .map(([round, value], at) => `${at ? "L" : "M"}${x(round).toFixed(1)} ${y(value).toFixed(1)}`)
      .join("");
  const own = lines.get(me) ?? [0];
  const label = t("chart.said", {
    rounds: own.length - 1,
    now: signed(own.at(-1)),
    high: signed(Math.max(...own)),
    low: signed(Math.min(...own)),
  });
  const tone = own.at(-1) < 0 ? "lost" : "won";
  return s(
    "svg",
    {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      role: "img",
      "aria-label": label,
      "data-balance": own.at(-1),
      "data-rounds": own.length - 1,
    },
    [...new Set([high, 0, low])]
      .filter((value) => value === 0 || Math.abs(y(value) - y(0)) > 12)
      .map((value) => [
        s("line", {
          x1: LEFT,
          x2: WIDTH - RIGHT,
          y1: y(value),
          y2: y(value),
          class: value === 0 ? "zero" : "grid",
        }),
        s(
          "text",
          { x: WIDTH - RIGHT + 6, y: y(value) + 4, class: "tick" },
          value === 0 ? number(0) : brief(value),
        ),
      ]),
    [...lines]
      .filter(([seat]) => seat !== me)
      .map(([, line]) => s("path", { d: path(line), class: "trace theirs" })),
    own.length > 1
      ? s("path", { d: `${path(own)}L${x(own.length - 1)} ${y(0)}L${x(0)} ${y(0)}Z`, class: `area ${tone}` })
      : null,
    s("path", { d: path(own), class: `trace mine ${tone}` }),
    s("circle", { cx: x(own.length - 1), cy: y(own.at(-1)), r: 4, class: `dot ${tone}` }),
    s("text", { x: LEFT, y: HEIGHT - 4, class: "tick" }, number(0)),
    s("text", { x: WIDTH - RIGHT, y: HEIGHT - 4, class: "tick end" }, t("chart.rounds", { rounds })),
  );
}
