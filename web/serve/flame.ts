// A flame graph of the scopes or of the code: each row of blocks divides the
// one above it. A click makes a block as wide as the picture.

import { button, el } from "../shared/dom";
import { count, showable } from "../shared/format";
import { Row, Table } from "./client";
import { shown } from "./grid";
import { noteList } from "./notes";
import { link, number, Page, stepNote } from "./page";
import { lineOfFrame } from "./row_links";

const ROW = 20;
// Narrower blocks cannot be seen.
const LEAST = 0.0008;
const SHADES = 6;

export interface Block {
  row: number;
  depth: number;
  left: number; // parts of the picture
  width: number;
}

// The blocks that can be seen if `chosen` is as wide as the picture: it, what
// is below it, and the chain above it.
export function blocks(rows: Row[], chosen: number): Block[] {
  const at = rows[chosen];
  const from = number(at.start_share);
  const size = number(at.share);
  const depth = number(at.depth);
  const found: Block[] = [];
  rows.forEach((row, i) => {
    const start = number(row.start_share);
    const share = number(row.share);
    const level = number(row.depth);
    const end = start + share;
    const isAbove =
      level < depth && start <= from + 1e-12 && end >= from + size - 1e-12;
    const isBelow =
      level >= depth && start >= from - 1e-12 && end <= from + size + 1e-12;
    if (!isAbove && !isBelow) return;
    const left = isAbove ? 0 : (start - from) / size;
    const width = isAbove ? 1 : share / size;
    if (width < LEAST && i !== chosen) return;
    found.push({ row: i, depth: level, left, width });
  });
  return found;
}

// The same name has the same shade everywhere.
export function shadeOf(name: string): number {
  let hash = 0;
  for (const c of name) hash = (hash * 31 + (c.codePointAt(0) ?? 0)) | 0;
  return Math.abs(hash) % SHADES;
}

// The root has no name of its own.
const nameOf = (row: Row) =>
  number(row.depth) === 0 ? "all" : showable(String(row.name));

function graph(page: Page, table: Table, cost: string): HTMLElement {
  const { rows } = table;
  const unit =
    table.columns.find((c) => c.name === `total_${cost}`)?.unit ?? "count";
  const box = el("div", {
    class: "flame",
    role: "group",
    label: `Flame graph of ${count(rows.length)} parts`,
  });
  const said = el("p", { class: "faint", role: "status" });
  const draw = (chosen: number, focus: boolean) => {
    const drawn = blocks(rows, chosen);
    const levels = Math.max(...drawn.map((b) => b.depth)) + 1;
    box.style.height = `${levels * ROW}px`;
    box.replaceChildren(
      ...drawn.map((block) => {
        const row = rows[block.row];
        const name = nameOf(row);
        const text =
          `${name}: ${shown(row[`total_${cost}`], unit)}, ` +
          `${shown(row.share, "share")} of all; ` +
          `${shown(row[`self_${cost}`], unit)} of it itself`;
        const made = el("button", {
          class: `shade-${shadeOf(name)}${block.depth < number(rows[chosen].depth) ? " above" : ""}`,
          title: text,
          label: text,
          text: block.width > 0.01 ? name : "",
          click: () => draw(block.row, true),
        });
        made.type = "button";
        made.style.left = `${100 * block.left}%`;
        made.style.width = `${100 * block.width}%`;
        made.style.top = `${block.depth * ROW}px`;
        if (block.row === chosen && focus)
          requestAnimationFrame(() => made.focus());
        return made;
      }),
    );
    const row = rows[chosen];
    const line = lineOfFrame(String(row.name));
    const hidden = rows.length - drawn.length;
    said.replaceChildren(
      `${nameOf(row)}: ${shown(row[`total_${cost}`], unit)}, ` +
        `${shown(row.share, "share")} of all. `,
      ...(line === undefined
        ? []
        : [
            link("Its source", page.address("source", { argument: line })),
            ". ",
          ]),
      ...(chosen > 0 ? [button("All of it", () => draw(0, true)), " "] : []),
      ...(hidden > 0
        ? [`${count(hidden)} parts are outside of it or too narrow to see.`]
        : []),
    );
  };
  draw(0, false);
  return el("div", {}, said, box);
}

export async function drawFlame(page: Page) {
  const argument = page.params.get("argument") ?? "";
  const tree = el("select", { label: "Of what" });
  for (const [value, text] of [
    ["", "scopes, or lines if there are none"],
    ["scope", "scopes of the model"],
    ["code", "lines of Python"],
  ]) {
    const item = el("option", { text });
    item.value = value;
    tree.append(item);
  }
  tree.value = argument;
  tree.addEventListener("change", () => page.change({ argument: tree.value }));
  page.put(
    stepNote(page),
    el("div", { class: "row" }, el("label", { class: "pick" }, "of ", tree)),
  );
  const { accelerator } = page.facts;
  const by = page.params.get("order_by");
  const { answer, notes } = await page.ask("flame", {
    count: "10000",
    ...(by === null && accelerator ? { order_by: "accelerator_micros" } : {}),
  });
  const { columns = [], rows = [], total = 0 } = answer;
  const cost = columns
    .find((c) => c.name.startsWith("total_"))
    ?.name.replace("total_", "");
  page.put(
    el("p", {
      class: "faint",
      text:
        `Widths are ${cost === "accelerator_micros" ? "the time on accelerators" : cost === "cpu_micros" ? "the time on CPUs" : cost === "micros" ? "sums of op times" : (cost ?? "").replace(/_/g, " ")}` +
        (String(answer.facts.step) === "-1"
          ? ", the average of the steps."
          : "."),
    }),
    ...noteList(notes),
  );
  if (cost === undefined || rows.length === 0) return;
  page.put(graph(page, { columns, rows, returned: rows.length, total }, cost));
  if (total > rows.length)
    page.put(
      el("p", {
        class: "faint",
        text: `The first ${count(rows.length)} of ${count(total)} parts.`,
      }),
    );
}
