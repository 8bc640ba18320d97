// A whole match of each game over the generated TypeScript client, and nothing else: `node play.mjs URL KEY`.
// Prints what came of it as JSON. Copied by its test to where the client was generated.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import createClient, { type Client } from "openapi-fetch";
import type { components, paths } from "./croupier.js";

type Schemas = components["schemas"];
type Api = Client<paths>;
type Played = { id: string; game: Schemas["GameName"]; result: Schemas["Result"]; rounds: number; decisions: number; ledger: Sums; events: number };
type Sums = { entries: number; nets: number[]; last: string };

/** The server answered with a problem document. */
class Refused extends Error {
  constructor(readonly problem: Schemas["Problem"]) {
    super(`${problem.status} ${problem.code}: ${problem.detail}`);
  }
}

/** The answer itself; throws `Refused` for a problem. */
function given<Answer>({ data, error }: { data?: Answer; error?: Schemas["Problem"] }): Answer {
  if (error) throw new Refused(error);
  assert(data !== undefined, "an answer that the document does not know");
  return data;
}

/** A first hand of small raises, then all that is in front; against the dealer, never a fold. */
function choice(legal: Schemas["LegalAction"][], hand: number): Schemas["Action"] {
  const worth = (action: Schemas["LegalAction"]): number => {
    switch (action.type) {
      case "raise":
        return hand === 1 && action.min_to <= 400 ? 5 : 0;
      case "all_in":
        return hand > 1 ? 4 : 0;
      case "play":
        return hand % 2 ? 3 + action.multiple / 10 : 1;
      case "check":
      case "call":
        return 2;
      case "bet":
      case "fold":
        return 0;
    }
  };
  const best = legal.reduce((one, other) => (worth(other) > worth(one) ? other : one));
  switch (best.type) {
    case "raise":
    case "bet":
      return { type: best.type, to: best.min_to };
    case "play":
      return { type: best.type, multiple: best.multiple };
    default:
      return { type: best.type };
  }
}

class Match {
  private constructor(
    private readonly started: Schemas["Started"],
    private readonly table: Api,
    private readonly seats: Api[],
  ) {}

  static async start(url: string, key: string, body: Schemas["StartRequest"]): Promise<Match> {
    const client = (token: string): Api => createClient<paths>({ baseUrl: url, headers: { Authorization: `Bearer ${token}` } });
    const request = { body, params: { header: { "Idempotency-Key": randomUUID() } } };
    const started = given(await client(key).POST("/v1/sessions", request));
    const again = await client(key).POST("/v1/sessions", request);
    assert.deepEqual(given(again), started);
    assert.equal(again.response.headers.get("Idempotency-Replayed"), "true");
    return new Match(started, client(started.tokens.table), started.tokens.seats.map(client));
  }

  private get path(): { session_id: string } {
    return { session_id: this.started.session.id };
  }

  private seat(number: number | undefined): Api {
    const seat = this.seats[(number ?? 0) - 1];
    assert(seat);
    return seat;
  }

  private async position(client: Api): Promise<Schemas["Session"]> {
    return given(await client.GET("/v1/sessions/{session_id}", { params: { path: this.path } }));
  }

  /** Deal and decide until the session is finished. */
  async play(): Promise<Played> {
    let rounds = 0;
    let decisions = 0;
    let session = await this.position(this.table);
    while (session.status === "open") {
      let round = given(
        await this.table.POST("/v1/sessions/{session_id}/deal", {
          params: { path: this.path, header: { "Idempotency-Key": randomUUID() } },
          body: { client_seed: `luck ${rounds}`, version: session.version },
        }),
      );
      rounds += 1;
      if (rounds === 1) {
        await this.isRefused(round);
        await this.isAdvised(round);
      }
      for (; !round.settlement; decisions += 1) round = await this.decide(round);
      await this.checks(round);
      session = await this.position(this.table);
    }
    return { id: session.id, game: session.game, result: session.result, rounds, decisions, ledger: await this.ledger(), events: await this.events() };
  }

  /** One decision, by the seat that is next to act; asked twice, taken once. */
  private async decide(dealt: Schemas["Round"]): Promise<Schemas["Round"]> {
    const number = dealt.to_act[0];
    const seat = this.seat(number);
    const { round, version } = await this.position(seat);
    assert(round && round.game === dealt.game);
    assert.equal(round.seats.find((one) => one.seat === number)?.hole?.length, 2);
    const request = {
      params: { path: this.path, header: { "Idempotency-Key": randomUUID() } },
      body: { action: choice(round.legal_actions, round.number), version },
    };
    const decided = given(await seat.POST("/v1/sessions/{session_id}/decide", request));
    assert.deepEqual(given(await seat.POST("/v1/sessions/{session_id}/decide", request)), decided);
    return decided;
  }

