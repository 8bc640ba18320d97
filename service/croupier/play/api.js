// The public API over fetch. Credentials go in the Authorization header and nowhere else; every POST carries an
// Idempotency-Key and is repeated with it until it is answered, so that nothing happens twice.

import { locale } from "./words.js";

const ATTEMPTS = 6;
const RETRIED = new Set([429, 500, 502, 503, 504]);

/** A refusal, as its problem document tells it, with what to do about it. */
export class Problem extends Error {
  constructor(
    status,
    { code = "unreachable", title = "", detail = "", errors = [], version = null },
    remedy = "",
  ) {
    super(detail || title || code);
    Object.assign(this, { status, code, title, detail, errors, version, remedy });
  }
}

/** A key that no other request has. */
export function newKey() {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
}

/** GET `path` with the credential `token`, if there is one. */
export const get = (path, token, options = {}) => asked(path, { token, ...options });

/** POST `body` to `path`: once, however often it takes. */
export const post = (path, body, token) => asked(path, { token, body, key: newKey() });

/** The headers of a request by `token`'s bearer. */
export function headers(token, accept = "application/json") {
  const own = { Accept: accept, "Accept-Language": locale() };
  if (token) own.Authorization = `Bearer ${token}`;
  return own;
}

async function asked(path, { token = null, body, key, signal } = {}) {
  const own = headers(token);
  const request = {
    method: key ? "POST" : "GET",
    headers: own,
    cache: "no-cache",
    credentials: "omit",
    signal,
  };
  if (key) {
    own["Idempotency-Key"] = key;
    own["Content-Type"] = "application/json";
    request.body = JSON.stringify(body);
  }
  for (let attempt = 1; ; attempt += 1) {
    let answer = null;
    try {
      answer = await fetch(path, request);
      if (answer.ok) return await answer.json();
    } catch (wrong) {
      if (signal?.aborted || attempt === ATTEMPTS) throw signal?.aborted ? wrong : new Problem(0, {});
    }
    if (answer && !answer.ok && (!RETRIED.has(answer.status) || attempt === ATTEMPTS))
      throw await refusal(answer);
    await pause(answer, attempt);
  }
}

/** Wait as long as the server says, or twice as long each time, never in step with others. */
function pause(answer, attempt) {
  const told = Number(answer?.headers.get("Retry-After"));
  const seconds = told > 0 ? Math.min(told, 10) : Math.min(0.25 * 2 ** attempt, 4);
  return new Promise((resolve) => setTimeout(resolve, seconds * (0.75 + Math.random() / 2) * 1000));
}

/** The problem of a refused `answer`; what to do about it is looked up by its code. */
export async function refusal(answer) {
  let told = {};
  try {
    told = await answer.json();
  } catch {
    told = { code: "unreadable", detail: `HTTP ${answer.status}` };
  }
  let remedy = "";
  if (typeof told.type === "string" && told.type.startsWith("/problems/")) {
    try {
      const page = await fetch(told.type, { headers: headers(null), credentials: "omit" });
      if (page.ok) remedy = (await page.json()).remedy ?? "";
    } catch {
      remedy = "";
    }
  }
  return new Problem(answer.status, told, remedy);
}
