// What changed at the table, in sentences for those who listen to it.

import { asking } from "./felt.js";
import { capital, cardName, list, number, t, word } from "./words.js";

/** The sentences for a step of `table` from the position `before` to the one it is at now. */
export function sentences(table, before) {
  const { session, round, me } = table;
  if (!round) return [prompt(table)];
  const old = before?.round;
  const same = old && old.number === round.number && old.deal === round.deal;
  const said = [];
  if (!same) said.push(`${t("round", { round: round.number })}.`);
  const hole = table.mine?.hole;
  const oldHole = same ? old.seats.find((seat) => seat.seat === me)?.hole : null;
  if (hole && !oldHole) said.push(t("said.hole", { cards: list(hole.map(cardName)) }));
  const opened = round.board.slice(same ? old.board.length : 0);
  if (opened.length)
    said.push(
      t("said.board", {
        stage: capital(word(session.game, "stages", round.stage)),
        cards: list(opened.map(cardName)),
      }),
    );
  if (round.dealer?.hole && !(same && old.dealer?.hole))
    said.push(
      t("said.dealer", {
        cards: list(round.dealer.hole.map(cardName)),
        hand: round.dealer.hand?.description ?? "",
      }),
    );
  if (same) said.push(...others(old, round, me));
  const own = round.settlement?.seats.find((row) => row.seat === me);
  if (own?.hand && !old?.settlement) said.push(t("story.you", { hand: own.hand.description }));
  said.push(prompt(table));
  if (table.legal.length)
    said.push(t("said.may", { actions: list(table.legal.map((action) => option(session.game, action))) }));
  return said.filter(Boolean);
}

/** What the table waits for, as a whole sentence. */
const prompt = (table) => asking(table).replace(/[^.!?]$/, "$&.");

/** What the other seats did. */
function others(old, round, me) {
  return round.seats
    .filter((seat) => seat.seat !== me)
    .flatMap((seat) => {
      const was = old.seats.find((one) => one.seat === seat.seat);
      if (seat.state !== was?.state && ["folded", "all_in", "done"].includes(seat.state))
        return [`${t("seat", { seat: seat.seat })}: ${t(`state.${seat.state}`)}.`];
      if (seat.street_bet > (was?.street_bet ?? 0))
        return [`${t("seat", { seat: seat.seat })}: ${number(seat.street_bet)}.`];
      return [];
    });
}

function option(game, { type, multiple, amount, min_to: low }) {
  const name = word(game, "actions", type);
  if (multiple) return `${name} ${number(multiple)}×`;
  return [name, amount ?? low]
    .filter((part) => part !== undefined)
    .map((part) => (typeof part === "number" ? number(part) : part))
    .join(" ");
}
