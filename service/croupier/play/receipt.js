// What a settled round came to, line by line; what each action was worth; and what the bets pay.

import { fill, h, whenChanged } from "./dom.js";
import { result, toned } from "./felt.js";
import { capital, gameOf, lineName, list, number, percent, signed, t, word } from "./words.js";

const table_ = (caption, heads, rows, foot = null) =>
  h(
    "table",
    {},
    h("caption", {}, caption),
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        heads.map(([text, numeric]) => h("th", { scope: "col", class: numeric ? "n" : "" }, text)),
      ),
    ),
    h("tbody", {}, rows),
    foot,
  );

const cell = (text, className = "n") => h("td", { class: className }, text);

/** The settlement of the latest round. */
export function receipt(table) {
  const root = h("section", { class: "panel receipt", "aria-labelledby": "receipt-name" });

  const update = whenChanged(() => [table.round, table.me], draw);

  function draw() {
    const { round, session } = table;
    root.hidden = !round?.settlement;
    if (root.hidden) return;
    const { settlement } = round;
    const own = settlement.seats.find((row) => row.seat === table.me) ?? null;
    fill(
      root,
      h(
        "header",
        {},
        h("h2", { id: "receipt-name" }, t("receipt.name", { round: round.number })),
        own ? h("p", { class: `verdict ${toned(own.net)}` }, result(own.net)) : null,
      ),
      story(table, settlement, own),
      settlement.pots ? potLines(settlement) : null,
      own && session.game !== "no-limit-holdem" ? lines(session.game, own) : null,
      session.seats.length > 1 ? everyone(settlement, table.me) : null,
    );
  }

  return { root, update };
}

/** Whose hand was what, in sentences. */
function story(table, settlement, own) {
  const told = [];
  const state = table.mine?.state;
  if (own?.hand) told.push(t("story.you", { hand: own.hand.description }));
  else if (state === "folded") told.push(t("story.folded"));
  const dealer = settlement.dealer;
  if (dealer?.hand)
    told.push(t(dealer.qualified ? "story.dealer" : "story.dealer_out", { hand: dealer.hand.description }));
  return told.length ? h("p", { class: "story" }, told.join(" ")) : null;
}

/** Each bet: what was staked, at which odds, and what that gave. */
function lines(game, own) {
  return table_(
    t("receipt.lines"),
    [[t("bet")], [t("staked"), true], [t("outcome")], [t("odds"), true], [t("net"), true]],
    own.bets.map((line) =>
      h(
        "tr",
        { "data-bet": line.bet },
        h("th", { scope: "row" }, capital(word(game, "bets", line.bet))),
        cell(number(line.staked)),
        cell(t(`outcome.${line.outcome}`), `outcome ${line.outcome}`),
        cell(line.odds ?? "–"),
        cell(signed(line.net), `n ${toned(line.net)}`),
      ),
    ),
    h(
      "tfoot",
      {},
      h(
        "tr",
        {},
        h("th", { scope: "row" }, t("total")),
        cell(number(sum(own.bets, "staked"))),
        cell(""),
        cell(""),
        cell(signed(own.net), `n ${toned(own.net)}`),
      ),
    ),
  );
}

const sum = (things, field) => things.reduce((all, one) => all + one[field], 0);

function potLines(settlement) {
  const shares = (pot) => list(pot.winners.map(({ seat, amount }) => t("pot.share", { seat, amount })));
  return h(
    "ul",
    { class: "pot-lines" },
    settlement.pots.map((pot, at) =>
      h(
        "li",
        {},
        t("pot.goes", {
          pot: at ? t("pot.side", { pot: at }) : t("pot.main"),
          amount: pot.amount,
          winners: shares(pot),
        }),
      ),
    ),
  );
}

function everyone(settlement, me) {
  return table_(
    t("receipt.everyone"),
    [[t("seat_column")], [t("hand_column")], [t("net"), true]],
    settlement.seats.map((row) =>
      h(
        "tr",
        { class: row.seat === me ? "me" : "" },
        h("th", { scope: "row" }, t("seat", { seat: row.seat })),
        cell(row.hand?.description ?? "–", ""),
        cell(signed(row.net), `n ${toned(row.net)}`),
      ),
    ),
  );
}

/** Advice, when it was asked for: the exact value of each action, in antes. */
export function advicePanel(table) {
  const root = h("section", {
    class: "panel advice",
    "aria-labelledby": "advice-name",
    hidden: true,
    tabindex: "-1",
  });
  let asked = null;

  const spot = () =>
    JSON.stringify([
      table.me,
      table.round?.number,
      table.round?.deal,
      table.round?.stage,
      table.legal.length,
    ]);
  const action = (game, { type, multiple }) =>
    capital(word(game, "actions", type)) + (multiple ? ` ${number(multiple)}×` : "");

  /** Ask for it and show it. Answers the best action in words. */
  async function ask() {
    const at = spot();
    const { actions, deals } = await table.advice();
    if (at !== spot()) return "";
    asked = at;
    const { game } = table.session;
    const best = actions.find((one) => one.best);
    fill(
      root,
      h(
        "header",
        {},
        h("h2", { id: "advice-name" }, t("advice.name")),
        h("p", { class: "verdict won" }, action(game, best)),
      ),
      table_(
        t("advice.lines"),
        [[t("action")], [t("advice.value"), true], [t("advice.cost"), true]],
        actions.map((one) =>
          h(
            "tr",
            { class: one.best ? "best" : "" },
            h(
              "th",
              { scope: "row" },
              action(game, one),
              one.best ? h("span", { class: "tag yes" }, t("advice.best")) : null,
            ),
            cell(signed(one.value, 4)),
            cell(one.cost ? signed(-one.cost, 4) : "–"),
          ),
        ),
      ),
      h("p", { class: "note" }, t("advice.deals", { deals })),
    );
    root.hidden = false;
    return t("advice.said", { action: action(game, best), value: signed(best.value, 2) });
  }

  /** Put it away once the spot has passed. */
  function update() {
    if (asked !== null && asked !== spot()) {
      asked = null;
      root.hidden = true;
    }
  }

  return { root, update, ask };
}

/** What the bets pay, and what the house keeps, from the catalogue. */
export function paysPanel(table) {
  const { game, options } = table.session;
  const entry = gameOf(game);
  const offered = entry.pay_tables.filter((one) =>
    Object.entries(one.option ?? {}).every(([name, value]) => options[name] === value),
  );
  if (!offered.length) return null;
  const shares = (one) =>
    (one.meter_shares_percent ?? []).map(({ on, percent: share }) => [
      lineName(on),
      t("pays.meter", { share: percent(String(share)) }),
    ]);
  return h(
    "details",
    { class: "panel pays" },
    h("summary", {}, h("h2", {}, t("pays.name"))),
    offered.map((one) =>
      table_(
        capital(word(game, "bets", one.bet)),
        [[t("pays.with")], [t("odds"), true]],
        [
          ...shares(one),
          ...one.lines.map(({ on, odds }) => [lineName(on), odds]),
          [t("pays.otherwise"), t(`otherwise.${one.otherwise}`)],
        ].map(([on, odds]) => h("tr", {}, h("th", { scope: "row" }, capital(on)), cell(odds))),
      ),
    ),
  );
}
