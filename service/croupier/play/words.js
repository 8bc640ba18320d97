// The words of the page in the reader's language, and how it writes numbers. What the games call things comes
// from the catalogue; what a hand or a refusal is called comes with the answer, asked for in this language.

import { forReader } from "./kept.js";

export const LOCALES = {
  en: "English",
  es: "Español",
  fr: "Français",
  pt: "Português",
  "pt-BR": "Português (Brasil)",
};
const CHOSEN = "croupier.locale";

let words = {};
let chosen = "en";
let catalogue = { games: [], hands: [] };

/** The locale the page speaks. */
export const locale = () => chosen;

/** What the browser's languages come to: an exact match first, then the language alone. */
export function preferred(languages = navigator.languages ?? [navigator.language]) {
  const kept = forReader.get(CHOSEN);
  if (kept in LOCALES) return kept;
  for (const language of languages) {
    const exact = Object.keys(LOCALES).find((one) => one.toLowerCase() === language.toLowerCase());
    const close = exact ?? Object.keys(LOCALES).find((one) => one === language.toLowerCase().split("-")[0]);
    if (close) return close;
  }
  return "en";
}

/** Speak `wanted` from now on. */
export async function speak(wanted, { remember = false } = {}) {
  const answer = await fetch(`/play/words-${wanted}.json`);
  if (!answer.ok) throw new Error(`no words in ${wanted}`);
  words = await answer.json();
  chosen = wanted;
  document.documentElement.lang = wanted;
  if (remember) forReader.set(CHOSEN, wanted);
}

/** The words for `key`, with `{names}` filled in from `values`; numbers are written as the locale does. */
export function t(key, values = {}) {
  const text = words[key];
  if (text === undefined) throw new Error(`no words for ${key} in ${chosen}`);
  return text.replace(/\{(\w+)\}/g, (_, name) => {
    const value = values[name];
    return typeof value === "number" ? number(value) : String(value ?? "");
  });
}

/** Whether there are words for `key`: options and verbs may come that this page does not know yet. */
export const knows = (key) => key in words;

/** Take `given` as the catalogue that names games, stages, bets, actions and hands. */
export function nameFrom(given) {
  catalogue = given;
}

/** The catalogue's entry of `game`. */
export const gameOf = (game) => catalogue.games.find((one) => one.game === game);

const named = (entry, code) => entry?.names[chosen] ?? entry?.names.en ?? code.replaceAll("_", " ");

/** What people call a game. */
export const gameName = (game) => named(gameOf(game), game);

/** What people call a stage, a bet or an action of `game`: `kind` is `stages`, `bets` or `actions`. */
export function word(game, kind, code) {
  if (code === "voided") return t("stage.voided");
  return named(
    gameOf(game)?.[kind].find((one) => one.code === code),
    code,
  );
}

/** What people call a category of hands, or another line of a pay table. */
export function lineName(code) {
  const hand = catalogue.hands.find((one) => one.category === code);
  return hand ? named(hand, code) : knows(`line.${code}`) ? t(`line.${code}`) : code.replaceAll("_", " ");
}

/** A number as the locale writes it. */
export const number = (value) => new Intl.NumberFormat(chosen).format(value);

/** A number with its sign, a true minus and all. */
export function signed(value, digits = 0) {
  const text = new Intl.NumberFormat(chosen, {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    signDisplay: "exceptZero",
  }).format(value);
  return text.replace("-", "\u2212");
}

/** A number with its sign, in short where it is long: for the edge of a chart. */
export const brief = (value) =>
  Math.abs(value) < 10_000
    ? signed(value)
    : new Intl.NumberFormat(chosen, {
        notation: "compact",
        maximumFractionDigits: 1,
        signDisplay: "exceptZero",
      })
        .format(value)
        .replace("-", "\u2212");

/** A percentage, from the text of an exact one. */
export const percent = (text, digits = 3) =>
  new Intl.NumberFormat(chosen, { style: "percent", maximumFractionDigits: digits }).format(
    Number(text) / 100,
  );

/** A time of day. */
export const clock = (rfc3339) =>
  new Intl.DateTimeFormat(chosen, { hour: "2-digit", minute: "2-digit", second: "2-digit" }).format(
    new Date(rfc3339),
  );

/** `text` with a capital first letter, as a label has it. */
export const capital = (text) => text.charAt(0).toLocaleUpperCase(chosen) + text.slice(1);

/** A card in words. */
export const cardName = (card) => t("card", { rank: t(`rank.${card[0]}`), suit: t(`suit.${card[1]}`) });

/** Several things in a sentence. */
export const list = (things) => new Intl.ListFormat(chosen, { type: "conjunction" }).format(things);
