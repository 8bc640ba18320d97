// Choosing a game and what it is played for: the form is made from the catalogue, so it asks what the server asks.

import { Problem, post } from "./api.js";
import { cardList, showCards } from "./cards.js";
import { fill, h } from "./dom.js";
import { hold, tables } from "./keys.js";
import { capital, gameName, knows, number, percent, t } from "./words.js";

/** What a newcomer is asked first; everything else waits under "more". */
const FIRST = new Set(["ante", "rounds", "seats", "small_blind", "big_blind", "buy_in"]);
const HANDS = {
  "casino-holdem": ["As", "Kd"],
  "ultimate-texas-holdem": ["Qh", "Qc"],
  "no-limit-holdem": ["Jd", "Tc"],
};
let operatorKey = "";

/** The lobby: `started(id)` is called when a table is ready. */
export function lobby(catalogue, started, trouble) {
  const root = h("section", { class: "lobby" });
  const form = h("form", { class: "start", onsubmit: submit, novalidate: true });
  const choices = h("div", { class: "choices" });
  const asked = h("div", { class: "asked" });
  const fields = new Map();
  let chosen = catalogue.games[0].game;
  let keyBox;

  function choose(game) {
    chosen = game;
    const entry = catalogue.games.find((one) => one.game === game);
    fields.clear();
    const own = entry.options.map((option) => [option, field(option, entry)]);
    const more = own.filter(([option]) => !isFirst(option, game)).map(([, element]) => element);
    fill(
      asked,
      h(
        "fieldset",
        { class: "fields" },
        h("legend", {}, t("lobby.stakes")),
        own.filter(([option]) => isFirst(option, game)).map(([, element]) => element),
        h("p", { class: "units" }, t("lobby.units")),
      ),
      h(
        "details",
        { class: "more" },
        h("summary", {}, t("lobby.more")),
        h("div", { class: "fields" }, more, common()),
      ),
    );
    showEdge(entry);
  }

  const isFirst = (option, game) =>
    FIRST.has(option.name) && !(game === "no-limit-holdem" && option.name === "ante");

  /** One option as a labelled control; its reader goes into `fields`. */
  function field(option, entry) {
    const id = `option-${option.name}`;
    const label = knows(`option.${option.name}`)
      ? t(`option.${option.name}`)
      : capital(option.name.replaceAll("_", " "));
    let control;
    if (option.type === "boolean") {
      control = h("input", { id, type: "checkbox", checked: option.default });
      fields.set(option.name, () => control.checked);
      return h("div", { class: "field check" }, control, h("label", { for: id }, label));
    }
    if (option.values) {
      const choice = (value) => (knows(`choice.${value}`) ? t(`choice.${value}`) : value);
      control = h(
        "select",
        { id, onchange: () => showEdge(entry) },
        option.values.map((value) =>
          h("option", { value, selected: value === option.default }, capital(choice(value))),
        ),
      );
      fields.set(option.name, () => control.value);
    } else if (option.type === "integers") {
      control = listControl(id, option, entry);
    } else {
      const hint = option.nullable ? t("lobby.no_limit") : null;
      control = h("input", {
        id,
        type: "number",
        inputmode: "numeric",
        min: option.min,
        max: option.max,
        step: 1,
        value: option.default,
        placeholder: hint,
        required: !option.nullable,
      });
      fields.set(option.name, () => (control.value === "" ? null : Number(control.value)));
    }
    return h("div", { class: "field" }, h("label", { for: id }, label), control);
  }

  function listControl(id, option, entry) {
    const known = [
      ...new Set(entry.profiles.map((profile) => JSON.stringify(profile[option.name] ?? null))),
    ].filter((text) => text !== "null");
    if (known.length) {
      const control = h(
        "select",
        { id, onchange: () => showEdge(entry) },
        known.map((text) =>
          h(
            "option",
            { value: text, selected: text === JSON.stringify(option.default) },
            JSON.parse(text)
              .map((value) => `${number(value)}×`)
              .join(" / "),
          ),
        ),
      );
      fields.set(option.name, () => JSON.parse(control.value));
      return control;
    }
    const control = h("input", {
      id,
      type: "text",
      inputmode: "numeric",
      placeholder: t("lobby.each_brings"),
    });
    fields.set(option.name, () => {
      const values = control.value
        .split(/[\s,;]+/)
        .filter(Boolean)
        .map(Number);
      return values.length ? values : null;
    });
    return control;
  }

  /** Options that every game has. */
  function common() {
    const seconds = h("input", {
      id: "option-decision_seconds",
      type: "number",
      inputmode: "numeric",
      min: 1,
      placeholder: t("lobby.no_limit"),
    });
    const advice = h("input", { id: "option-advice", type: "checkbox", checked: true });
    fields.set("decision_seconds", () => (seconds.value === "" ? null : Number(seconds.value)));
    fields.set("advice", () => advice.checked);
    return [
      h("div", { class: "field" }, h("label", { for: seconds.id }, t("option.decision_seconds")), seconds),
      h("div", { class: "field check" }, advice, h("label", { for: advice.id }, t("option.advice"))),
    ];
  }

  const edge = h("p", { class: "edge", "aria-live": "polite" });
  function showEdge(entry) {
    const is = (profile) =>
      (!fields.has("profile") || profile.profile === fields.get("profile")()) &&
      (!profile.preflop_multiples ||
        JSON.stringify(profile.preflop_multiples) === JSON.stringify(fields.get("preflop_multiples")()));
    const profile = entry.profiles.find(is);
    edge.textContent = profile
      ? t("lobby.edge", { percent: percent(profile.house_edge_percent) })
      : t("lobby.no_house");
  }

  const gameChoice = (entry, at) => {
    const id = `game-${entry.game}`;
    const seats =
      entry.seats.min === entry.seats.max
        ? number(entry.seats.min)
        : `${number(entry.seats.min)}–${number(entry.seats.max)}`;
    const fan = cardList("", "fan");
    fan.setAttribute("aria-hidden", "true");
    showCards(fan, HANDS[entry.game] ?? ["As", "Ac"]);
    return h(
      "div",
      { class: "choice" },
      h("input", {
        type: "radio",
        name: "game",
        id,
        value: entry.game,
        checked: at === 0,
        onchange: () => choose(entry.game),
      }),
      h(
        "label",
        { for: id },
        fan,
        h("span", { class: "title" }, gameName(entry.game)),
        h("span", { class: "about" }, knows(`about.${entry.game}`) ? t(`about.${entry.game}`) : ""),
        h("span", { class: "count" }, t("lobby.seat_count", { seats })),
      ),
    );
  };

  async function submit(event) {
    event.preventDefault();
    const button = form.querySelector("button.primary");
    const options = Object.fromEntries([...fields].map(([name, read]) => [name, read()]));
    button.disabled = true;
    marked([]);
    try {
      operatorKey = keyBox.querySelector("input").value.trim();
      const answer = await post("/v1/sessions", { game: chosen, ...options }, operatorKey || null);
      const seats = Object.fromEntries(answer.tokens.seats.map((token, at) => [at + 1, token]));
      hold(answer.session.id, { table: answer.tokens.table, seats, me: 1, promises: {}, game: chosen });
      started(answer.session.id);
    } catch (refused) {
      if (!(refused instanceof Problem)) throw refused;
      marked(refused.errors ?? []);
      if (refused.status === 401) {
        keyBox.open = true;
        keyBox.querySelector("input").focus();
      }
      trouble(refused);
    } finally {
      button.disabled = false;
    }
  }

  /** Point at the fields that a refusal names. */
  function marked(errors) {
    for (const input of form.querySelectorAll("[aria-invalid]")) input.removeAttribute("aria-invalid");
    for (const { pointer } of errors) {
      const input = form.querySelector(`#option-${CSS.escape(pointer.split("/")[1] ?? "")}`);
      if (!input) continue;
      input.setAttribute("aria-invalid", "true");
      input.closest("details")?.setAttribute("open", "");
      input.focus();
    }
  }

  keyBox = h(
    "details",
    { class: "more" },
    h("summary", {}, t("lobby.key")),
    h(
      "div",
      { class: "field" },
      h("label", { for: "operator-key" }, t("lobby.key_label")),
      h("input", {
        id: "operator-key",
        type: "password",
        autocomplete: "off",
        spellcheck: "false",
        value: operatorKey,
      }),
      h("p", { class: "units" }, t("lobby.key_note")),
    ),
  );

  fill(choices, catalogue.games.map(gameChoice));
  fill(
    form,
    h("fieldset", { class: "games" }, h("legend", {}, t("lobby.game")), choices),
    asked,
    keyBox,
    h("div", { class: "go" }, h("button", { class: "primary big", type: "submit" }, t("lobby.start")), edge),
  );
  fill(
    root,
    h("div", { class: "welcome" }, h("h1", {}, t("lobby.title")), h("p", {}, t("lobby.lead"))),
    form,
    resumable(started),
  );
  choose(chosen);
  return root;
}

/** The tables that this tab may go back to. */
function resumable(started) {
  const known = tables();
  if (!known.length) return null;
  return h(
    "section",
    { class: "resume" },
    h("h2", {}, t("lobby.resume")),
    h(
      "ul",
      {},
      known.map(({ id, game, me }) =>
        h(
          "li",
          {},
          h(
            "button",
            { type: "button", onclick: () => started(id) },
            `${game ? gameName(game) : t("lobby.table")} · ${id.slice(0, 6)}…`,
            me ? ` · ${t("seat", { seat: me })}` : "",
          ),
        ),
      ),
    ),
  );
}
