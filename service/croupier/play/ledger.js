// The ledger as the API gives it: every entry, the totals, and whether the chain of hashes holds, worked out here.

import { fill, h, whenChanged } from "./dom.js";
import { toned } from "./felt.js";
import { able, brokenLink } from "./proof.js";
import { clock, number, signed, t } from "./words.js";

const SHOWN = 40;

/** The ledger of `table`. */
export function ledgerPanel(table) {
  const totals = h("dl", { class: "totals" });
  const chain = h("p", { class: "mark" });
  const body = h("tbody");
  const more = h(
    "button",
    { type: "button", class: "quiet", onclick: () => ((shown += SHOWN), update()) },
    t("ledger.more"),
  );
  const root = h(
    "details",
    { class: "panel ledger" },
    h("summary", {}, h("h2", {}, t("ledger.name")), h("span", { class: "count" })),
    totals,
    chain,
    h(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": t("ledger.name") },
      h(
        "table",
        {},
        h("caption", { class: "heard" }, t("ledger.name")),
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            [t("ledger.number"), t("ledger.what")].map((text) => h("th", { scope: "col" }, text)),
            [t("net"), t("balance")].map((text) => h("th", { scope: "col", class: "n" }, text)),
          ),
        ),
        body,
      ),
    ),
    more,
  );
  let shown = SHOWN;

  const update = whenChanged(() => [table.ledger.entries.at(-1)?.hash, table.me, shown], draw);

  function draw() {
    const { entries } = table.ledger;
    const seen = table.me ?? 1;
    const own = table.ledger.totals.find((one) => one.seat === seen);
    root.querySelector(".count").textContent = number(entries.length);
    fill(
      totals,
      own
        ? [
            ["rounds", own.rounds],
            ["won", own.won],
            ["lost", own.lost],
            ["tied", own.tied],
            ["staked", own.staked],
            ["returned", own.returned],
          ].map(([name, value]) =>
            h("div", { "data-total": name }, h("dt", {}, t(`totals.${name}`)), h("dd", {}, number(value))),
          )
        : null,
    );
    fill(
      body,
      entries
        .slice(-shown)
        .reverse()
        .map((entry) => row(entry, seen)),
    );
    more.hidden = entries.length <= shown;
    if (root.open) checkChain(entries);
  }

  /** The chain is worked out only where somebody looks. */
  async function checkChain(entries) {
    if (!able()) return void (chain.textContent = t("proof.unable"));
    const broken = await brokenLink(entries);
    chain.className = `mark ${broken ? "failed" : "verified"}`;
    chain.textContent = broken ? t("ledger.broken", { entry: broken }) : t("ledger.whole");
  }

  root.addEventListener("toggle", () => root.open && checkChain(table.ledger.entries));
  return { root, update };
}

function row(entry, seat) {
  const own = Array.isArray(entry.seats) ? entry.seats.find((one) => one.seat === seat) : null;
  const net = own?.net;
  const values = { round: entry.round, seat: entry.seat, amount: entry.amount, reason: entry.reason };
  return h(
    "tr",
    { "data-entry": entry.seq, title: `${clock(entry.at)} · ${entry.hash.slice(0, 12)}…` },
    h("th", { scope: "row" }, number(entry.seq)),
    h("td", {}, t(`entry.${entry.type}`, values)),
    h("td", { class: `n ${toned(net)}` }, net === undefined ? "" : signed(net)),
    h("td", { class: "n" }, own?.balance === undefined ? "" : signed(own.balance)),
  );
}
