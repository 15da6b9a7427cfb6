// The roofline: each operation by its float operations per byte and per second,
// both in logarithms, below the limits of its device.

import { el } from "../shared/dom";
import { perSecond, showable } from "../shared/format";
import { picture, plotWidth, svg, SvgChild, title } from "../shared/svg";
import { Row, Table } from "./client";
import { optionsForm } from "./form";
import { noteList } from "./notes";
import { number, Page, stepNote, takes } from "./page";
import { opLinks } from "./row_links";
import { wholeTable } from "./table_view";

const MOST_WIDTH = 760;
const HEIGHT = 400;
const LETTER = 7; // the width of a letter of a name
const BOX = { left: 92, right: 26, top: 14, bottom: 44 };

export interface Scale {
  from: number; // decades
  to: number;
}

// Whole decades around the values.
export function decades(values: number[]): Scale {
  const logs = values.filter((v) => v > 0).map(Math.log10);
  if (logs.length === 0) return { from: 0, to: 1 };
  const from = Math.floor(Math.min(...logs));
  return { from, to: Math.max(from + 1, Math.ceil(Math.max(...logs))) };
}

// The most operations per second at an intensity.
export function roof(peak: Row, intensity: number): number {
  return Math.min(
    number(peak.peak_flops_per_second),
    intensity * number(peak.peak_bytes_per_second),
  );
}

function chart(peaks: Table, ops: Row[]): HTMLElement {
  const devices = peaks.rows.filter((p) => number(p.ridge) > 0);
  const xs = decades([
    ...ops.map((o) => number(o.intensity)),
    ...devices.map((p) => number(p.ridge) * 3),
  ]);
  const ys = decades([
    ...ops.map((o) => number(o.flops_per_second)),
    ...devices.map((p) => number(p.peak_flops_per_second)),
  ]);
  const width = plotWidth(MOST_WIDTH);
  const right = width - BOX.right;
  const base = HEIGHT - BOX.bottom;
  const x = (value: number) =>
    BOX.left +
    ((Math.log10(value) - xs.from) / (xs.to - xs.from)) * (right - BOX.left);
  const y = (value: number) =>
    base -
    ((Math.log10(value) - ys.from) / (ys.to - ys.from)) * (base - BOX.top);
  const parts: SvgChild[] = [];
  for (let at = xs.from; at <= xs.to; ++at) {
    const place = x(10 ** at);
    parts.push(
      svg("line", {
        x1: place,
        x2: place,
        y1: BOX.top,
        y2: base,
        class: "mark",
      }),
      svg(
        "text",
        { x: place, y: base + 16, "text-anchor": "middle" },
        at < 0 ? (10 ** at).toFixed(-at) : String(10 ** at),
      ),
    );
  }
  for (let at = ys.from; at <= ys.to; ++at) {
    const place = y(10 ** at);
    parts.push(
      svg("line", {
        x1: BOX.left,
        x2: right,
        y1: place,
        y2: place,
        class: "mark",
      }),
      svg(
        "text",
        { x: BOX.left - 6, y: place + 4, "text-anchor": "end" },
        perSecond(10 ** at, "FLOP").replace(".00", ""),
      ),
    );
  }
  parts.push(
    svg(
      "text",
      { x: (BOX.left + right) / 2, y: HEIGHT - 6, "text-anchor": "middle" },
      "intensity: float operations per byte",
    ),
  );
  for (const peak of devices) {
    const points = [10 ** xs.from, number(peak.ridge), 10 ** xs.to].map(
      (at) => `${x(at)},${Math.min(base, y(roof(peak, at)))}`,
    );
    parts.push(
      svg(
        "polyline",
        { points: points.join(" "), class: "roof" },
        title(
          `${showable(String(peak.model))}: ` +
            `${perSecond(number(peak.peak_flops_per_second), "FLOP")} and ` +
            perSecond(number(peak.peak_bytes_per_second), "B"),
        ),
      ),
    );
  }
  const most = Math.max(...ops.map((o) => number(o.micros)), 1e-9);
  const radius = (op: Row) => 4 + 12 * Math.sqrt(number(op.micros) / most);
  for (const op of [...ops].reverse()) {
    parts.push(
      svg(
        "circle",
        {
          cx: x(number(op.intensity)),
          cy: y(number(op.flops_per_second)),
          r: radius(op),
          class: String(op.bound ?? ""),
        },
        title(
          `${showable(String(op.op))}: ${perSecond(number(op.flops_per_second), "FLOP")}, ` +
            `${number(op.intensity).toPrecision(3)} operations per byte` +
            (op.bound === null ? "" : `, limited by ${op.bound}`),
        ),
      ),
    );
  }
  // The names of the longest ones, where there is room.
  const named: Array<[number, number]> = [];
  for (const op of ops) {
    const text = showable(String(op.op)).slice(0, 28);
    const place = x(number(op.intensity));
    const wide = text.length * LETTER;
    const away = radius(op) + 4;
    // Left of the circle if there is no room on its right.
    const at: [number, number] = [
      place + away + wide > width ? place - away - wide : place + away,
      y(number(op.flops_per_second)) + 4,
    ];
    const isFree = named.every(
      ([left, top]) =>
        Math.abs(left - at[0]) > 180 || Math.abs(top - at[1]) > 14,
    );
    if (!isFree || named.length === 8) continue;
    named.push(at);
    parts.push(svg("text", { x: at[0], y: at[1], class: "name" }, text));
  }
  return el(
    "figure",
    { class: "plot" },
    picture(
      `Roofline of ${ops.length} operations. The table below has the numbers.`,
      width,
      HEIGHT,
      "roofline",
      ...parts,
    ),
    el("figcaption", {
      class: "faint",
      text:
        "Each circle is an operation; its area is its time. The line is what " +
        "the device can do: an operation on it wastes nothing.",
    }),
  );
}

