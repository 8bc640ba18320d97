// The felt: the dealer or the other seats above, the board and the pots in the middle, one's own hand below.

import { post } from "./api.js";
import { cardList, showCards } from "./cards.js";
import { fill, h, keep, s } from "./dom.js";
import { capital, locale, number, signed, t, word } from "./words.js";

const BOARD = 5;
const narrow = matchMedia("(max-width: 640px)");
/** The bets of each house game, in the order in which their circles lie. */
const SPOTS = {
  "casino-holdem": ["ante", "call"],
  "ultimate-texas-holdem": ["trips", "hole_card_bonus", "ante", "blind", "play"],
};

/** A stack of chips worth `amount`, as a picture beside its number. */
export function chips(amount) {
  const tall = Math.min(5, Math.max(1, Math.ceil(Math.log10(Math.max(amount, 1) + 1) * 1.6)));
  const discs = Array.from({ length: tall }, (_, at) =>
    s(
      "g",
      { transform: `translate(0 ${(tall - 1 - at) * -4.5})`, class: `disc disc-${(at + tall) % 5}` },
      s("path", { d: "M2 26v4.5c0 3.6 6.7 6.5 15 6.5s15-2.9 15-6.5V26Z", class: "edge" }),
      s("ellipse", { cx: 17, cy: 26, rx: 15, ry: 6.5, class: "top" }),
      s("ellipse", { cx: 17, cy: 26, rx: 9.5, ry: 3.8, class: "ring" }),
    ),
  );
  return h(
    "span",
    { class: "chips" },
    s("svg", { viewBox: "0 0 34 40", "aria-hidden": "true", focusable: "false" }, discs.reverse()),
    h("span", { class: "amount" }, number(amount)),
  );
}

