// What may be done now, as buttons and as keys. One of them is the likely next step and looks it. Nothing that
// stakes chips is in focus by itself, so that a key held too long does nothing.

import { fill, h } from "./dom.js";
import { newKey } from "./api.js";
import { forReader } from "./kept.js";
import { capital, number, t, word } from "./words.js";

const SWITCH = "croupier.shortcuts";
/** The keys, in the order in which the help lists them. */
export const SHORTCUTS = ["D", "F", "C", "P", "1–4", "B", "A", "H", "V", "L", "?"];

/** Whether single keys do something; a reader whose own keys they would take can turn them off. */
export const shortcutsOn = () => forReader.get(SWITCH) !== "off";

/** Turn single keys on or off. */
export const setShortcuts = (on) => forReader.set(SWITCH, on ? "on" : "off");

/**
 * The bar of actions of `table`. `act(work)` runs what a button starts and shows a refusal; `ask` asks for advice.
 */
export function actionBar(table, act, ask) {
  const root = h("section", { class: "actions", "aria-label": t("actions"), tabindex: "-1" });
  let shown = "";
  let keys = new Map();
  let sideBets = {};
  let clientSeed = null;

  function update() {
    const { session, round } = table;
    const now = JSON.stringify([
      session.status,
      round?.number,
      round?.deal,
      round?.stage,
      table.legal,
      table.me,
      Boolean(table.dealing),
      table.mine?.state,
      session.seats.map((seat) => [seat.status, seat.stack]),
    ]);
    if (now === shown) return;
    shown = now;
    const focused = root.contains(document.activeElement) || document.activeElement === document.body;
    keys = new Map();
    fill(root, controls());
    if (focused) root.focus({ preventScroll: true });
  }

  function controls() {
    if (table.session.status !== "open") return null;
    if (table.legal.length)
      return [decisions(), table.session.options.advice && house() ? adviceButton() : null];
    if (table.open || !table.dealing) return null;
    return dealing();
  }

  const house = () => table.session.game !== "no-limit-holdem";

  /** A button with its key: `run` is done by both. */
  function button(label, key, run, { primary = false, kind = "", detail = null } = {}) {
    const element = h(
      "button",
      {
        type: "button",
        class: `${primary ? "primary" : ""} ${kind}`,
        "aria-keyshortcuts": key,
        onclick: run,
      },
      h("span", { class: "what" }, label),
      detail === null ? null : h("span", { class: "cost" }, detail),
      h("kbd", { "aria-hidden": "true" }, key.split(" ")[0]),
    );
    for (const one of key.split(" ")) keys.set(one.toLowerCase(), element);
    return element;
  }

  const decide = (action) => () => act(() => table.decide(action));
  const named = (type) => capital(word(table.session.game, "actions", type));

  function decisions() {
    const legal = table.legal;
    const of = (type) => legal.find((action) => action.type === type);
    const plays = legal
      .filter((action) => action.type === "play")
      .sort((one, other) => other.multiple - one.multiple);
    const sized = of("raise") ?? of("bet");
    const made = [];
    if (of("fold")) made.push(button(named("fold"), "F", decide({ type: "fold" }), { kind: "fold" }));
    if (of("check"))
      made.push(button(named("check"), "C", decide({ type: "check" }), { primary: !plays.length }));
    if (of("call"))
      made.push(
        button(named("call"), "C", decide({ type: "call" }), {
          primary: true,
          detail: number(of("call").amount),
        }),
      );
    plays.forEach((play, at) =>
      made.push(
        button(
          `${named("play")} ${number(play.multiple)}×`,
          at ? String(play.multiple) : `P ${play.multiple}`,
          decide({ type: "play", multiple: play.multiple }),
          { primary: at === 0, detail: number(play.amount) },
        ),
      ),
    );
    if (of("all_in") && !sized)
      made.push(
        button(named("all_in"), "A", decide({ type: "all_in" }), {
          kind: "danger",
          detail: number(of("all_in").amount),
        }),
      );
    // What stakes everything is not done by one key: it is brought into focus.
    if (of("all_in") && !sized) keys.set("a", { click: () => root.querySelector(".danger").focus() });
    if (!sized) return h("div", { class: "row" }, made);
    const { panel, go } = sizing(sized, of("all_in"));
    return [panel, h("div", { class: "row" }, made, go)];
  }

  /** A bet or a raise of a size to choose, by slider, by number or by a usual size. */
  function sizing(action, allIn) {
    const { type, min_to: low, max_to: high } = action;
    const pot = table.round.pots.reduce((sum, one) => sum + one.amount, 0);
    const bet = table.round.current_bet;
    const owed = Math.max(0, bet - table.mine.street_bet);
    const within = (to) => Math.min(high, Math.max(low, Math.round(to)));
    const amount = h("input", {
      type: "number",
      inputmode: "numeric",
      id: "size",
      min: low,
      max: high,
      step: 1,
      value: low,
      "aria-label": t("size.to"),
    });
    const slider = h("input", {
      type: "range",
      min: low,
      max: high,
      step: 1,
      value: low,
      "aria-label": t("size.slide"),
      tabindex: "0",
    });
    const what = h("span", { class: "cost" }, number(low));
    const set = (to) => {
      amount.value = slider.value = to;
      what.textContent = number(to);
    };
    amount.addEventListener(
      "input",
      () => ((slider.value = amount.value), (what.textContent = number(Number(amount.value)))),
    );
    slider.addEventListener("input", () => set(slider.value));
    const send = () => act(() => table.decide({ type, to: Number(amount.value) }));
    amount.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.repeat) send();
    });
    const usual = [
      [t("size.min"), low],
      [t("size.half"), within(bet + (pot + owed) / 2)],
      [t("size.pot"), within(bet + pot + owed)],
      [named("all_in"), high],
    ];
    const go = h(
      "button",
      { type: "button", class: "raise", "aria-keyshortcuts": "B", onclick: send },
      h("span", { class: "what" }, t("size.go", { what: named(type) })),
      what,
      h("kbd", { "aria-hidden": "true" }, "B"),
    );
    keys.set("b", { click: () => (amount.focus(), amount.select()) });
    keys.set("r", keys.get("b"));
    if (allIn) keys.set("a", { click: () => (set(high), go.focus()) });
    const panel = h(
      "div",
      { class: "sizing", role: "group", "aria-label": named(type) },
      h(
        "div",
        { class: "usual" },
        usual.map(([label, to]) =>
          h("button", { type: "button", class: "quiet", onclick: () => set(to) }, label),
        ),
      ),
      slider,
      amount,
    );
    return { panel, go };
  }

  const adviceButton = () =>
    h("div", { class: "row minor" }, button(t("advice.ask"), "H", ask, { kind: "quiet" }));

  function dealing() {
    const first = table.round === null;
    return [
      h(
        "div",
        { class: "row" },
        button(first ? t("deal.first") : t("deal.next"), "D", deal, { primary: true, kind: "big" }),
      ),
      bets(),
    ];
  }

  /** The optional bets, which go with the deal; what was bet last is proposed again. */
  function bets() {
    const { trips, hole_card_bonus: bonus, side_bet_max: most } = table.session.options;
    const offered = [...(trips && trips !== "off" ? ["trips"] : []), ...(bonus ? ["hole_card_bonus"] : [])];
    if (!offered.length) return null;
    return h(
      "div",
      { class: "side-bets", role: "group", "aria-label": t("bets.optional") },
      offered.map((bet) => {
        const id = `bet-${bet}`;
        const control = h("input", {
          id,
          type: "number",
          inputmode: "numeric",
          min: 0,
          max: most,
          step: 1,
          value: sideBets[bet] ?? 0,
        });
        return h(
          "div",
          { class: "field" },
          h("label", { for: id }, capital(word(table.session.game, "bets", bet))),
          control,
        );
      }),
    );
  }

  function deal() {
    for (const input of root.querySelectorAll(".side-bets input"))
      sideBets[input.id.slice(4)] = Number(input.value);
    const staked = Object.fromEntries(Object.entries(sideBets).filter(([, amount]) => amount > 0));
    const seats = table.session.seats.filter(
      (seat) => seat.status === "playing" && table.held.includes(seat.seat),
    );
    const asked = Object.keys(staked).length ? seats.map(({ seat }) => ({ seat, ...staked })) : [];
    return act(() => table.deal(asked, clientSeed ?? newKey()));
  }

  /** Do what `key` stands for; whether it stood for anything. */
  function press(key) {
    const wanted = keys.get(key.toLowerCase());
    if (!wanted || wanted.disabled) return false;
    wanted.click();
    return true;
  }

  return {
    root,
    update,
    press,
    busy: (is) => root.querySelectorAll("button").forEach((one) => (one.disabled = is)),
    seedWith: (text) => (clientSeed = text),
  };
}
