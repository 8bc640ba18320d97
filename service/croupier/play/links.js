// Links to hand out. They carry keys in their fragment, so they are shown to be copied and never followed here.

import { h } from "./dom.js";

/**
 * Copy `link`, where the browser lets a page do so, and show it under the name `label`. Answers `{told, parts}`:
 * `told` is `copied` or, where it has to be done by hand, `copy`; `parts` are the elements to show.
 */
export async function handedOut(link, label, copied, copy) {
  const done = await Promise.resolve(navigator.clipboard?.writeText(link).then(() => true)).catch(
    () => false,
  );
  const told = done ? copied : copy;
  const field = h("input", {
    type: "text",
    readonly: true,
    value: link,
    "aria-label": label,
    onfocus: (event) => event.target.select(),
  });
  return { told, parts: [h("p", {}, told), field] };
}
