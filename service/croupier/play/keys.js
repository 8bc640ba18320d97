// The keys of the tables this tab sits at. They come in by the fragment of a link, which no browser sends to any
// server; they are taken out of the address at once and kept for this tab alone, so that a reload finds them.

import { forTab } from "./kept.js";

const KEPT = "croupier.tables";

/** What this tab may do at each table: `{id: {table, seats: {number: token}, me, promises}}`. */
function kept() {
  try {
    return JSON.parse(forTab.get(KEPT)) ?? {};
  } catch {
    return {};
  }
}

/** The keys to the table `id`, or null. A link may call its table `__proto__`: only what was kept counts. */
export const keysTo = (id) => new Map(Object.entries(kept())).get(id) ?? null;

/** The tables that this tab has keys to, the last used first. */
export const tables = () =>
  Object.entries(kept())
    .map(([id, keys]) => ({ id, ...keys }))
    .reverse();

/** Keep `keys` to the table `id`, for as long as the tab lives. */
export function hold(id, keys) {
  const { [id]: _, ...others } = kept();
  forTab.set(KEPT, JSON.stringify({ ...others, [id]: keys }));
}

/** Forget the table `id`. */
export function drop(id) {
  const { [id]: _, ...others } = kept();
  forTab.set(KEPT, JSON.stringify(others));
}

/** The link that gives its reader `keys` to the table `id`; seat `me`, or the last, is the one looked from. */
export function linkTo(id, { table = null, seats = {}, me = null }) {
  const fragment = new URLSearchParams({ session: id });
  if (table) fragment.set("table", table);
  for (const [seat, token] of Object.entries(seats))
    if (Number(seat) !== me) fragment.set(`seat${seat}`, token);
  if (me in seats) fragment.set(`seat${me}`, seats[me]);
  return `${location.origin}${location.pathname}#${fragment}`;
}

/**
 * The table that the address names. Keys found in it are kept and taken out of the address; null when it names
 * no table, and `keys` null when it names one this tab has no key to.
 */
export function fromAddress() {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const id = fragment.get("session");
  if (!id || !/^[A-Za-z0-9_~-]{1,64}$/.test(id)) return null;
  const held = keysTo(id);
  const keys = held ?? { table: null, seats: {}, me: null, promises: {} };
  let given = false;
  for (const [name, value] of fragment) {
    const seat = /^seat([1-9]\d?)$/.exec(name)?.[1];
    if (seat) {
      keys.seats[seat] = value;
      keys.me = Number(seat);
    } else if (name === "table") keys.table = value;
    given ||= name === "table" || Boolean(seat);
  }
  if (given) hold(id, keys);
  goTo(id);
  return { id, keys: given || held ? keys : null };
}

/** Name the table `id` in the address, without any key; null for none. */
export function goTo(id) {
  history.replaceState(null, "", id ? `#session=${id}` : location.pathname);
}
