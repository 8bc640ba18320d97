// The seats of a table for several: links to hand out, sitting out and in, leaving, bringing more chips.

import { fill, h, keep, whenChanged } from "./dom.js";
import { linkTo } from "./keys.js";
import { handedOut } from "./links.js";
import { number, signed, t } from "./words.js";

/** The panel of seats; `act(work)` runs what a button starts and shows a refusal, `say(text)` tells of it. */
export function seatsPanel(table, act, say) {
  if (table.session.seats.length === 1) return null;
  const rows = h("ul", { class: "seat-list" });
  const given = new Map();
  const root = h(
    "details",
    { class: "panel seats", open: table.session.round === null },
    h("summary", {}, h("h2", {}, t("seats.name"))),
    table.keys.table ? h("p", { class: "note" }, t("seats.note")) : null,
    rows,
  );

  const update = whenChanged(
    () => [table.session.seats, table.session.status, table.open, table.held, table.me, [...given.keys()]],
    draw,
  );

  /** Each row stays while what is in it changes: somebody may be copying a link out of it. */
  function draw() {
    const { seats, status } = table.session;
    keep(
      rows,
      seats.map((seat) => [String(seat.seat), () => h("li", { "data-seat": seat.seat }, ...rowParts())]),
    );
    seats.forEach((seat, at) => {
      const [name, choices, link] = rows.children[at].children;
      const held = table.held.includes(seat.seat);
      rows.children[at].className = held ? "held" : "";
      fill(
        name,
        h("b", {}, t("seat", { seat: seat.seat })),
        " ",
        seat.stack === undefined ? signed(seat.balance) : `${number(seat.stack)} (${signed(seat.balance)})`,
        h("span", { class: "where" }, held ? t("seats.here") : t("seats.elsewhere")),
        seat.status === "playing" ? null : h("span", { class: "tag no" }, t(`status.${seat.status}`)),
      );
      fill(choices, status === "open" ? verbs(seat, held) : null);
      if (!given.has(seat.seat)) fill(link);
      else if (!link.hasChildNodes()) fill(link, given.get(seat.seat));
    });
  }

  const rowParts = () => [h("p"), h("div", { class: "verbs" }), h("div", { class: "given" })];

  function verbs({ seat, status, stack }, held) {
    const made = [];
    const verb = (text, run) =>
      made.push(h("button", { type: "button", class: "quiet", onclick: run }, text));
    const change = (body) => () => act(() => table.change(seat, body));
    if (held && table.held.length > 1 && table.me !== seat)
      verb(t("seats.look"), () => act(() => table.lookFrom(seat)));
    if (held && table.keys.table) verb(t("seats.link"), () => give(seat));
    if (!held && table.keys.table) verb(t("seats.take"), () => takeBack(seat));
    if (held && !table.keys.table) verb(t("seats.renew"), change({ do: "new_token" }));
    if (!held) return made;
    const between = !table.open;
    if (status === "playing") verb(t("seats.sit_out"), change({ do: "sit_out" }));
    if (status === "sitting_out") verb(t("seats.sit_in"), change({ do: "sit_in" }));
    const { rebuys, buy_in: most } = table.session.options;
    if (rebuys && between && stack < most && status !== "left")
      verb(t("seats.rebuy", { amount: most - stack }), change({ do: "rebuy", amount: most - stack }));
    return made;
  }

  /** Make a link for `seat`; from then on the seat is played where the link is opened. */
  async function give(seat) {
    const link = linkTo(table.id, { seats: { [seat]: table.keys.seats[seat] } });
    if (table.held.length > 1) table.giveAway(seat);
    const words = [t("seats.link_for", { seat }), t("seats.copied", { seat }), t("seats.copy", { seat })];
    const { told, parts } = await handedOut(link, ...words);
    given.set(seat, parts);
    update();
    rows.querySelector(`[data-seat="${seat}"] input`).select();
    say(told);
  }

  /** A new key for `seat`: the link that was handed out opens nothing any more. */
  function takeBack(seat) {
    given.delete(seat);
    act(() => table.change(seat, { do: "new_token" }));
  }

  return { root, update };
}
