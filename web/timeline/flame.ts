// A flame graph of a tree of sums, on a canvas: scopes, or call stacks.

import { button, el } from "../shared/dom";
import { count, share, time } from "../shared/format";
import { isLight, pixel } from "../shared/pixels";
import { Theme } from "../shared/theme";
import { Model } from "./model";
import { ScopeNode } from "./sums";

const ROW = 19;
const WARM = ["#e69f00", "#d98c21", "#cc7a3d", "#f0b53c", "#e3a65f", "#c98f1e"];
const COOL = ["#56b4e9", "#4a9fd0", "#6fc0ea", "#3f8fbf", "#7aa8d6", "#5aa9b8"];

interface Place {
  node: ScopeNode;
  x: number;
  width: number;
  depth: number;
}

export function flame(
  model: Model,
  theme: Theme,
  kind: "scopes" | "stacks",
  root: ScopeNode,
  width: number,
  pick: (node: ScopeNode, path: string) => void,
): HTMLElement {
  const tree = model.data[kind];
  const name = (node: ScopeNode) =>
    node.id === 0
      ? "all"
      : kind === "scopes"
        ? model.text(tree.name[node.id])
        : model.frame(node.id);
  const pathOf = (node: ScopeNode) =>
    kind === "scopes" ? model.pathOf(node.id) : name(node);
  const canvas = el("canvas", {
    role: "img",
    label: `flame graph of ${kind}`,
    attributes: { tabindex: "0" },
  });
  const line = el("p", { class: "faint flame-line" });
  line.setAttribute("aria-live", "polite");
  const back = button("Show all", () => show(root), "", "small");
  const box = el(
    "div",
    { class: "flame" },
    el("div", { class: "flame-head" }, back, line),
    canvas,
  );
  const context = canvas.getContext("2d") as CanvasRenderingContext2D;
  const scale = window.devicePixelRatio || 1;
  let places: Place[] = [];
  let top = root;

  const describe = (node: ScopeNode) =>
    `${pathOf(node) || name(node)}: ${time(node.total, model.perMicro)} ` +
    `(${share(node.total, root.total)}), self ` +
    `${time(node.self, model.perMicro)}, ${count(node.count)} events`;

  const show = (node: ScopeNode) => {
    top = node;
    places = [];
    // Without recursion, because a stack may be deep.
    const left: Place[] = [{ node, x: 0, width, depth: 0 }];
    let depth = 0;
    for (let place = left.pop(); place; place = left.pop()) {
      if (place.width < 0.7) continue;
      places.push(place);
      depth = Math.max(depth, place.depth);
      let x = place.x;
      for (const child of place.node.children) {
        const wide =
          (place.width * child.total) / Math.max(place.node.total, 1);
        left.push({ node: child, x, width: wide, depth: place.depth + 1 });
        x += wide;
      }
    }
    const height = (Math.min(depth, 200) + 1) * ROW + 2;
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    back.hidden = node === root;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    const palette = kind === "scopes" ? COOL : WARM;
    for (const place of places) {
      const color =
        place.node.id === 0
          ? theme.line
          : palette[place.node.id % palette.length];
      context.fillStyle = color;
      const y = place.depth * ROW;
      context.fillRect(place.x, y, Math.max(0.5, place.width - 0.7), ROW - 1);
      if (place.width < 30) continue;
      const letters = Math.floor((place.width - 8) / 6);
      const text = name(place.node);
      context.fillStyle =
        place.node.id !== 0 && isLight(pixel(color))
          ? "#10151c"
          : place.node.id === 0
            ? theme.text
            : "#ffffff";
      context.fillText(
        text.length > letters
          ? text.slice(0, Math.max(0, letters - 1)) + "…"
          : text,
        place.x + 4,
        y + ROW / 2,
      );
    }
    line.textContent = describe(node);
  };
  const at = (event: MouseEvent) => {
    const box2 = canvas.getBoundingClientRect();
    const x = event.clientX - box2.left;
    const depth = Math.floor((event.clientY - box2.top) / ROW);
    return places.find(
      (p) => p.depth === depth && x >= p.x && x < p.x + p.width,
    )?.node;
  };
  canvas.addEventListener("pointermove", (event) => {
    const node = at(event);
    line.textContent = describe(node ?? top);
  });
  canvas.addEventListener("click", (event) => {
    const node = at(event);
    if (!node) return;
    show(node);
    pick(node, pathOf(node));
  });
  canvas.addEventListener("keydown", (event) => {
    // Down goes to the largest child, up shows everything.
    if (event.key === "ArrowDown" && top.children.length > 0) {
      show(top.children[0]);
    } else if (event.key === "ArrowUp") {
      show(root);
    } else if (event.key === "Enter") {
      pick(top, pathOf(top));
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  });
  show(root);
  return box;
}
