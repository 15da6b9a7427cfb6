// The names of the lanes, next to the timeline: a tree that mouse, touch and keys
// can use. Only visible names are elements.

import { button, el, swatch } from "../shared/dom";
import { showable } from "../shared/format";
import { KIND_COLORS } from "./colors";
import { Item } from "./layout";
import { Timeline } from "./timeline";
import { TOP } from "./ruler";

// What can be done with an item.
export interface GutterActions {
  toggle: (item: Item) => void; // opens or closes it
  pin: (item: Item) => void; // a lane or a counter
  hide: (item: Item) => void;
  limit: (item: Item) => void; // adds it to the lanes of the range, or removes it
  scrolled: () => void;
}

export class Gutter {
  private readonly inner = el("div", { class: "inner", role: "none" });
  private readonly fixed = el("div", { class: "inner pinned", role: "none" });
  private shown = "";
  private current = ""; // the key of the item that Tab reaches

  constructor(
    readonly root: HTMLElement,
    private readonly timeline: Timeline,
    private readonly actions: GutterActions,
  ) {
    root.append(this.inner, this.fixed);
    root.addEventListener("keydown", (event) => this.key(event));
  }

  private get layout() {
    return this.timeline.layout;
  }

  invalidate() {
    this.shown = "";
  }

  update() {
    const { y } = this.timeline.view;
    const height = this.timeline.height - TOP;
    const { sticky } = this.timeline;
    this.inner.style.transform = `translateY(${-y}px)`;
    this.fixed.style.height = `${sticky}px`;
    const fixed = this.layout.items.filter((i) => i.pinned && sticky > 0);
    const visible = this.layout.items.filter(
      (i) =>
        !(i.pinned && sticky > 0) &&
        i.y < y + height + 200 &&
        i.y + i.height > y + sticky - 200,
    );
    const key =
      visible.length === 0
        ? `none ${sticky}`
        : `${visible[0].key} ${visible[visible.length - 1].key} ` +
          `${this.layout.height} ${sticky}`;
    if (key === this.shown) return;
    this.shown = key;
    const focused = this.focusedKey();
    const all = [...fixed, ...visible];
    if (!all.some((i) => i.key === this.current)) {
      this.current = all[0]?.key ?? "";
    }
    this.fixed.replaceChildren(...fixed.map((item) => this.line(item)));
    this.inner.replaceChildren(...visible.map((item) => this.line(item)));
    if (focused !== undefined) this.focus(this.current);
  }

  private focusedKey(): string | undefined {
    const active = document.activeElement as HTMLElement | null;
    return active?.closest<HTMLElement>("#gutter .line")?.dataset.key;
  }
  private focus(key: string) {
    this.root
      .querySelector<HTMLElement>(`[data-key="${key}"]`)
      ?.focus({ preventScroll: true });
  }
  private makeCurrent(key: string) {
    this.current = key;
    for (const line of this.root.querySelectorAll<HTMLElement>(".line")) {
      line.tabIndex = line.dataset.key === key ? 0 : -1;
    }
  }

  // The keys of a tree, and those of the buttons of a line.
  private key(event: KeyboardEvent) {
    const { items } = this.layout;
    const at = items.findIndex((i) => i.key === this.focusedKey());
    if (at < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const item = items[at];
    const go = (to: number) => {
      const next = items[Math.max(0, Math.min(items.length - 1, to))];
      this.current = next.key;
      this.timeline.scrollTo(next);
      this.invalidate();
      this.actions.scrolled();
    };
    const parent = () => {
      for (let i = at - 1; i >= 0; --i) {
        if (items[i].level < item.level) return i;
      }
      return at;
    };
    const open = (is: boolean, otherwise: number) => {
      if (canToggle(item) && item.open !== is) this.actions.toggle(item);
      else go(otherwise);
    };
    const keys: Record<string, () => void> = {
      ArrowDown: () => go(at + 1),
      ArrowUp: () => go(at - 1),
      Home: () => go(0),
      End: () => go(items.length - 1),
      ArrowRight: () => open(true, at + 1),
      ArrowLeft: () => open(false, parent()),
      Enter: () => {
        if (canToggle(item)) this.actions.toggle(item);
      },
      " ": () => this.actions.limit(item),
      p: () => this.actions.pin(item),
      h: () => {
        // The line below, or above, is the next one.
        const after = items[at + 1]?.level === item.level ? at + 1 : at - 1;
        this.current = items[after]?.key ?? "";
        this.actions.hide(item);
      },
    };
    const act = keys[event.key];
    if (!act) return;
    act();
    event.preventDefault();
    event.stopPropagation();
  }

  private line(item: Item): HTMLElement {
    const name = showable(item.label);
    const { range } = this.timeline;
    const leaves = this.layout.leavesOf(item);
    const limited =
      range?.lanes !== undefined &&
      leaves.some((k) => k[0] === "l" && range.lanes?.has(Number(k.slice(1))));
    const line = el("div", {
      class: `line ${item.kind}` + (limited ? " limited" : ""),
      title: showable(item.title),
      role: "treeitem",
      label: item.pinned ? `${name}, pinned` : name,
      attributes: {
        "aria-level": String(item.level + 1),
        "aria-selected": String(limited),
        "aria-keyshortcuts": "Space P H",
      },
    });
    line.dataset.key = item.key;
    line.tabIndex = item.key === this.current ? 0 : -1;
    line.addEventListener("focus", () => {
      this.makeCurrent(item.key);
      // A line above or below the view may be the one that Tab reaches.
      if (!line.matches(":focus-visible")) return;
      this.timeline.scrollTo(item);
      this.actions.scrolled();
    });
    line.style.top = `${item.y}px`;
    line.style.height = `${item.height - 1}px`;
    const small = (
      text: string,
      title: string,
      act: (item: Item) => void,
      pressed?: boolean,
    ) => {
      const made = button(text, () => act(item), title, "lane-button");
      made.setAttribute("aria-label", `${title}: ${name}`);
      if (pressed !== undefined) {
        made.setAttribute("aria-pressed", String(pressed));
      }
      made.tabIndex = -1; // the line has a key for it
      return made;
    };
    if (canToggle(item)) {
      line.setAttribute("aria-expanded", String(item.open));
      const arrow = button(
        item.open ? "▾" : "▸",
        () => this.actions.toggle(item),
        "",
        "arrow",
      );
      arrow.setAttribute(
        "aria-label",
        `${item.open ? "close" : "open"} ${name}`,
      );
      arrow.tabIndex = -1;
      line.append(arrow);
    }
    if (item.kind === "lane" && this.timeline.colors.areKinds) {
      line.append(swatch(KIND_COLORS[this.layout.kindOf(item.index)]));
    }
    const text = el("span", { text: name, class: "name" });
    const buttons = el("span", { class: "lane-buttons" });
    if (item.kind !== "counter") {
      const act = () => this.actions.limit(item);
      buttons.append(small("Σ", "Sum only the selected lanes", act, limited));
    }
    if (item.kind === "lane" || item.kind === "counter") {
      const title = item.pinned ? "Unpin" : "Pin to the top";
      buttons.append(small("↥", title, this.actions.pin, item.pinned));
    }
    buttons.append(small("✕", "Hide", this.actions.hide));
    line.append(text, buttons);
    return line;
  }
}

function canToggle(item: Item): boolean {
  return (
    item.kind === "process" ||
    item.kind === "device" ||
    !item.open ||
    (item.kind === "lane" && item.height > 24)
  );
}
