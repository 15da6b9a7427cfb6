// Several ranks: which one the others wait for. A heat map of ranks and steps,
// and when each rank began and ended one step.

import { el, swatch } from "../shared/dom";
import { count, counted, micros, sentence, showable } from "../shared/format";
import { across, moveByKeys } from "../shared/moving";
import { picture, plotWidth, svg, title } from "../shared/svg";
import { Row, Table } from "./client";
import { shown } from "./grid";
import { noteList } from "./notes";
import { chosenStep, number, Page } from "./page";
import { wholeTable } from "./table_view";

const MOST_WIDTH = 1000;
const LINE = 22;
const NAMES = 76;
// Light to dark, so that it reads in grey too.
const HEAT = ["#fff3b8", "#fdc35f", "#f08a3c", "#cc4c26", "#86230f"];

const MEASURES: Record<string, string> = {
  own: "its own time: the step without waiting for other ranks",
  duration_micros: "wall time of the step",
  late: "how much later it began than the first rank",
  waiting_micros: "waiting for other ranks",
};

export interface Heat {
  ranks: string[];
  steps: string[];
  values: Map<string, number>; // by "step\trank"
  most: number;
  least: number;
  top: number; // of the colours
}

export const cellOf = (step: string, rank: string) => `${step}\t${rank}`;

// The values of a measure by step and rank.
export function heat(parts: Row[], measure: string): Heat {
  const ranks: string[] = [];
  const steps: string[] = [];
  const first = new Map<string, number>();
  for (const row of parts) {
    const [step, rank] = [String(row.step), String(row.rank)];
    if (!ranks.includes(rank)) ranks.push(rank);
    if (!first.has(step)) steps.push(step);
    const start = number(row.start_micros);
    first.set(step, Math.min(first.get(step) ?? start, start));
  }
  const values = new Map<string, number>();
  for (const row of parts) {
    const step = String(row.step);
    const value =
      measure === "late"
        ? number(row.start_micros) - (first.get(step) ?? 0)
        : measure === "own"
          ? number(row.duration_micros) - number(row.waiting_micros)
          : row[measure];
    if (typeof value === "number")
      values.set(cellOf(step, String(row.rank)), value);
  }
  const all = [...values.values()];
  const most = Math.max(...all, 0);
  const least = Math.min(...all);
  // Differences below a tenth get no strong colours.
  return {
    ranks,
    steps,
    values,
    most,
    least,
    top: Math.max(most, least * 1.1),
  };
}

// 0 to 4; the least value of all has the first colour.
export function heatLevel(value: number, map: Heat): number {
  const span = map.top - map.least;
  const part = span > 0 ? (value - map.least) / span : 0;
  return Math.min(HEAT.length - 1, Math.floor(part * HEAT.length));
}

function heatMap(page: Page, parts: Row[]): HTMLElement {
  const select = el("select", { label: "The colours are" });
  for (const [value, text] of Object.entries(MEASURES)) {
    const item = el("option", { text });
    item.value = value;
    select.append(item);
  }
  const place = el("div");
  const draw = () => {
    const map = heat(parts, select.value);
    const all = plotWidth(MOST_WIDTH);
    const width = (all - NAMES) / map.steps.length;
    const cells = map.steps.flatMap((step, s) =>
      map.ranks.map((rank, r) => {
        const value = map.values.get(cellOf(step, rank));
        const made = svg("rect", {
          x: NAMES + s * width,
          y: r * LINE,
          width: Math.max(0.5, width - (width > 4 ? 1 : 0)),
          height: LINE - 1,
          class: value === undefined ? "none" : "cell",
          role: "button",
        });
        if (value !== undefined)
          made.setAttribute("fill", HEAT[heatLevel(value, map)]);
        made.append(
          title(
            `step ${step}, ${showable(rank)}: ` +
              (value === undefined ? "not recorded" : micros(value)),
          ),
        );
        const choose = () => page.change({ step });
        made.addEventListener("click", choose);
        made.addEventListener("keydown", (event) => {
          if ((event as KeyboardEvent).key === "Enter") choose();
        });
        return made;
      }),
    );
    const at = Math.max(0, map.steps.indexOf(chosenStep(page)));
    moveByKeys(
      cells,
      across(map.ranks.length, map.steps.length),
      at * map.ranks.length,
    );
    const names = map.ranks.map((rank, r) =>
      svg(
        "text",
        { x: NAMES - 8, y: r * LINE + 15, "text-anchor": "end" },
        showable(rank),
      ),
    );
    const drawn = picture(
      `${MEASURES[select.value]}, ${map.ranks.length} ranks and ` +
        `${map.steps.length} steps, from ${micros(map.least)} to ${micros(map.most)}. ` +
        "Arrows move, Enter chooses a step. The table of parts has the numbers.",
      all,
      map.ranks.length * LINE,
      "heat",
      ...names,
      ...cells,
    );
    drawn.setAttribute("role", "group"); // its cells have keys
    place.replaceChildren(
      drawn,
      el(
        "div",
        { class: "legend" },
        el("span", { text: micros(map.least) }),
        ...HEAT.map((color) => swatch(color)),
        el("span", { text: micros(map.top) }),
        el("span", {
          class: "faint",
          text: `steps ${map.steps[0]} to ${map.steps[map.steps.length - 1]}, left to right`,
        }),
      ),
    );
  };
  select.addEventListener("change", draw);
  draw();
  return el(
    "figure",
    { class: "plot wide" },
    el(
      "div",
      { class: "row" },
      el("label", { class: "pick" }, "colours: ", select),
    ),
    place,
  );
}

