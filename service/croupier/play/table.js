// One table as this browser sits at it: the position, the ledger, and everything that may be asked of them. It
// knows the API and the keys, and nothing of how it all looks; whoever looks is told of every change.

import { get, post } from "./api.js";
import { hold, keysTo } from "./keys.js";
import { follow } from "./live.js";

const PAGE = 100;

/** A seat as the session has it: what it may do now, when it is in turn. */
const inTurn = (round, seat) => Boolean(round?.to_act.includes(seat));

export class Table extends EventTarget {
  session = null;
  ledger = { entries: [], totals: [], house_net: 0, voids: 0, result: null };
  online = true;
  #stop = null;
  #posted = "";
  #reading = Promise.resolve();

  constructor(id) {
    super();
    this.id = id;
    this.keys = keysTo(id);
    this.path = `/v1/sessions/${id}`;
  }

  /** The number of the seat this browser looks from; null for a bystander. */
  get me() {
    return this.keys.me;
  }

  /** The seats that are played in this browser. */
  get held() {
    return Object.keys(this.keys.seats).map(Number);
  }

  /** What this browser reads with. */
  get token() {
    return this.keys.seats[this.me] ?? this.keys.table;
  }

  /** What this browser deals with: the only seat's token too; null where it has to wait for another to deal. */
  get dealing() {
    if (this.session.seats.length === 1) return this.token;
    return this.keys.table;
  }

  get round() {
    return this.session?.round ?? null;
  }

  get open() {
    return Boolean(this.round) && !["settled", "voided"].includes(this.round.stage);
  }

  get mine() {
    return this.round?.seats.find((seat) => seat.seat === this.me) ?? null;
  }

  get legal() {
    return inTurn(this.round, this.me) ? this.round.legal_actions : [];
  }

  /** The commitment that was read before the deal of `round`; null when this browser was not there. */
  promised(round) {
    return this.keys.promises?.[`${round.number}.${round.deal}`] ?? null;
  }

  /** Read everything and follow what comes. Raises a Problem when the table cannot be read. */
  async enter() {
    this.#take(await get(this.path, this.token));
    this.#passTurn();
    await this.readLedger();
    this.#follow();
  }

  /** Stop following. */
  leaveView() {
    this.#stop?.();
    this.#stop = null;
  }

