// The names of the lanes, next to the timeline. Only visible names are
// elements.

import { button, el, swatch } from "../shared/dom";
import { showable } from "../shared/format";
import { KIND_COLORS } from "./colors";
import { Item, Layout } from "./layout";

export class Gutter {
  private readonly inner = el("div", { class: "inner" });
  private shown = "";

  constructor(
    readonly root: HTMLElement,
    private readonly layout: Layout,
    private readonly toggle: (item: Item) => void,
  ) {
    root.append(this.inner);
  }

  invalidate() {
    this.shown = "";
  }

  update(y: number, height: number) {
    this.inner.style.transform = `translateY(${-y}px)`;
    const visible = this.layout.items.filter(
      (i) => i.y < y + height + 200 && i.y + i.height > y - 200,
    );
    const key =
      visible.length === 0
        ? "none"
        : `${visible[0].key} ${visible[visible.length - 1].key} ` +
          `${this.layout.height}`;
    if (key === this.shown) return;
    this.shown = key;
    const focused = (document.activeElement as HTMLElement | null)?.dataset.key;
    this.inner.replaceChildren(...visible.map((item) => this.line(item)));
    if (focused) {
      this.inner.querySelector<HTMLElement>(`[data-key="${focused}"]`)?.focus();
    }
  }

  private line(item: Item): HTMLElement {
    const line = el("div", {
      class: `line ${item.kind}`,
      title: showable(item.title),
      role: "treeitem",
      attributes: { "aria-level": String(item.level + 1) },
    });
    line.style.top = `${item.y}px`;
    line.style.height = `${item.height - 1}px`;
    const canToggle =
      item.kind === "process" ||
      item.kind === "device" ||
      !item.open ||
      (item.kind === "lane" && item.height > 24);
    if (canToggle) {
      line.setAttribute("aria-expanded", String(item.open));
      const arrow = button(
        item.open ? "▾" : "▸",
        () => this.toggle(item),
        "",
        "arrow",
      );
      arrow.setAttribute(
        "aria-label",
        `${item.open ? "close" : "open"} ${showable(item.label)}`,
      );
      arrow.dataset.key = item.key;
      line.append(arrow);
    }
    if (item.kind === "lane") {
      line.append(swatch(KIND_COLORS[this.layout.kindOf(item.index)]));
    }
    line.append(el("span", { text: showable(item.label), class: "name" }));
    return line;
  }
}
