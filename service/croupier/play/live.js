// What happens at a table, as it happens: server-sent events read with fetch, since EventSource cannot send the
// Authorization header. A stream that breaks is resumed after the last event seen; where none is to be had, the
// session is asked for now and then.

import { get, headers } from "./api.js";

const SILENCE = 45_000;
const POLL = 1_500;
const MAX_PAUSE = 4_000;
/** Streams that may break one after the other, with nothing heard, before the session is asked for instead. */
const PATIENCE = 4;

const pause = (milliseconds, signal) =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });

/** Splits a stream of text into server-sent events. */
export class EventReader {
  #rest = "";

  /** The events that `text` completes: `{id, name, data}` each. */
  read(text) {
    const blocks = (this.#rest + text).replaceAll("\r\n", "\n").split("\n\n");
    this.#rest = blocks.pop();
    return blocks
      .map((block) => {
        const event = { id: null, name: "message", data: "" };
        for (const line of block.split("\n")) {
          const [, field, value] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? [];
          if (field === "id") event.id = value;
          if (field === "event") event.name = value;
          if (field === "data") event.data += (event.data && "\n") + (value ?? "");
        }
        return event;
      })
      .filter((event) => event.data);
  }
}

/**
 * Follow the session `id` with `token`. `seen(session)` gets each new position, `told(online)` whether they come,
 * `ended(reason)` is called when none will follow. Answers a function that ends it.
 */
export function follow(id, token, listener) {
  const ending = new AbortController();
  run(id, token, listener, ending.signal);
  return () => ending.abort();
}

async function run(id, token, { seen, told, ended }, signal) {
  let last = null;
  let failures = 0;
  while (!signal.aborted && failures < PATIENCE) {
    try {
      const answer = await fetch(`/v1/sessions/${id}/events`, {
        headers: {
          ...headers(token, "text/event-stream"),
          ...(last === null ? {} : { "Last-Event-ID": last }),
        },
        cache: "no-store",
        credentials: "omit",
        signal,
      });
      if (answer.status === 204) return;
      if ([401, 403, 404].includes(answer.status)) return void ended("refused");
      if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
      told(true);
      for await (const event of events(answer.body, signal)) {
        failures = 0;
        last = event.id ?? last;
        const { session, reason } = JSON.parse(event.data);
        if (session) seen(session);
        if (event.name === "end") return void ended(reason);
      }
    } catch {
      if (signal.aborted) return;
      failures += 1;
      told(failures < 2);
    }
    await pause(Math.min(250 * 2 ** failures, MAX_PAUSE) * (0.75 + Math.random() / 2), signal);
  }
  await poll(id, token, { seen, told, ended }, signal);
}

/** The events of a body, until it ends or has been silent for longer than heartbeats allow. */
async function* events(body, signal) {
  const stream = body.pipeThrough(new TextDecoderStream()).getReader();
  const reader = new EventReader();
  try {
    while (!signal.aborted) {
      let timer;
      const silent = new Promise(
        (_, reject) => (timer = setTimeout(() => reject(new Error("silent")), SILENCE)),
      );
      const { value, done } = await Promise.race([stream.read(), silent]).finally(() => clearTimeout(timer));
      if (done) return;
      yield* reader.read(value);
    }
  } finally {
    stream.cancel().catch(() => {});
  }
}

/** Ask now and then, where streams do not get through. */
async function poll(id, token, { seen, told, ended }, signal) {
  while (!signal.aborted) {
    try {
      const session = await get(`/v1/sessions/${id}`, token, { signal });
      seen(session);
      told(true);
      if (session.status !== "open") return;
    } catch (wrong) {
      if (signal.aborted) return;
      if ([401, 403, 404].includes(wrong.status)) return void ended("refused");
      told(false);
    }
    await pause(document.hidden ? POLL * 4 : POLL, signal);
  }
}