  #follow() {
    this.leaveView();
    this.#stop = follow(this.id, this.token, {
      seen: (session) => this.#seen(session),
      told: (online) => {
        if (online === this.online) return;
        this.online = online;
        this.#tell("line");
      },
      // A key that was renewed elsewhere, or a session that is gone: reading once more says which.
      ended: (reason) => {
        if (reason !== "finished" && reason !== "closed")
          this.read().catch((problem) => this.#tell("lost", { problem }));
      },
    });
  }

  #tell(what, detail = {}) {
    this.dispatchEvent(new CustomEvent(what, { detail }));
  }

  #save() {
    hold(this.id, this.keys);
  }

  /** A position has come: the newest is kept, and the turn passed on to the seat here that has it. */
  #seen(session) {
    if (!this.#take(session)) return;
    this.#passTurn();
    const posted = JSON.stringify([
      session.status,
      session.rounds_played,
      session.seats,
      session.round?.stage === "voided",
    ]);
    if (posted !== this.#posted && !this.open) this.#refreshLedger();
    this.#posted = posted;
  }

  #take(session) {
    const before = this.session;
    if (before && session.version < before.version) return false;
    this.#remember(before, session);
    this.session = session;
    if (before && JSON.stringify(before) === JSON.stringify(session)) return false;
    this.#tell("change", { before, after: session });
    return true;
  }

  /** Keep the commitment that was public before a deal; of a deal that was not seen to come, nothing is known. */
  #remember(before, after) {
    const dealt = after.round;
    if (!before || !dealt || after.version !== before.version + 1) return;
    if (before.round && before.round.number === dealt.number && before.round.deal === dealt.deal) return;
    this.keys.promises = { ...this.keys.promises, [`${dealt.number}.${dealt.deal}`]: before.next_commitment };
    this.#save();
  }

  /** When another seat played here is in turn and this one is not, look from that one; whether it is so. */
  #passTurn() {
    if (this.held.length < 2 || !this.open || inTurn(this.round, this.me)) return false;
    const next = this.round.to_act.find((seat) => this.held.includes(seat));
    if (next) this.lookFrom(next).catch((problem) => this.#tell("lost", { problem }));
    return Boolean(next);
  }

  /** Look from `seat`, one that is played here. */
  async lookFrom(seat) {
    if (seat === this.me || !(seat in this.keys.seats)) return;
    this.keys.me = seat;
    this.#save();
    if (this.#stop) this.#follow();
    await this.read();
    this.#tell("seat");
  }

  /** Read the position anew. */
  async read() {
    const token = this.token;
    const session = await get(this.path, token);
    if (token === this.token) this.#seen(session);
    return this.session;
  }

  #refreshLedger() {
    this.#reading = this.#reading.then(() => this.readLedger()).catch(() => {});
  }

  /** Read what the ledger has more of, and its totals. */
  async readLedger() {
    const entries = [...this.ledger.entries];
    for (let more = true; more;) {
      const after = entries.at(-1)?.seq ?? 0;
      const page = await get(`${this.path}/ledger?after=${after}&limit=${PAGE}`, this.token);
      entries.push(...page.entries.filter((entry) => entry.seq > after));
      more = page.next_after !== null;
      this.ledger = { ...page, entries };
    }
    this.#tell("ledger");
  }

  /** Deal the next round: `bets` are the optional ones, `clientSeed` goes into the shuffle. */
  async deal(bets, clientSeed) {
    const body = { version: this.session.version, client_seed: clientSeed, ...(bets.length ? { bets } : {}) };
    this.#acted(await post(`${this.path}/deal`, body, this.dealing));
  }

  /**
   * Decide `action` for the seat looked from. Where another seat was quicker and nothing has changed for this one,
   * it is decided all the same; else the refusal is raised, with the newest position read.
   */
  async decide(action) {
    const token = this.keys.seats[this.me];
    for (;;) {
      const sight = this.#sight();
      const body = { action, version: this.session.version, round: this.round.number };
      try {
        return void this.#acted(await post(`${this.path}/decide`, body, token));
      } catch (refused) {
        if (refused.status !== 409) throw refused;
        await this.read();
        if (refused.code !== "stale-version" || this.#sight() !== sight) throw refused;
      }
    }
  }

  /** All that a decision rests on, as one text. */
  #sight() {
    const { number, deal, stage, board, legal_actions: legal, current_bet: bet } = this.round;
    return JSON.stringify([number, deal, stage, board, legal, bet, this.mine?.hole]);
  }

  /** Show an answered round at once; the balances come with the position, which is read behind it. */
  #acted(round) {
    const own = round.seats.find((seat) => seat.seat === this.me);
    // A deal by the table's token is answered as a bystander sees it: the seat's own cards have to be read.
    if (!own || own.hole || own.state === "sitting_out")
      this.#take({ ...this.session, round, version: round.version, next_commitment: round.next_commitment });
    if (!this.#passTurn()) this.read().catch((problem) => this.#tell("lost", { problem }));
  }

  /** The exact value of each action. */
  advice() {
    return get(`${this.path}/advice`, this.keys.seats[this.me]);
  }

  /** Every round record, from the first. */
  async rounds() {
    const found = [];
    for (let after = 0; after !== null;) {
      const page = await get(`${this.path}/rounds?after=${after}&limit=${PAGE}`, this.token);
      found.push(...page.rounds);
      after = page.next_after;
    }
    return found;
  }

  /** Change `seat`: `change` is what the API takes. Uses the seat's own token where it is held, else the table's. */
  async change(seat, change) {
    const token = this.keys.seats[seat] ?? this.keys.table;
    const answer = await post(`${this.path}/seats/${seat}`, change, token);
    if (answer.token) {
      this.keys.seats[seat] = answer.token;
      this.keys.me ??= seat;
      this.#save();
      if (this.#stop) this.#follow();
    }
    await this.read();
    return answer;
  }

  /** Give `seat` away: its token leaves this browser by the link made of it. */
  giveAway(seat) {
    const token = this.keys.seats[seat];
    delete this.keys.seats[seat];
    if (this.me === seat) this.keys.me = this.held[0] ?? null;
    this.#save();
    this.#follow();
    this.read().then(() => this.#tell("seat"));
    return token;
  }

  /** End the session early. */
  async close() {
    await post(`${this.path}/close`, {}, this.dealing ?? this.token);
    await this.read();
  }
}
