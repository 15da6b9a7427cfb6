// The devices: what each did over the time of a step, then its figures.

import { el, swatch } from "../shared/dom";
import { count, micros, showable } from "../shared/format";
import { picture, plotWidth, svg, SvgChild, title } from "../shared/svg";
import { Row, Table } from "./client";
import { noteList } from "./notes";
import { link, number, Page, stepNote, timelineAddress } from "./page";
import { wholeTable } from "./table_view";

const MOST_WIDTH = 1000;
const NAMES = 96;
const LINE = 22;
const MOST_DEVICES = 64;

const KINDS: Array<[string, string, string]> = [
  ["compute_micros", "computes", "#0072b2"],
  ["communication_micros", "communicates", "#e69f00"],
  ["copy_micros", "copies", "#009e73"],
];

// What people look for first; the other figures are below.
const FIRST = [
  "label",
  "busy_micros",
  "busy_share",
  "span_micros",
  "compute_micros",
  "communication_micros",
  "exposed_communication_micros",
  "copy_micros",
  "idle_micros",
  "host_bound_micros",
  "waiting_micros",
  "avoidable_micros",
  "part",
  "model",
];

// The kind that takes most of a slice, and how much of the slice is busy.
export function sliceKind(row: Row): { color: string; name: string } {
  let best = KINDS[0];
  for (const kind of KINDS) {
    if (number(row[kind[0]]) > number(row[best[0]])) best = kind;
  }
  return { color: best[2], name: best[1] };
}

function activity(
  answer: { step: string; length: number },
  slices: Row[],
  order: string[],
) {
  const rows = slices.filter((row) => row.lane === null);
  // Those of the table, in its order.
  const known = new Set(rows.map((row) => String(row.device)));
  const devices = [...new Set([...order, ...known])].filter((d) =>
    known.has(d),
  );
  const drawn = devices.slice(0, MOST_DEVICES);
  const width = plotWidth(MOST_WIDTH);
  const scale = (width - NAMES) / Math.max(answer.length, 1e-9);
  const parts: SvgChild[] = drawn.map((name, i) =>
    svg(
      "text",
      { x: NAMES - 8, y: i * LINE + 15, "text-anchor": "end" },
      showable(name),
    ),
  );
  for (const row of rows) {
    const line = drawn.indexOf(String(row.device));
    const busy = number(row.busy_share);
    if (line < 0 || busy <= 0) continue;
    const kind = sliceKind(row);
    const height = Math.max(1, busy * (LINE - 4));
    parts.push(
      svg(
        "rect",
        {
          x: NAMES + number(row.start_micros) * scale,
          y: line * LINE + LINE - 2 - height,
          width: Math.max(0.5, number(row.slice_micros) * scale),
          height,
          fill: kind.color,
        },
        title(
          `${showable(String(row.device))}, from ${micros(number(row.start_micros))}: ` +
            `busy ${(100 * busy).toFixed(1)} %, mostly it ${kind.name}`,
        ),
      ),
    );
  }
  const more = devices.length - drawn.length;
  return el(
    "figure",
    { class: "plot wide" },
    picture(
      `Activity of ${devices.length} devices in step ${answer.step}. The tables have the numbers.`,
      width,
      drawn.length * LINE,
      "activity",
      ...parts,
    ),
    el(
      "figcaption",
      { class: "legend" },
      ...KINDS.map(([, name, color]) =>
        el("span", {}, swatch(color), ` ${name}`),
      ),
      el("span", {
        class: "faint",
        text:
          `0 to ${micros(answer.length)}; the height is the busy part of the time` +
          (more > 0 ? `; ${count(more)} more devices are not drawn` : ""),
      }),
    ),
  );
}

function figures(table: Table, all: boolean): Table {
  return {
    ...table,
    columns: table.columns.filter(
      (c) => all || FIRST.includes(c.name) || c.name.endsWith("_share"),
    ),
  };
}

export async function drawDevices(page: Page) {
  page.put(stepNote(page));
  const { answer, notes } = await page.ask("devices", { count: "10000" });
  const table = answer as Table;
  if (table.rows.length === 0) {
    page.put(
      el("p", {
        class: "note",
        text:
          "No device did anything in this file: it has a graph and no times. " +
          "Record a step with a profiler of the framework.",
      }),
    );
    return;
  }
  const lanes = await page.ask("lanes", { table: "slices", count: "10000" });
  const { facts, tables } = lanes.answer;
  if (tables?.slices?.rows.length) {
    page.put(
      el("h2", { text: `Activity in step ${facts.step}` }),
      activity(
        { step: String(facts.step), length: number(facts.micros) },
        tables.slices.rows,
        table.rows.map((row) => String(row.label)),
      ),
    );
  }
  const place = (row: Row) => [
    link("timeline", timelineAddress(page, { subject: String(row.label) })),
  ];
  page.put(
    el("h2", {
      text:
        String(answer.facts.step) === "all"
          ? "Sums of everything in the file"
          : `Step ${answer.facts.step}`,
    }),
    ...noteList(notes),
    wholeTable(figures(table, false), {
      label: "Devices",
      first: FIRST,
      links: place,
    }),
    el(
      "details",
      { class: "tables" },
      el("summary", { text: "All figures" }),
      wholeTable(figures(table, true), {
        label: "All figures of the devices",
        first: ["label"],
      }),
    ),
  );
}
