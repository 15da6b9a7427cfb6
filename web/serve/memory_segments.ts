// The segments of an allocator at the end, each as a bar of its blocks, to one
// scale. Together they are the reserved memory.

import { el, swatch } from "../shared/dom";
import { bytes, count, showable } from "../shared/format";
import { Answer, Row } from "./client";
import { grid } from "./grid";

const MOST_SEGMENTS = 60;
const COLORS: Record<string, string> = {
  allocated: "#0072b2",
  awaiting: "#e69f00",
  free: "#b9bfc8",
};

export function segmentMap(answer: Answer): HTMLElement {
  const { facts } = answer;
  const segments = answer.tables?.segments;
  const blocks = answer.tables?.blocks;
  const part = (name: string) => bytes(Number(facts[name] ?? 0));
  const box = el("section", {}, el("h2", { text: "Segments at the end" }));
  if (!segments || !blocks || segments.rows.length === 0) {
    box.append(
      el("p", {
        class: "faint",
        text: "The file has no segments of this device.",
      }),
    );
    return box;
  }
  const pools = new Map<string, Row[]>();
  for (const row of segments.rows) {
    const pool = `${row.pool} pool, stream ${row.stream}`;
    pools.set(pool, [...(pools.get(pool) ?? []), row]);
  }
  const select = el("select", { label: "The pool" });
  select.id = "pool";
  for (const name of ["all pools", ...pools.keys()]) {
    const item = el("option", { text: name });
    item.value = name;
    select.append(item);
  }
  const bars = el("div", { class: "segments" });
  const table = el("div");
  const fill = () => {
    const rows = pools.get(select.value) ?? segments.rows;
    bars.replaceChildren(...drawn(rows, blocks.rows));
    if (rows.length > MOST_SEGMENTS) {
      bars.append(
        el("p", {
          class: "faint",
          text: `and ${count(rows.length - MOST_SEGMENTS)} smaller segments, in the table`,
        }),
      );
    }
    table.replaceChildren(
      grid({ ...segments, rows }, { label: "Segments at the end" }),
    );
  };
  select.addEventListener("change", fill);
  fill();
  box.append(
    el("p", {
      text:
        `${part("reserved_bytes")} reserved = ${part("allocated_bytes")} allocated + ` +
        `${part("internal_bytes")} rounding + ${part("external_bytes")} free, ` +
        `of which ${part("awaiting_bytes")} awaits another stream.`,
    }),
    el(
      "div",
      { class: "row" },
      el("label", { class: "pick" }, "of ", select),
      ...Object.entries(COLORS).map(([name, color]) =>
        el("span", { class: "legend-item" }, swatch(color), ` ${name}`),
      ),
    ),
    bars,
    ...(blocks.total > blocks.rows.length
      ? [
          el("p", {
            class: "faint",
            text: `Only ${count(blocks.rows.length)} of ${count(blocks.total)} blocks are drawn.`,
          }),
        ]
      : []),
    el(
      "details",
      {},
      el("summary", { text: "The segments as a table" }),
      table,
    ),
  );
  return box;
}

function drawn(segments: Row[], blocks: Row[]): HTMLElement[] {
  const bySegment = new Map<number, Row[]>();
  for (const block of blocks) {
    const number = Number(block.segment);
    const list = bySegment.get(number);
    if (list) list.push(block);
    else bySegment.set(number, [block]);
  }
  const widest = Math.max(...segments.map((s) => Number(s.reserved_bytes)), 1);
  return segments.slice(0, MOST_SEGMENTS).map((segment) => {
    const size = Number(segment.reserved_bytes);
    const text =
      `${bytes(size)}, ${segment.pool} pool, stream ${segment.stream}: ` +
      `${bytes(Number(segment.allocated_bytes))} allocated, ` +
      `${bytes(Number(segment.external_bytes))} free`;
    const bar = el("div", {
      class: "segment",
      role: "img",
      label: text,
      title: text,
    });
    bar.style.width = `${(100 * size) / widest}%`;
    for (const block of bySegment.get(Number(segment.segment)) ?? []) {
      const owner =
        block.name === null ? "" : `, ${showable(String(block.name))}`;
      const made = el("span", {
        title: `${bytes(Number(block.bytes))} ${block.state}${owner}`,
      });
      made.style.width = `${(100 * Number(block.bytes)) / Math.max(1, size)}%`;
      made.style.background = COLORS[String(block.state)] ?? COLORS.free;
      bar.append(made);
    }
    return bar;
  });
}
