// The proof of the latest round as a plain mark, with all that it rests on for those who want to look.

import { fill, h } from "./dom.js";
import { able, check } from "./proof.js";
import { list, t } from "./words.js";

const MARKS = { verified: "✓", failed: "✗", waiting: "…", scripted: "!", unable: "?" };

/** The fairness panel; `seeded(text)` takes the reader's own client seed, null for a random one. */
export function fairnessPanel(table, seeded, act) {
  const mark = h("p", { class: "mark waiting", id: "proof", role: "status" });
  const steps = h("ul", { class: "steps" });
  const facts = h("dl", { class: "facts" });
  const all = h("ul", { class: "steps all" });
  const seed = h("input", {
    id: "client-seed",
    type: "text",
    maxlength: 128,
    autocomplete: "off",
    placeholder: t("proof.random"),
  });
  const mine = h(
    "div",
    { class: "field seed" },
    h("label", { for: "client-seed" }, t("proof.your_seed")),
    seed,
  );
  const root = h(
    "section",
    { class: "panel fairness", "aria-labelledby": "fair-name" },
    h("header", {}, h("h2", { id: "fair-name" }, t("proof.name")), mark),
    h(
      "details",
      {},
      h("summary", {}, t("proof.details")),
      h("p", { class: "note" }, t("proof.how")),
      steps,
      facts,
      mine,
      all,
    ),
  );
  let shown = "";

  seed.addEventListener("change", () => {
    const text = seed.value.trim() || null;
    if (table.dealing) seeded(text);
    else if (text && table.me) act(() => table.change(table.me, { do: "client_seed", value: text }));
  });

  async function update() {
    const { round, session } = table;
    const now = JSON.stringify([round, session.next_commitment, session.status]);
    if (now === shown) return;
    shown = now;
    const found = round
      ? await check(round, session.id, table.promised(round))
      : { verdict: "waiting", steps: [] };
    if (now !== shown) return;
    show(mark, found.verdict);
    fill(steps, found.steps.map(stepLine));
    fill(
      facts,
      Object.entries({
        next: session.next_commitment,
        commitment: round?.fairness.commitment,
        server_seed: round?.fairness.server_seed,
        client_seed: round?.fairness.client_seed || null,
      })
        .filter(([, value]) => value)
        .map(([name, value]) =>
          h("div", {}, h("dt", {}, t(`proof.${name}`)), h("dd", {}, h("code", {}, value))),
        ),
    );
    if (session.status !== "open" && session.game === "no-limit-holdem" && able()) await checkAll();
  }

  /** No-limit tells its seeds when the session is over: then every round is gone through. */
  async function checkAll() {
    const rounds = await table.rounds();
    const checked = await Promise.all(rounds.map((round) => check(round, table.id, table.promised(round))));
    fill(
      all,
      rounds.map((round, at) =>
        h(
          "li",
          { class: checked[at].verdict },
          h("b", {}, MARKS[checked[at].verdict]),
          ` ${t("round", { round: round.number })}: ${t(`proof.${checked[at].verdict}`)}`,
        ),
      ),
    );
    const verdict = ["failed", "scripted", "waiting"].find((one) =>
      checked.some((found) => found.verdict === one),
    );
    show(mark, verdict ?? "verified");
  }

  return { root, update };
}

function show(mark, verdict) {
  mark.className = `mark ${verdict}`;
  mark.dataset.verdict = verdict;
  fill(mark, h("b", { "aria-hidden": "true" }, MARKS[verdict]), ` ${t(`proof.${verdict}`)}`);
}

function stepLine({ step, ok, seat, due, shown }) {
  const verdict = ok === null ? "unable" : ok ? "verified" : "failed";
  const cards = ok === false && due ? ` ${t("proof.due", { due: list(due), shown: list(shown) })}` : "";
  return h(
    "li",
    { class: verdict, "data-step": step },
    h("b", { "aria-hidden": "true" }, MARKS[verdict]),
    ` ${t(`step.${step}${ok === null ? ".unknown" : ok ? "" : ".failed"}`, { seat })}${cards}`,
  );
}