  /** What is not allowed is a problem that says what is. */
  private async isRefused(dealt: Schemas["Round"]): Promise<void> {
    const seat = this.seat(dealt.to_act[0]);
    const asked: [Api, Schemas["DecideRequest"], Schemas["ProblemCode"]][] = [
      [this.table, { action: { type: "fold" } }, "forbidden"],
      [seat, { action: { type: "play", multiple: 9 } }, "illegal-action"],
      [seat, { action: { type: "fold" }, version: 1 }, "stale-version"],
    ];
    for (const [client, body, code] of asked) {
      const { error } = await client.POST("/v1/sessions/{session_id}/decide", { params: { path: this.path }, body });
      assert.equal(error?.code, code);
      if (code === "illegal-action") assert((error.legal_actions?.length ?? 0) > 1);
      if (code === "stale-version") assert.equal(error.version, dealt.version);
    }
  }

  /** Against the dealer each legal action has its worth; between seats there is no such thing. */
  private async isAdvised(dealt: Schemas["Round"]): Promise<void> {
    const { data, error } = await this.seat(dealt.to_act[0]).GET("/v1/sessions/{session_id}/advice", { params: { path: this.path } });
    if (dealt.game === "no-limit-holdem") assert.equal(error?.status, 404);
    else assert(data?.actions[0]?.best && data.actions[0].cost === 0);
  }

  /** The sums are right, and against the dealer the deck is the one that was committed to. */
  private async checks(round: Schemas["Round"]): Promise<void> {
    assert(round.settlement);
    const nets = round.settlement.seats.map((row) => row.net);
    assert.equal(sum(nets) + round.settlement.house_net, 0);
    if (round.game === "no-limit-holdem") {
      assert(round.settlement?.pots.length && round.button <= round.seats.length);
      return;
    }
    const { server_seed, client_seed, commitment } = round.fairness;
    assert(server_seed && round.dealer.hole);
    const body = { server_seed, client_seed, session_id: this.started.session.id, round: round.number };
    const verified = given(await this.table.POST("/v1/fairness/verify", { body }));
    assert.equal(verified.commitment, commitment);
    assert.deepEqual(verified.deck.slice(0, 2), round.seats[0]?.hole);
  }

  /** What the ledger comes to, read page by page. */
  private async ledger(): Promise<Sums> {
    const entries: Schemas["LedgerEntry"][] = [];
    let page: Schemas["Ledger"];
    let after: number | null = 0;
    do {
      page = given(await this.table.GET("/v1/sessions/{session_id}/ledger", { params: { path: this.path, query: { after, limit: 3 } } }));
      entries.push(...page.entries);
      after = page.next_after;
    } while (after !== null);
    const nets = page.totals.map((total) =>
      sum(entries.map((one) => (one.type === "round_settled" ? sum(one.seats.filter((row) => row.seat === total.seat).map((row) => row.net)) : 0))),
    );
    assert.deepEqual(nets, page.totals.map((total) => total.net));
    assert.equal(sum(nets) + page.house_net, 0);
    const [first, last] = [entries[0], entries.at(-1)];
    assert(first?.type === "session_started" && last?.type === "session_finished");
    entries.slice(1).forEach((one, place) => assert.equal(one.previous_hash, entries[place]?.hash));
    return { entries: entries.length, nets, last: last.hash };
  }

  /** How many changes there were, by asking and asking on. */
  private async events(): Promise<number> {
    const heard: Schemas["Event"][] = [];
    let after: number | null = 0;
    while (after !== null) {
      const page: Schemas["Events"] | string | undefined = given(
        await this.table.GET("/v1/sessions/{session_id}/events", { params: { path: this.path, query: { after, wait: 1 } } }),
      );
      assert(typeof page === "object", "with wait the answer is a list");
      heard.push(...page.events);
      after = page.next_after;
    }
    heard.forEach((event, place) => assert.equal(event.version, place + 1));
    return heard.length;
  }
}

const sum = (numbers: number[]): number => numbers.reduce((one, other) => one + other, 0);

const [url, key] = process.argv.slice(2);
assert(url && key, "node play.mjs URL KEY");
const starts: Schemas["StartRequest"][] = [
  { game: "casino-holdem", ante: 5, rounds: 4 },
  { game: "ultimate-texas-holdem", ante: 2, rounds: 4 },
  { game: "no-limit-holdem", buy_in: 1000 },
];
const played: Played[] = [];
for (const start of starts) played.push(await (await Match.start(url, key, start)).play());
console.log(JSON.stringify(played));
