// The wall times of the steps as bars, with a line at their median. A click, or
// Enter, chooses a step.

import { el } from "../shared/dom";
import { count, micros } from "../shared/format";
import { along, moveByKeys } from "../shared/moving";
import { Row } from "./client";

const MOST_BARS = 240;
const MOST_NUMBERS = 16; // more of them have no room on a phone
const BAR_WIDTH = 90; // at most
const SLOW = 1.5; // times the median

export interface StepBar {
  step: string;
  wall: number; // microseconds
  steps: number; // that this bar stands for; it is the slowest of them
}

// A bar for each step, or for some neighbours if there are too many.
export function stepBars(rows: Row[], most = MOST_BARS): StepBar[] {
  const known = rows.filter((row) => typeof row.span_micros === "number");
  const width = Math.max(1, Math.ceil(known.length / most));
  const bars: StepBar[] = [];
  for (let at = 0; at < known.length; at += width) {
    const group = known.slice(at, at + width);
    const slowest = group.reduce((a, b) =>
      Number(b.span_micros) > Number(a.span_micros) ? b : a,
    );
    bars.push({
      step: String(slowest.step),
      wall: Number(slowest.span_micros),
      steps: group.length,
    });
  }
  return bars;
}

export function median(values: number[]): number {
  if (values.length === 0) return 0;
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? sorted[middle]
    : (sorted[middle - 1] + sorted[middle]) / 2;
}

function times(wall: number, usual: number): string {
  const ratio = usual > 0 ? wall / usual : 1;
  return ratio >= SLOW ? `, ${ratio.toFixed(1)} times the median` : "";
}

// "": no step is chosen. `most` is the top of the scale, if it is not the
// longest step.
export function stepChart(
  rows: Row[],
  chosen: string,
  choose?: (step: string) => void,
  most?: number,
): HTMLElement {
  const bars = stepBars(rows);
  const walls = rows
    .map((row) => row.span_micros)
    .filter((wall): wall is number => typeof wall === "number");
  const usual = median(walls);
  const longest = most ?? Math.max(...bars.map((b) => b.wall), 1e-9);
  const buttons = bars.map((bar) => {
    const text =
      (bar.steps > 1 ? `the slowest of ${bar.steps} steps is ` : "") +
      `step ${bar.step}: ${micros(bar.wall)}${times(bar.wall, usual)}`;
    const full = el("i", {
      class: bar.wall >= SLOW * usual ? "slow" : "",
    });
    full.style.height = `${Math.max(1.5, (100 * bar.wall) / longest)}%`;
    const isChosen = bar.step === chosen;
    const made = el(
      "button",
      {
        title: text,
        label: text,
        click: () => choose?.(isChosen ? "" : bar.step),
        attributes: {
          "aria-pressed": String(isChosen),
        },
      },
      full,
    );
    made.type = "button";
    return made;
  });
  const plot = el(
    "div",
    {
      class: "step-bars",
      role: "group",
      label:
        `Wall time of ${count(walls.length)} steps; median ${micros(usual)}, ` +
        `longest ${micros(Math.max(...walls, 0))}. Arrows move` +
        (choose ? ", Enter chooses." : "."),
    },
    ...buttons,
  );
  const at = bars.findIndex((bar) => bar.step === chosen);
  moveByKeys(buttons, along(buttons.length), Math.max(0, at));
  const line = el("span", { class: "median" });
  line.style.bottom = `${(100 * usual) / longest}%`;
  const width = bars[0]?.steps ?? 1;
  const axes = el(
    "div",
    { class: "step-plot" },
    el("span", { class: "scale top", text: micros(longest) }),
    el("span", { class: "scale bottom", text: "0" }),
    plot,
    line,
  );
  const numbers = el(
    "div",
    { class: "step-numbers", attributes: { "aria-hidden": "true" } },
    ...(bars.length <= MOST_NUMBERS
      ? bars.map((bar) => el("span", { text: bar.step }))
      : []),
  );
  // No empty place beside a few bars.
  for (const row of [axes, numbers])
    row.style.maxWidth = `${bars.length * BAR_WIDTH}px`;
  const slow = walls.filter((wall) => wall >= SLOW * usual).length;
  return el(
    "figure",
    { class: "step-chart" },
    axes,
    numbers,
    el("figcaption", {
      class: "faint",
      text:
        `Steps ${bars[0]?.step ?? ""} to ${bars[bars.length - 1]?.step ?? ""}; ` +
        `line: the median, ${micros(usual)}` +
        (slow > 0 ? `; orange: ${SLOW} times the median or more` : "") +
        (width > 1 ? `; each bar is the slowest of ${width} steps` : "") +
        (choose ? "; a click chooses a step" : ""),
    }),
  );
}
