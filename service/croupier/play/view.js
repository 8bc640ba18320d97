// The view of one table: the felt, its actions and the panels beside them, kept in step with what happens.

import { actionBar, shortcutsOn } from "./actions.js";
import { Problem } from "./api.js";
import { chart } from "./chart.js";
import { fill, h, whenChanged } from "./dom.js";
import { fairnessPanel } from "./fairness.js";
import { felt } from "./felt.js";
import { linkTo } from "./keys.js";
import { ledgerPanel } from "./ledger.js";
import { handedOut } from "./links.js";
import { advicePanel, paysPanel, receipt } from "./receipt.js";
import { sentences } from "./said.js";
import { seatsPanel } from "./seats.js";
import { gameName, t } from "./words.js";

/**
 * Show `table`. `trouble(problem)` shows a refusal, null clears it; `say(text)` is heard; `left()` is called when
 * the reader goes back to the lobby. Answers `{root, press, end}`.
 */
export function tableView(table, { trouble, say, left, help }) {
  let working = false;
  const line = h("p", { class: "line", role: "status" });
  const cloth = felt(table);
  const advice = advicePanel(table);
  const actions = actionBar(table, act, askAdvice);
  const proof = fairnessPanel(table, actions.seedWith, act);
  const ledger = ledgerPanel(table);
  const panels = [receipt(table), advice, chart(table), proof, seatsPanel(table, act, say), ledger].filter(
    Boolean,
  );
  const clock = h("p", { class: "clock", hidden: true });
  const foot = h("div", { class: "leave" });
  const carried = h("div", { class: "given" });
  const root = h(
    "div",
    { class: "playing" },
    h("h1", { class: "heard" }, gameName(table.session.game)),
    h("div", { class: "stand" }, line, cloth.root, h("div", { class: "bar" }, clock, actions.root)),
    h(
      "aside",
      { class: "side", "aria-label": t("beside") },
      panels.map((panel) => panel.root),
      paysPanel(table),
      foot,
      carried,
    ),
  );

  /** Do `work`, one thing at a time; a refusal is shown, and what can be read again has been. */
  async function act(work) {
    if (working) return;
    working = true;
    actions.busy(true);
    root.setAttribute("aria-busy", "true");
    trouble(null);
    try {
      await work();
      if (cloth.root.getBoundingClientRect().top < -60) cloth.root.scrollIntoView();
    } catch (refused) {
      if (!(refused instanceof Problem)) throw refused;
      trouble(refused);
      if (refused.status === 409) await table.read().catch(() => {});
    } finally {
      working = false;
      actions.busy(false);
      root.removeAttribute("aria-busy");
      update();
    }
  }

  /** Advice may take its time; nobody has to wait for it to decide. */
  async function askAdvice() {
    trouble(null);
    try {
      const told = await advice.ask();
      if (!told) return;
      say(told);
      advice.root.scrollIntoView({ block: "nearest" });
    } catch (refused) {
      if (!(refused instanceof Problem)) throw refused;
      trouble(refused);
    }
  }

  const mayClose = () => table.session.status === "open" && !table.open && Boolean(table.dealing);
  const leaving = whenChanged(mayClose, () =>
    fill(
      foot,
      h("button", { type: "button", class: "quiet", onclick: left }, t("leave")),
      h("button", { type: "button", class: "quiet", onclick: carryOn }, t("carry")),
      mayClose()
        ? h("button", { type: "button", class: "quiet", onclick: () => act(() => table.close()) }, t("close"))
        : null,
    ),
  );

  /** The link to go on elsewhere, on a phone say: with every key that this browser has to the table. */
  async function carryOn() {
    const link = linkTo(table.id, table.keys);
    const { told, parts } = await handedOut(link, t("carry.label"), t("carry.copied"), t("carry.copy"));
    fill(carried, parts);
    carried.querySelector("input").select();
    say(told);
  }

  function update() {
    cloth.update();
    actions.update();
    actions.busy(working);
    for (const panel of panels) panel.update();
    line.textContent = table.online ? "" : t("offline");
    leaving();
    tick();
  }

  /** How long there is left to decide. */
  function tick() {
    const deadline = table.round?.deadline;
    clock.hidden = !deadline;
    if (!deadline) return;
    const seconds = Math.max(0, Math.ceil((new Date(deadline) - Date.now()) / 1000));
    clock.textContent = t("seconds", { seconds });
    clock.classList.toggle("soon", seconds <= 5);
  }
  const ticking = setInterval(tick, 500);

  const onChange = ({ detail: { before, after } }) => {
    update();
    // Balances come a moment after the round that changed them: that is no news.
    const news = ({ round, status }) => JSON.stringify([round, status]);
    if (!before || news(before) !== news(after)) say(sentences(table, before).join(" "));
  };
  const events = {
    change: onChange,
    ledger: update,
    seat: update,
    line: update,
    lost: ({ detail }) => trouble(detail.problem),
  };
  for (const [name, listener] of Object.entries(events)) table.addEventListener(name, listener);
  update();
  say(sentences(table, null).join(" "));

  /** A single key, unless it is meant for something that is written into. */
  function press(event) {
    if (!shortcutsOn() || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, select, textarea, dialog")) return;
    const own = {
      "?": help,
      v: () => toggled(proof.root.querySelector("details")),
      l: () => toggled(ledger.root),
    }[event.key.toLowerCase()];
    if (own) own();
    else if (!actions.press(event.key)) return;
    event.preventDefault();
  }

  function end() {
    clearInterval(ticking);
    for (const [name, listener] of Object.entries(events)) table.removeEventListener(name, listener);
    table.leaveView();
  }

  return { root, press, end };
}

function toggled(details) {
  details.open = !details.open;
  if (details.open) details.querySelector("summary").focus();
}
