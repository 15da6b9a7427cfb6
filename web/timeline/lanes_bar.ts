// The controls above the names of the lanes: the filter, how many lanes are
// shown, and the hidden ones.

import { button, byId, el } from "../shared/dom";
import { count, showable } from "../shared/format";
import { App } from "./app";

const MAX_LISTED = 200;

// "12 of 88", "70 filtered out": what is shown, and what the filter leaves out.
export function countsOf(app: App): string {
  const { all, shown, filtered, noun } = app.layout;
  if (shown === all) return `${count(all)} ${noun}`;
  const some = `${count(shown)} of ${count(all)}`;
  return filtered > 0 ? `${some} · ${count(filtered)} filtered` : some;
}

function sentence(app: App): string {
  const { all, shown, filtered, choice, noun } = app.layout;
  return (
    `${count(shown)} of ${count(all)} ${noun} are shown; the filter leaves ` +
    `out ${count(filtered)}, hidden are ${count(choice.hidden.size)}; sums ` +
    "have all of them"
  );
}

function listHidden(app: App) {
  const list = byId("hidden-list");
  const keys = [...app.layout.choice.hidden];
  const items = keys.slice(0, MAX_LISTED).map((key) => {
    const name = showable(app.layout.fullName(key));
    const show = button("Show", () => {
      app.showLanes([key]);
      listHidden(app);
    });
    show.className = "small";
    show.setAttribute("aria-label", `Show ${name}`);
    return el("li", {}, show, ` ${name}`);
  });
  if (keys.length > MAX_LISTED) {
    const text = `${count(keys.length - MAX_LISTED)} more`;
    items.push(el("li", { class: "faint", text }));
  }
  list.replaceChildren(...items);
  if (keys.length === 0) byId<HTMLDialogElement>("hidden-lanes").close();
}

// Returns a function that shows the state of the lanes in the controls.
export function connectLanes(app: App): () => void {
  const filter = byId<HTMLInputElement>("lanes-filter");
  filter.addEventListener("input", () => app.filterLanes(filter.value));
  filter.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    if (filter.value === "") app.timeline.canvas.focus();
    filter.value = "";
    app.filterLanes("");
  });
  byId("collapse-all").addEventListener("click", () => app.openAll(false));
  byId("expand-all").addEventListener("click", () => app.openAll(true));
  const dialog = byId<HTMLDialogElement>("hidden-lanes");
  byId("lanes-hidden").addEventListener("click", () => {
    listHidden(app);
    dialog.showModal();
  });
  byId("show-all").addEventListener("click", () => {
    app.showLanes([...app.layout.choice.hidden]);
    dialog.close();
  });
  byId("hidden-close").addEventListener("click", () => dialog.close());
  return () => {
    const { choice } = app.layout;
    if (document.activeElement !== filter) filter.value = choice.filter;
    const shown = byId("lanes-shown");
    shown.textContent = countsOf(app);
    shown.title = sentence(app);
    const hidden = byId("lanes-hidden");
    hidden.hidden = choice.hidden.size === 0;
    hidden.textContent = `${count(choice.hidden.size)} hidden`;
  };
}