export async function drawRoofline(page: Page) {
  page.put(
    optionsForm(page.catalog, "roofline", page.params, {}, (name, value) =>
      page.change({ [name]: value }),
    ),
    stepNote(page),
  );
  const given = [...page.params].filter(([name]) =>
    takes(page, "roofline", name),
  );
  const { answer, notes } = await page.ask("roofline", {
    ...Object.fromEntries(given),
    count: "1000",
  });
  const { peaks, ops } = answer.tables ?? {};
  page.put(...noteList(notes));
  const drawn = (ops?.rows ?? []).filter(
    (o) => number(o.intensity) > 0 && number(o.flops_per_second) > 0,
  );
  if (peaks && drawn.length > 0) page.put(chart(peaks, drawn));
  const lacks: string[] = [];
  if (drawn.length === 0)
    lacks.push(
      "No operation has both its float operations and its bytes, so there is " +
        "nothing to draw. PyTorch records the shapes with " +
        "torch.profiler.profile(record_shapes=True), TensorFlow 1 with a graph " +
        "and its run metadata; XPlane traces of devices have both.",
    );
  else if (ops && drawn.length < ops.rows.length)
    lacks.push(
      `${ops.rows.length - drawn.length} of ${ops.rows.length} operations are ` +
        "not drawn: their float operations or bytes are unknown or 0.",
    );
  if (!peaks?.rows.length && ops?.rows.length)
    lacks.push(
      "The limits of the devices are unknown, so there is no roof. The option " +
        "device peaks sets them: float operations per second, and bytes per " +
        "second.",
    );
  page.put(...lacks.map((text) => el("p", { class: "note", text })));
  if (peaks?.rows.length)
    page.put(
      el("h2", { text: "Limits of the devices" }),
      wholeTable(peaks, { label: "Limits of the devices" }),
    );
  if (ops?.rows.length)
    page.put(
      el("h2", { text: "Operations" }),
      wholeTable(ops, {
        label: "Operations",
        first: ["op"],
        links: (row) => opLinks(page, row),
      }),
    );
}