/** The felt of `table`; `update()` draws it anew. */
export function felt(table) {
  const game = table.session.game;
  const house = game in SPOTS;
  const stage = h("p", { class: "stage" });
  const dealerCards = cardList(t("dealer"), "small");
  const dealerHand = h("p", { class: "hand" });
  const dealer = h(
    "section",
    { class: "dealer", "aria-labelledby": "dealer-name" },
    h("h2", { class: "name", id: "dealer-name" }, t("dealer")),
    dealerCards,
    dealerHand,
  );
  const others = h("ul", { class: "others", "aria-label": t("others") });
  const board = cardList(t("board"), "board");
  const pots = h("ul", { class: "pots", "aria-label": t("pots") });
  const prompt = h("p", { class: "prompt" });
  const mineCards = cardList(t("hole"), "mine");
  const mineHand = h("p", { class: "hand" });
  const spots = h("ul", { class: "spots", "aria-label": t("bets") });
  const name = h("h2", { class: "name", id: "my-name" });
  const mine = h(
    "section",
    { class: "own", "aria-labelledby": "my-name" },
    h("div", { class: "hands" }, mineCards, h("div", { class: "plate" }, name, mineHand)),
    spots,
  );
  const root = h(
    "section",
    { class: `felt ${house ? "house" : "ring"}`, "aria-label": t("table") },
    h(
      "div",
      { class: "cloth" },
      house ? [dealer, others] : others,
      h("section", { class: "middle", "aria-labelledby": "stage" }, stage, board, pots),
      prompt,
      mine,
    ),
  );
  stage.id = "stage";
  let strength = "";

  function update() {
    const { session, round } = table;
    const settled = round?.settlement ?? null;
    const rowOf = (seat) => settled?.seats.find((row) => row.seat === seat) ?? null;
    const own = rowOf(table.me);
    root.dataset.stage = round?.stage ?? "none";
    root.dataset.version = session.version;
    fill(
      stage,
      round ? t("round", { round: round.number }) : "",
      round ? h("b", {}, ` ${capital(word(game, "stages", round.stage))}`) : "",
    );
    const best = (house ? own?.hand?.cards : null) ?? winners(settled)[0] ?? null;
    showCards(board, [...(round?.board ?? []), ...Array(BOARD).fill(null)].slice(0, BOARD), settled && best);
    if (house) showDealer(round, settled);
    showOthers(session, round, rowOf);
    fill(
      pots,
      (round?.pots ?? []).map((pot, at) =>
        h(
          "li",
          {},
          h("span", { class: "which" }, at ? t("pot.side", { pot: at }) : t("pot.main")),
          chips(pot.amount),
        ),
      ),
    );
    showMine(session, round, own, best);
    fill(prompt, asking(table));
    root.classList.toggle("turn", table.legal.length > 0);
  }

  /** The hands that won something, best pot first. */
  const winners = (settled) =>
    (settled?.seats ?? []).filter((row) => row.net > 0 && row.hand).map((row) => row.hand.cards);

  function showDealer(round, settled) {
    const hole = round?.dealer?.hole;
    showCards(dealerCards, !round ? [null, null] : (hole ?? ["back", "back"]), settled?.dealer?.hand?.cards);
    const hand = round?.dealer?.hand;
    fill(
      dealerHand,
      hand
        ? [
            hand.description,
            h(
              "span",
              { class: `tag ${settled?.dealer?.qualified ? "yes" : "no"}` },
              settled?.dealer?.qualified ? t("qualifies") : t("not_qualified"),
            ),
          ]
        : "",
    );
    dealer.classList.toggle("shown", Boolean(hand));
  }

  function showOthers(session, round, rowOf) {
    const rest = session.seats.filter((seat) => seat.seat !== table.me);
    const after = rest.findIndex((seat) => seat.seat > (table.me ?? 0));
    const around = after > 0 ? [...rest.slice(after), ...rest.slice(0, after)] : rest;
    others.hidden = around.length === 0;
    others.dataset.count = around.length;
    others.classList.toggle("compact", house || around.length > 5 || narrow.matches);
    keep(
      others,
      around.map((seat) => [String(seat.seat), otherSeat]),
    );
    around.forEach((seat, at) => {
      const element = others.children[at];
      const middle = (around.length - 1) / 2;
      element.style.setProperty("--lift", middle ? String(((at - middle) / middle) ** 2) : "0");
      showOther(
        element,
        seat,
        round?.seats.find((one) => one.seat === seat.seat),
        round,
        rowOf(seat.seat),
      );
    });
  }

  const otherSeat = () =>
    h(
      "li",
      { class: "seat" },
      h("p", { class: "name" }),
      cardList("", "tiny"),
      h("p", { class: "purse" }),
      h("p", { class: "state" }),
      h("div", { class: "bet" }),
    );

  function showOther(element, seat, dealt, round, row) {
    const [name, cards, purse, state, bet] = element.children;
    const turn = Boolean(round?.to_act.includes(seat.seat));
    fill(name, t("seat", { seat: seat.seat }), round?.button === seat.seat ? button() : null);
    const inRound = dealt && (dealt.state !== "sitting_out" || row);
    const folded = dealt?.state === "folded";
    cards.setAttribute("aria-label", t("seat_cards", { seat: seat.seat }));
    showCards(
      cards,
      dealt?.hole ?? (inRound && !folded ? ["back", "back"] : []),
      row?.net > 0 ? row.hand?.cards : null,
    );
    purse.textContent =
      seat.stack === undefined
        ? signed(seat.balance)
        : number(dealt && table.open ? dealt.stack : seat.stack);
    const result =
      row && (row.net || row.hand)
        ? [
            row.hand?.description ?? (folded ? t("state.folded") : null),
            h("b", { class: toned(row.net) }, ` ${signed(row.net)}`),
          ]
        : null;
    fill(state, result ?? (turn ? t("state.deciding") : stateOf(seat, dealt, round)));
    const staked = dealt?.street_bet ?? Object.values(dealt?.bets ?? {}).reduce((sum, one) => sum + one, 0);
    fill(bet, staked && !row ? chips(staked) : null);
    element.className = "seat";
    element.classList.toggle("acting", turn);
    element.classList.toggle("out", folded);
    element.classList.toggle("won", row?.net > 0);
    element.classList.toggle("rich", purse.textContent.length > 6);
  }

  const button = () =>
    h("span", { class: "button", title: t("button"), "aria-label": t("button"), role: "img" }, "D");

  function stateOf(seat, dealt, round) {
    if (seat.status !== "playing") return t(`status.${seat.status}`);
    if (!dealt || !round || !table.open) return dealt?.state === "folded" ? t("state.folded") : "";
    return dealt.state === "waiting" ? "" : t(`state.${dealt.state}`);
  }

  function showMine(session, round, row, best) {
    const own = table.mine;
    const seat = session.seats.find((one) => one.seat === table.me);
    mine.hidden = !seat;
    if (!seat) return;
    showCards(
      mineCards,
      own?.hole ?? (own && own.state !== "sitting_out" ? ["back", "back"] : [null, null]),
      row?.hand && (house || row.net > 0) ? best : null,
    );
    mine.classList.toggle("out", own?.state === "folded");
    fill(
      name,
      table.held.length > 1 || session.seats.length > 1 ? t("you_seat", { seat: table.me }) : t("you"),
      round?.button === table.me ? button() : null,
    );
    if (seat.stack !== undefined)
      name.append(h("span", { class: "purse" }, number(table.open && own ? own.stack : seat.stack)));
    if (house) showSpots(session, own, row);
    else fill(spots, own?.street_bet ? h("li", { class: "street" }, chips(own.street_bet)) : null);
    if (row?.hand) mineHand.textContent = row.hand.description;
    else if (own?.state === "folded") mineHand.textContent = t("state.folded");
    else if (seat.status !== "playing") mineHand.textContent = t(`status.${seat.status}`);
    else describe(own?.hole, round?.board ?? []);
  }

  /** What one's own cards make of the board so far; the server knows how it is called. */
  async function describe(hole, cards) {
    const asked = JSON.stringify([hole, cards, locale()]);
    if (asked === strength) return;
    strength = asked;
    if (!hole || cards.length < 3) return void (mineHand.textContent = "");
    const { hands } = await post("/v1/hands/evaluate", { hands: [[...hole, ...cards]] }).catch(() => ({
      hands: [],
    }));
    if (asked === strength && hands.length && !table.round?.settlement)
      mineHand.textContent = hands[0].description;
  }

  function showSpots(session, own, row) {
    const offered = SPOTS[game].filter((bet) =>
      bet === "trips"
        ? session.options.trips !== "off"
        : bet !== "hole_card_bonus" || session.options.hole_card_bonus,
    );
    keep(
      spots,
      offered.map((bet) => [bet, () => h("li", { class: `spot spot-${bet}` })]),
    );
    for (const spot of spots.children) {
      const bet = spot.dataset.key;
      const line = row?.bets.find((one) => one.bet === bet);
      const amount = line?.staked ?? own?.bets[bet] ?? 0;
      spot.className = `spot spot-${bet} ${line?.outcome ?? ""} ${amount ? "staked" : ""}`;
      fill(
        spot,
        h("span", { class: "which" }, word(game, "bets", bet)),
        h("span", { class: "circle" }, amount ? chips(amount) : null),
        h("span", { class: `net ${toned(line?.net)}` }, line ? signed(line.net) : ""),
      );
    }
  }

  return { root, update };
}

