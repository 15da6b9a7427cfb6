// The graph as a picture: boxes in layers, edges as wide as the bytes that they
// carry. A click on a scope opens it.

import { el } from "../shared/dom";
import { bytes, count, counted, showable } from "../shared/format";
import { svg } from "../shared/svg";
import { Answer, Row } from "./client";
import { layers } from "./layers";

const WIDTH = 170;
const HEIGHT = 38;
const GAP_X = 18;
const GAP_Y = 46;

// The end of a name is the most useful part.
function short(text: string, most: number): string {
  return text.length <= most ? text : `…${text.slice(1 - most)}`;
}

export function drawing(
  answer: Answer,
  open: (scope: string) => void,
): HTMLElement {
  const boxes = answer.tables?.boxes.rows ?? [];
  const edges = answer.tables?.edges.rows ?? [];
  const index = new Map(boxes.map((row, i) => [row.box, i]));
  const end = (row: Row, name: string) => index.get(row[name]) ?? 0;
  const placed = layers(
    boxes.length,
    edges.map((row): [number, number] => [
      end(row, "source"),
      end(row, "reader"),
    ]),
  );
  const widest = placed.layers.reduce((w, l) => Math.max(w, l.length), 1);
  const middle = (widest * (WIDTH + GAP_X)) / 2 + GAP_X;
  const x = (i: number) => middle + placed.place[i] * (WIDTH + GAP_X);
  const y = (i: number) => GAP_X + placed.layer[i] * (HEIGHT + GAP_Y);
  const most = edges.reduce((m, e) => Math.max(m, Number(e.bytes ?? 0)), 1);
  const lines = edges.map((row) => {
    const from = end(row, "source");
    const to = end(row, "reader");
    const carried = Number(row.bytes ?? 0);
    const [x0, y0, x1, y1] = [x(from), y(from) + HEIGHT, x(to), y(to)];
    const bend = Math.max(20, Math.abs(y1 - y0) / 2);
    const path = svg(
      "path",
      {
        d: `M${x0} ${y0}C${x0} ${y0 + bend} ${x1} ${y1 - bend} ${x1} ${y1}`,
        "stroke-width": 1 + 7 * Math.sqrt(carried / most),
      },
      svg(
        "title",
        {},
        `${showable(String(boxes[from].name))} → ` +
          `${showable(String(boxes[to].name))}: ${count(Number(row.tensors))} ` +
          `tensors${row.bytes === null ? "" : `, ${bytes(carried)}`}`,
      ),
    );
    return { path, from, to };
  });
  const nodes = boxes.map((row, i) => {
    const name = showable(String(row.name));
    const inside = Number(row.operations);
    const opens = row.opens === 1;
    // Its texts are beside it: a name must have them all, and they are short.
    const group = svg(
      "g",
      {
        class: "node",
        tabindex: 0,
        role: opens ? "button" : "img",
        "aria-label": opens ? `open ${name}` : name,
      },
      svg("title", {}, name),
      svg("rect", { width: WIDTH, height: HEIGHT, rx: 6 }),
    );
    const texts = svg(
      "g",
      { class: "texts", "aria-hidden": "true" },
      svg("text", { x: 8, y: 16 }, (opens ? "▸ " : "") + short(name, 21)),
      svg(
        "text",
        { x: 8, y: 31, class: "small" },
        opens
          ? counted(inside, "operation")
          : short(showable(String(row.op ?? "")), 24),
      ),
    );
    const mark = (on: boolean) => {
      for (const line of lines) {
        if (line.from === i || line.to === i) {
          line.path.classList.toggle("hot", on);
        }
      }
    };
    for (const event of ["pointerenter", "focus"]) {
      group.addEventListener(event, () => mark(true));
    }
    for (const event of ["pointerleave", "blur"]) {
      group.addEventListener(event, () => mark(false));
    }
    if (opens) {
      group.addEventListener("click", () => open(String(row.name)));
      group.addEventListener("keydown", (event) => {
        if ((event as KeyboardEvent).key === "Enter") open(String(row.name));
      });
    }
    return svg(
      "g",
      { transform: `translate(${x(i) - WIDTH / 2} ${y(i)})` },
      group,
      texts,
    );
  });
  const picture = svg(
    "svg",
    {
      width: 2 * middle,
      height: placed.layers.length * (HEIGHT + GAP_Y) + 2 * GAP_X,
      role: "group",
    },
    ...lines.map((line) => line.path),
    ...nodes,
  );
  const box = el(
    "div",
    { class: "drawing", label: "The graph" },
    picture as unknown as HTMLElement,
  );
  box.tabIndex = 0;
  // Most boxes are in the middle.
  requestAnimationFrame(() => {
    box.scrollLeft = middle - box.clientWidth / 2;
  });
  return box;
}
