// The proof of a fair deal, worked out here and not asked of the server: the seed is the one committed to before
// the deal, the deck is what the seed shuffles, and the cards shown are that deck's. It knows nothing of the page.

const DECK = [..."23456789TJQKA"].flatMap((rank) => [..."cdhs"].map((suit) => rank + suit));
const ZEROS = "0".repeat(64);
const utf8 = new TextEncoder();

const hex = (bytes) => [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");

function bytes(text) {
  if (!/^([0-9a-f]{2})+$/.test(text)) throw new TypeError("not hex");
  return Uint8Array.from(text.match(/../g), (pair) => parseInt(pair, 16));
}

/** Whether this page may compute digests at all: browsers allow it over HTTPS and on this very machine. */
export const able = () => Boolean(globalThis.crypto?.subtle);

/** SHA-256 of some bytes, in hex. */
const sha256 = async (data) => hex(await crypto.subtle.digest("SHA-256", data));

/** The 52 cards in the order in which they leave the deck. */
export async function shuffled(serverSeed, clientSeed, sessionId, round) {
  const key = await crypto.subtle.importKey(
    "raw",
    bytes(serverSeed),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"],
  );
  const cards = [...DECK];
  let words = [];
  let block = 0;
  for (let i = 51; i > 0; i -= 1) {
    const limit = 2 ** 32 - (2 ** 32 % (i + 1));
    let word;
    do {
      if (words.length === 0) {
        const text = utf8.encode(`${clientSeed}:${sessionId}:${round}:${block}`);
        const digest = new DataView(await crypto.subtle.sign("HMAC", key, text));
        words = Array.from({ length: 8 }, (_, at) => digest.getUint32(at * 4));
        block += 1;
      }
      word = words.shift();
    } while (word >= limit);
    const j = word % (i + 1);
    [cards[i], cards[j]] = [cards[j], cards[i]];
  }
  return cards;
}

/** The seats that were dealt in, in the order in which they get cards. */
function dealtSeats(round) {
  const seats = round.settlement
    ? round.settlement.seats.map((row) => row.seat)
    : round.seats.filter((seat) => seat.state !== "sitting_out").map((seat) => seat.seat);
  seats.sort((one, other) => one - other);
  if (round.button === undefined) return seats;
  const first = seats.findIndex((seat) => seat > round.button);
  return first === -1 ? seats : [...seats.slice(first), ...seats.slice(0, first)];
}

/** Which card of `deck` belongs where: [what, seat, the cards it should be, the cards shown]. */
function places(round, deck) {
  const seats = dealtSeats(round);
  const found = [];
  let next = 0;
  seats.forEach((number, at) => {
    const due =
      round.button === undefined ? deck.slice(2 * at, 2 * at + 2) : [deck[at], deck[at + seats.length]];
    found.push({
      what: "seat",
      seat: number,
      due,
      shown: round.seats.find((seat) => seat.seat === number).hole,
    });
  });
  next = 2 * seats.length;
  if (round.dealer) {
    found.push({ what: "dealer", due: deck.slice(next, next + 2), shown: round.dealer.hole });
    next += 2;
  }
  found.push({ what: "board", due: deck.slice(next, next + round.board.length), shown: round.board });
  return found;
}

/**
 * Check `round` of a session. `promised` is the commitment this browser saw before the deal, if it did.
 *
 * Answers `{verdict, steps, deck}`: the verdict is `waiting` while the seed is secret, `scripted` where a sandbox
 * chose the cards, `unable` where the browser forbids the sums, else `verified` or `failed`; each step is
 * `{step, ok, …}`, `ok` null for what could not be known.
 */
export async function check(round, sessionId, promised = null) {
  const { commitment, client_seed: clientSeed, server_seed: serverSeed, scripted } = round.fairness;
  if (serverSeed === null) return { verdict: "waiting", steps: [], deck: null };
  if (!able()) return { verdict: "unable", steps: [], deck: null };
  const steps = [];
  let deck = null;
  try {
    steps.push({ step: "promise", ok: promised === null ? null : promised === commitment, promised });
    steps.push({
      step: "seed",
      ok: (await sha256(bytes(serverSeed))) === commitment,
      commitment,
      serverSeed,
    });
    deck = await shuffled(serverSeed, clientSeed, sessionId, round.number);
    if (!scripted) {
      for (const { what, seat, due, shown } of places(round, deck)) {
        if (shown?.length) steps.push({ step: what, seat, ok: shown.join() === due.join(), due, shown });
      }
    }
  } catch (wrong) {
    if (!(wrong instanceof TypeError)) throw wrong;
    steps.push({ step: "seed", ok: false, commitment, serverSeed });
  }
  if (steps.some((step) => step.ok === false)) return { verdict: "failed", steps, deck };
  return { verdict: scripted ? "scripted" : "verified", steps, deck };
}

/** RFC 8785: the one way to write a value of objects, lists, strings, integers, booleans and null. */
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(",")}}`;
}

/** The number of the first ledger entry whose hash is not the one its content and its forerunner give; else 0. */
export async function brokenLink(entries) {
  let before = ZEROS;
  for (const { hash, previous_hash: previous, ...content } of entries) {
    const due = await sha256(utf8.encode(before + canonical(content)));
    if (previous !== before || hash !== due) return content.seq;
    before = hash;
  }
  return 0;
}
