// The critical path of a step: its segments on a strip of time, how long each
// kind is, and the operations on it.

import { accountBar, accountColors, AccountPart } from "../shared/account_bar";
import { el, swatch } from "../shared/dom";
import { count, counted, micros, showable, unbroken } from "../shared/format";
import { picture, plotWidth, svg, title } from "../shared/svg";
import { Row, Table } from "./client";
import { shown } from "./grid";
import { noteList } from "./notes";
import { number, Page, stepNote, timelineAddress, link } from "./page";
import { wholeTable } from "./table_view";

const MOST_WIDTH = 1200;
const HEIGHT = 46;

// The colours of the account. A wait is nobody's work, so it is grey.
const KINDS: Record<string, string> = {
  compute: "compute",
  kernel: "compute",
  communication: "communication",
  transfer: "communication",
  copy: "copies",
  launch: "launches",
};

export function partsOf(kinds: Table): AccountPart[] {
  return kinds.rows.map((row) => ({
    name: String(row.kind),
    kind: KINDS[String(row.kind)] ?? "unknown",
    share: number(row.share),
    text:
      `${micros(number(row.micros))}, ${shown(row.share, "share")} of the ` +
      `path, in ${counted(number(row.segments), "segment")}`,
  }));
}

// The path is of the executions alone: the wall time of a step may begin before
// the first and end after the last one, and that of ranks is of one of them.
export function pathText(
  step: string,
  span: number,
  path: number,
  wall: number | undefined,
): string {
  const isOther = wall !== undefined && Math.abs(wall - span) > span / 1000;
  return unbroken(
    `Step ${step}: ${micros(span)} from the first start to the last end of ` +
      "its operations" +
      (isOther ? ` (its wall time is ${micros(wall)})` : "") +
      `. The longest chain in it, each piece after the one before, takes ` +
      `${micros(path)}.` +
      (path < span / 2
        ? " For most of the time, the recording does not say what waited for " +
          "what."
        : ""),
  );
}

// Without the segments that are on the same half of a pixel as the one before.
export function seen(segments: Row[], scale: number): Row[] {
  let last = -1;
  return segments.filter((row) => {
    const place = Math.floor(2 * scale * number(row.start_micros));
    const isSeen = place !== last || scale * number(row.micros) >= 0.5;
    last = place;
    return isSeen;
  });
}

function strip(
  segments: Row[],
  span: number,
  colors: Map<string, string>,
): SVGElement {
  const width = plotWidth(MOST_WIDTH);
  return picture(
    `${count(segments.length)} segments of the critical path over ${micros(span)}`,
    width,
    HEIGHT,
    "strip",
    ...seen(segments, width / span).map((row) => {
      const at = (width * number(row.start_micros)) / span;
      return svg(
        "rect",
        {
          x: at,
          y: 0,
          width: Math.max(0.4, (width * number(row.micros)) / span),
          height: HEIGHT,
          fill: colors.get(String(row.kind)) ?? "#8a8f98",
        },
        title(
          `${showable(String(row.op))} on ${showable(String(row.device))}: ` +
            `${micros(number(row.micros))} ${row.kind}, from ` +
            micros(number(row.start_micros)),
        ),
      );
    }),
  );
}

export async function drawCriticalPath(page: Page) {
  const { answer, notes } = await page.ask("critical_path", {
    table: "segments",
    count: "10000",
  });
  const { facts, tables = {} } = answer;
  const { kinds, operations, segments } = tables;
  page.put(...noteList(notes));
  if (!kinds?.rows.length) {
    page.put(
      stepNote(page),
      el("p", {
        class: "note",
        text:
          "This file has no critical path: it needs the start and the end of " +
          "each execution of a step. A trace has them; sums do not.",
      }),
    );
    return;
  }
  const span = number(facts.span_micros);
  const path = number(facts.path_micros);
  const wall = page.facts.steps.find(
    (row) => String(row.step) === String(facts.step),
  )?.span_micros;
  const parts = partsOf(kinds);
  const colors = accountColors(parts);
  const byKind = new Map(
    kinds.rows.map((row, i) => [String(row.kind), colors[i]]),
  );
  page.put(
    el("p", {
      class: "lead",
      text: pathText(
        String(facts.step),
        span,
        path,
        wall === undefined ? undefined : number(wall),
      ),
    }),
    accountBar("The critical path", parts, colors),
    el(
      "div",
      { class: "legend" },
      ...parts.map((part, i) =>
        el(
          "span",
          {},
          swatch(colors[i]),
          ` ${showable(part.name)}: ${part.text}`,
        ),
      ),
    ),
  );
  if (segments?.rows.length && span > 0) {
    page.put(
      el("h2", { text: "Over the time of the step" }),
      el(
        "figure",
        { class: "plot wide" },
        strip(segments.rows, span, byKind),
        el("figcaption", {
          class: "faint",
          text:
            `0 to ${micros(span)}` +
            (segments.total > segments.rows.length
              ? `; the first ${count(segments.rows.length)} of ${count(segments.total)} segments`
              : "") +
            (path < span
              ? `; ${micros(span - path)} of the step are not on the path`
              : ""),
        }),
      ),
    );
  }
  if (operations?.rows.length)
    page.put(
      el("h2", { text: "Operations" }),
      wholeTable(operations, {
        label: "Operations on the critical path",
        first: ["op"],
        links: (row) => [
          link("timeline", timelineAddress(page, { search: String(row.op) })),
        ],
      }),
    );
  if (segments?.rows.length)
    page.put(
      el("h2", { text: "Segments" }),
      wholeTable(segments, {
        label: "Segments of the critical path",
        first: ["start_micros", "micros", "op"],
      }),
    );
}