// When each rank began and ended a step, and how much of it it waited.
function oneStep(step: string, parts: Row[]): HTMLElement {
  const first = Math.min(...parts.map((r) => number(r.start_micros)));
  const last = Math.max(...parts.map((r) => number(r.end_micros)));
  const width = plotWidth(MOST_WIDTH);
  const scale = (width - NAMES) / Math.max(1e-9, last - first);
  const bars = parts.flatMap((row, i) => {
    const from = NAMES + (number(row.start_micros) - first) * scale;
    const long = Math.max(1, number(row.duration_micros) * scale);
    const waits = number(row.waiting_micros) * scale;
    const text =
      `${showable(String(row.rank))}: began ${micros(number(row.start_micros) - first)} ` +
      `after the first rank, took ${micros(number(row.duration_micros))}, of which it ` +
      `waited ${micros(number(row.waiting_micros))} for others`;
    return [
      svg(
        "text",
        { x: NAMES - 8, y: i * LINE + 15, "text-anchor": "end" },
        showable(String(row.rank)) + (row.slowest ? " ◀" : ""),
      ),
      svg(
        "rect",
        {
          x: from,
          y: i * LINE,
          width: long,
          height: LINE - 3,
          class: "work",
        },
        title(text),
      ),
      svg(
        "rect",
        {
          x: from + long - waits,
          y: i * LINE,
          width: waits,
          height: LINE - 3,
          class: "waits",
        },
        title(text),
      ),
    ];
  });
  const slowest = parts.find((row) => row.slowest)?.rank;
  return el(
    "figure",
    { class: "plot wide" },
    picture(
      `Step ${step} on ${parts.length} ranks, ${micros(last - first)} in all`,
      width,
      parts.length * LINE,
      "gantt",
      ...bars,
    ),
    el(
      "figcaption",
      { class: "legend faint" },
      el("span", {}, swatch("#0072b2"), " its own time"),
      el(
        "span",
        {},
        swatch("#e69f00"),
        " waiting for others, added up at the end",
      ),
      el("span", {
        text:
          `0 to ${micros(last - first)}` +
          (slowest
            ? `; ◀ the others wait for ${showable(String(slowest))}`
            : ""),
      }),
    ),
  );
}

// The sentence at the top.
function lead(ranks: Table, steps: Table): string {
  const named = ranks.rows.filter((r) => number(r.slowest_steps) > 0);
  const worst = [...named].sort(
    (a, b) => number(b.slowest_steps) - number(a.slowest_steps),
  )[0];
  const waits = [...ranks.rows].sort(
    (a, b) => number(b.waiting_share) - number(a.waiting_share),
  )[0];
  const found = worst
    ? `${sentence(showable(String(worst.rank)))} is the slowest in ${count(number(worst.slowest_steps))} ` +
      `of ${counted(steps.total, "step")}: the others wait for it. `
    : "No rank is clearly the slowest. ";
  return (
    found +
    (number(waits?.waiting_share) > 0
      ? `${sentence(showable(String(waits.rank)))} waits most, ${shown(waits.waiting_share, "share")} of its time; ` +
        "a rank that waits is not the cause."
      : "")
  );
}

export async function drawRanks(page: Page) {
  const { answer, notes } = await page.ask("skew", {
    step: "",
    table: "parts",
    count: "10000",
  });
  const { ranks, steps, parts, clocks } = answer.tables ?? {};
  page.put(...noteList(notes));
  if (!ranks || !steps || !parts?.rows.length) {
    page.put(
      notes.length === 0 &&
        el("p", { class: "note", text: page.view.empty ?? "" }),
    );
    return;
  }
  page.put(el("p", { class: "lead", text: lead(ranks, steps) }));
  if (steps.total > 1) {
    page.put(el("h2", { text: "Ranks and steps" }), heatMap(page, parts.rows));
    if (parts.total > parts.rows.length)
      page.put(
        el("p", {
          class: "faint",
          text: `The first ${count(parts.rows.length)} of ${count(parts.total)} parts.`,
        }),
      );
  }
  // The chosen step, or the one with the most waiting.
  const wanted = chosenStep(page);
  const worst = [...steps.rows].sort(
    (a, b) => number(b.waiting_share) - number(a.waiting_share),
  )[0];
  const step =
    parts.rows.some((r) => String(r.step) === wanted) && wanted !== ""
      ? wanted
      : String(worst.step);
  page.put(
    el("h2", {
      text:
        `Step ${step}` +
        (steps.total > 1 && step !== wanted
          ? ", in which the ranks wait most"
          : ""),
    }),
    oneStep(
      step,
      parts.rows.filter((r) => String(r.step) === step),
    ),
  );
  for (const [table, name] of [
    [ranks, "Ranks"],
    [steps, "Steps"],
    [parts, "Each rank in each step"],
    [clocks, "Clocks"],
  ] as Array<[Table | undefined, string]>) {
    if (!table?.rows.length) continue;
    page.put(
      el("h2", { text: name }),
      wholeTable(table, {
        label: name,
        hidden: (column) => column === "slowest",
      }),
    );
  }
}
