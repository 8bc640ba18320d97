// The seats of a table for several: links to hand out, sitting out and in, leaving, bringing more chips.

import { fill, h } from "./dom.js";
import { linkTo } from "./keys.js";
import { number, signed, t } from "./words.js";

/** The panel of seats; `act(work)` runs what a button starts and shows a refusal, `say(text)` tells of it. */
export function seatsPanel(table, act, say) {
  if (table.session.seats.length === 1) return null;
  const rows = h("ul", { class: "seat-list" });
  const given = new Map();
  const root = h("details", { class: "panel seats", open: table.session.round === null },
    h("summary", {}, h("h2", {}, t("seats.name"))),
    table.keys.table ? h("p", { class: "note" }, t("seats.note")) : null,
    rows);

  function update() {
    fill(rows, table.session.seats.map((seat) => {
      const held = table.held.includes(seat.seat);
      return h("li", { class: held ? "held" : "", "data-seat": seat.seat },
        h("p", {}, h("b", {}, t("seat", { seat: seat.seat })), " ",
          seat.stack === undefined ? signed(seat.balance) : `${number(seat.stack)} (${signed(seat.balance)})`,
          h("span", { class: "where" }, held ? t("seats.here") : t("seats.elsewhere")),
          seat.status === "playing" ? null : h("span", { class: "tag no" }, t(`status.${seat.status}`))),
        table.session.status === "open" ? h("div", { class: "verbs" }, verbs(seat, held)) : null,
        given.has(seat.seat) ? handedOut(seat.seat) : null);
    }));
  }

  function verbs({ seat, status, stack }, held) {
    const made = [];
    const verb = (text, run) => made.push(h("button", { type: "button", class: "quiet", onclick: run }, text));
    const change = (body) => () => act(() => table.change(seat, body));
    if (held && table.held.length > 1 && table.me !== seat) verb(t("seats.look"), () => act(() => table.lookFrom(seat)));
    if (held && table.keys.table) verb(t("seats.link"), () => give(seat));
    if (!held && table.keys.table) verb(t("seats.take"), change({ do: "new_token" }));
    if (held && !table.keys.table) verb(t("seats.renew"), change({ do: "new_token" }));
    if (!held) return made;
    const between = !table.open;
    if (status === "playing") verb(t("seats.sit_out"), change({ do: "sit_out" }));
    if (status === "sitting_out") verb(t("seats.sit_in"), change({ do: "sit_in" }));
    const { rebuys, buy_in: most } = table.session.options;
    if (rebuys && between && stack < most && status !== "left") verb(t("seats.rebuy", { amount: most - stack }), change({ do: "rebuy", amount: most - stack }));
    return made;
  }

  /** Make a link for `seat`; from then on the seat is played where the link is opened. */
  async function give(seat) {
    const link = linkTo(table.id, { seat, token: table.keys.seats[seat] });
    if (table.held.length > 1) table.giveAway(seat);
    const copied = await navigator.clipboard.writeText(link).then(() => true, () => false);
    given.set(seat, { link, text: t(copied ? "seats.copied" : "seats.copy", { seat }) });
    update();
    rows.querySelector(`[data-seat="${seat}"] input`).select();
    say(given.get(seat).text);
  }

  /** The link to `seat` once it was made, for as long as this page is open. */
  function handedOut(seat) {
    const { link, text } = given.get(seat);
    return h("div", { class: "given" }, h("p", {}, text),
      h("input", { type: "text", readonly: true, value: link, "aria-label": t("seats.link_for", { seat }), onfocus: (event) => event.target.select() }));
  }

  return { root, update };
}