/** A class for a net: what was won, lost, or neither. */
export const toned = (net) => (net > 0 ? "won" : net < 0 ? "lost" : "even");

/** What the table is waiting for, in a sentence. */
export function asking(table) {
  const { session, round } = table;
  if (session.status !== "open") return ended(session, table);
  if (table.legal.length) return t("prompt.turn");
  if (table.open) return round.to_act.length ? t("prompt.wait", { seats: round.to_act.join(", ") }) : "";
  const row = round?.settlement?.seats.find((one) => one.seat === table.me);
  if (row) return result(row.net);
  if (round?.stage === "voided") return t("prompt.voided");
  return table.dealing ? t("prompt.deal") : t("prompt.host");
}

/** A net in words. */
export const result = (net) =>
  net > 0 ? t("prompt.won", { net }) : net < 0 ? t("prompt.lost", { net: -net }) : t("prompt.even");

function ended(session, table) {
  const { result: won, status } = session;
  if (status === "closed") return t("prompt.closed");
  if (typeof won === "number")
    return won === table.me ? t("prompt.match_won") : t("prompt.match_seat", { seat: won });
  if (won === "player") return t("prompt.match_won");
  if (won === "house") return t("prompt.match_lost");
  return won === "tie" ? t("prompt.match_tied") : t("prompt.finished");
}
