// The page: the language, the theme and the keys' help at the top; below them the lobby or a table.

import { SHORTCUTS, setShortcuts, shortcutsOn } from "./actions.js";
import { Problem, get } from "./api.js";
import { byId, fill, h } from "./dom.js";
import { forReader } from "./kept.js";
import { drop, fromAddress, goTo, keysTo } from "./keys.js";
import { lobby } from "./lobby.js";
import { Table } from "./table.js";
import { tableView } from "./view.js";
import { LOCALES, gameName, knows, locale, nameFrom, preferred, speak, t } from "./words.js";

const THEME = "croupier.theme";
const THEMES = ["auto", "light", "dark"];
const main = byId("main");
let catalogue = null;
let view = null;

/** Show a refusal: what happened, what was wrong with which field, or what to do; null takes it away. */
function trouble(problem) {
  if (!problem) return void fill(byId("trouble"));
  const unreachable = problem.status === 0;
  const title = unreachable ? t("unreachable.title") : problem.title;
  const detail = unreachable ? t("unreachable.detail") : problem.detail;
  const told = problem.errors?.length
    ? [h("p", {}, h("b", {}, title)), h("ul", {}, problem.errors.map(fieldError))]
    : [h("p", {}, h("b", {}, title), " ", detail), h("p", { class: "remedy" }, problem.remedy)];
  fill(
    byId("trouble"),
    h(
      "div",
      { class: "notice bad" },
      h("div", {}, told),
      h("button", { type: "button", class: "quiet", onclick: () => trouble(null) }, t("dismiss")),
    ),
  );
}

/** What is wrong with one field, by the name that the form has for it. */
function fieldError({ pointer, detail }) {
  const option = `option.${pointer.split("/")[1]}`;
  return h("li", {}, h("b", {}, knows(option) ? t(option) : pointer || "/"), ` ${detail}`);
}

/** Have `text` read out. */
function say(text) {
  byId("said").textContent = text;
}

function chrome() {
  document.title = "Croupier";
  byId("skip").textContent = t("skip");
  byId("skip").hidden = false;
  const theme = forReader.get(THEME) ?? "auto";
  document.documentElement.dataset.theme = theme;
  fill(
    byId("tools"),
    h("label", { class: "heard", for: "language" }, t("language")),
    h(
      "select",
      { id: "language", onchange: (event) => inLocale(event.target.value) },
      Object.entries(LOCALES).map(([code, name]) =>
        h("option", { value: code, lang: code, selected: code === locale() }, name),
      ),
    ),
    h("label", { class: "heard", for: "theme" }, t("theme")),
    h(
      "select",
      { id: "theme", onchange: (event) => inTheme(event.target.value) },
      THEMES.map((one) => h("option", { value: one, selected: one === theme }, t(`theme.${one}`))),
    ),
    h(
      "button",
      { type: "button", class: "quiet", id: "keys", "aria-haspopup": "dialog", onclick: help },
      t("keys.name"),
    ),
  );
}

function inTheme(theme) {
  forReader.set(THEME, theme);
  document.documentElement.dataset.theme = theme;
}

/** Go on in another language, where the page stands. */
async function inLocale(wanted) {
  await speak(wanted, { remember: true });
  chrome();
  await route();
  byId("language").focus();
}

/** The keys, and a switch for readers whose own keys they would take. */
function help() {
  const sheet = byId("help");
  const on = h("input", {
    type: "checkbox",
    id: "shortcuts-on",
    checked: shortcutsOn(),
    onchange: (event) => setShortcuts(event.target.checked),
  });
  fill(
    sheet,
    h("h2", { id: "help-name" }, t("keys.title")),
    h(
      "dl",
      { class: "keys" },
      SHORTCUTS.map((key, at) => h("div", {}, h("dt", {}, h("kbd", {}, key)), h("dd", {}, t(`key.${at}`)))),
    ),
    h("p", { class: "field check" }, on, h("label", { for: "shortcuts-on" }, t("keys.on"))),
    h("button", { type: "button", class: "primary", onclick: () => sheet.close() }, t("keys.close")),
  );
  sheet.setAttribute("aria-labelledby", "help-name");
  sheet.showModal();
}

function toLobby() {
  view?.end();
  view = null;
  goTo(null);
  document.body.dataset.view = "lobby";
  byId("where").textContent = "";
  fill(main, lobby(catalogue, sitDown, trouble));
  scrollTo(0, 0);
}

/** Sit down at the table `id`, to which this tab has a key. */
async function sitDown(id) {
  view?.end();
  trouble(null);
  const table = new Table(id);
  try {
    await table.enter();
  } catch (refused) {
    if (!(refused instanceof Problem)) throw refused;
    toLobby();
    trouble(refused);
    if (refused.status === 404 || refused.status === 401) drop(id);
    return;
  }
  goTo(id);
  document.body.dataset.view = "table";
  byId("where").textContent = gameName(table.session.game);
  document.title = `${gameName(table.session.game)} · Croupier`;
  view = tableView(table, { trouble, say, left: toLobby, help });
  fill(main, view.root);
  scrollTo(0, 0);
  view.root.querySelector(".actions").focus({ preventScroll: true });
}

/** Show what the address names. */
async function route() {
  const named = fromAddress();
  if (named?.keys && keysTo(named.id)) return sitDown(named.id);
  toLobby();
  if (named) trouble(new Problem(401, { title: t("no_key.title"), detail: t("no_key.detail") }));
}

byId("skip").addEventListener("click", (event) => {
  // The address keeps naming the table.
  event.preventDefault();
  main.focus();
});
addEventListener("keydown", (event) => view?.press(event));
addEventListener("hashchange", route);
byId("brand").addEventListener("click", (event) => {
  event.preventDefault();
  toLobby();
});

await speak(preferred());
chrome();
try {
  catalogue = await get("/v1/games");
  nameFrom(catalogue);
  await route();
} catch (refused) {
  if (!(refused instanceof Problem)) throw refused;
  trouble(refused);
}
