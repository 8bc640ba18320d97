// What a browser keeps for the page. Where it may keep nothing, the page itself does, for as long as it is open.

function keeper(storage) {
  const memory = new Map();
  return {
    get(name) {
      try {
        return storage().getItem(name);
      } catch {
        return memory.get(name) ?? null;
      }
    },
    set(name, text) {
      try {
        storage().setItem(name, text);
      } catch {
        memory.set(name, text);
      }
    },
  };
}

/** Kept for this tab alone, reloads too: the keys to tables. */
export const forTab = keeper(() => sessionStorage);

/** Kept for this browser: what its reader chose. Never a key. */
export const forReader = keeper(() => localStorage);
