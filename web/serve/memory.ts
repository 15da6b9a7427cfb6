// The memory page: the owners of memory over time as stacked layers, the owners
// at one moment, and the segments at the end. The binary computes all numbers:
// each zoom asks it again for the points of the window.

import { button, el, swatch } from "../shared/dom";
import { bytes, count, micros, share, showable } from "../shared/format";
import { Answer, Missing, Row, Table } from "./client";
import { grid } from "./grid";
import { ChartMarks, colorOf, drawMemory, PLOT } from "./memory_chart";
import {
  layerAt,
  moved,
  parseWindow,
  pointAt,
  Span,
  stack,
  windowText,
  zoomed,
} from "./memory_map";
import {
  failedRequest,
  ownerDetails,
  ownersThen,
  shortName,
} from "./memory_owners";
import { segmentMap } from "./memory_segments";
import { Page } from "./page";
import { wholeTable } from "./table_view";

// Sends a question of `memory` with these parameters.
export type AskMemory = (query: Record<string, string>) => Promise<Answer>;

// After the wheel rests for so long, the server is asked.
const REST_MS = 120;
const OWNERS_THEN = "40";

export class MemoryPage {
  readonly element = el("div", { class: "memory" });
  private readonly canvas = el("canvas", {
    role: "img",
    attributes: { tabindex: "0" },
  });
  private readonly tip = el("div", { class: "memory-tip" });
  private readonly said = el("p", { class: "faint", role: "status" });
  private readonly legend = el("div", { class: "memory-legend" });
  private readonly owner = el("div");
  private readonly then = el("div");
  private readonly below = el("div");
  private span: Span = { from: 0, to: 0, byTime: false };
  private answer!: Answer;
  private point = -1; // under the pointer or the keys
  private layer = -1;
  private chosen = -1; // the layer of the box
  private timer = 0;
  private questions = 0;

  // `keep` writes the allocator and the window into the address. `link` makes
  // the address of another page.
  constructor(
    private readonly ask: AskMemory,
    private readonly keep: (changes: Record<string, string>) => void,
    private readonly link: (
      path: string,
      query: Record<string, string>,
    ) => string,
    private allocator: string,
  ) {}

  async start(window: string) {
    this.answer = await this.ask(this.question(window));
    const { facts } = this.answer;
    this.allocator = String(facts.allocator);
    const given = parseWindow(window);
    this.span = given ?? { from: 0, to: this.end(false), byTime: false };
    this.span.to = Math.min(this.span.to, this.end(this.span.byTime));
    this.build();
    this.update();
    await this.showThen(Number(facts.peak_event ?? 0));
    if (this.hasOwners()) await this.showSegments();
  }

  private question(window: string): Record<string, string> {
    return {
      ...(this.allocator === "" ? {} : { argument: this.allocator }),
      ...(window === "" ? {} : { window }),
    };
  }

  private table(name: string): Table {
    return (
      this.answer.tables?.[name] ?? {
        columns: [],
        rows: [],
        returned: 0,
        total: 0,
      }
    );
  }

  private source(): Row {
    const { rows } = this.table("allocators");
    return rows.find((r) => r.name === this.allocator) ?? rows[0];
  }

  private end(byTime: boolean): number {
    const { events, length_micros } = this.source();
    return Number(byTime ? length_micros : events) || 1;
  }

  private hasOwners(): boolean {
    return this.answer.facts.missing === undefined;
  }

  private build() {
    const select = el("select", { label: "The allocator of a device" });
    select.id = "allocator";
    for (const row of this.table("allocators").rows) {
      const item = el("option", {
        text: `${showable(String(row.name))}, peak ${bytes(Number(row.peak_bytes))}`,
      });
      item.value = String(row.name);
      select.append(item);
    }
    select.value = this.allocator;
    select.addEventListener("change", () =>
      this.keep({ argument: select.value, window: "", moment: "" }),
    );
    const axis = el("select", { label: "The horizontal axis" });
    for (const [value, text] of [
      ["events", "events, equally wide"],
      ["time", "time"],
    ]) {
      const item = el("option", { text });
      item.value = value;
      axis.append(item);
    }
    axis.value = this.span.byTime ? "time" : "events";
    axis.disabled = this.source().length_micros === null;
    axis.addEventListener("change", () => {
      const byTime = axis.value === "time";
      this.zoomTo({ from: 0, to: this.end(byTime), byTime });
    });
    const plot = el("div", { class: "memory-plot" }, this.canvas, this.tip);
    this.element.replaceChildren(
      ...(this.hasOwners()
        ? []
        : [
            el("p", {
              class: "note",
              text: `Missing: ${this.answer.facts.missing}.`,
            }),
          ]),
      el(
        "div",
        { class: "row" },
        el("label", { class: "pick" }, "allocator ", select),
        el("label", { class: "pick" }, "by ", axis),
        button("Closer", () => this.zoom(0.5, 0.5), "Zoom in (+)"),
        button("Wider", () => this.zoom(0.5, 2), "Zoom out (-)"),
        button("Earlier", () => this.move(-0.5), "Earlier (Shift and Left)"),
        button("Later", () => this.move(0.5), "Later (Shift and Right)"),
        button("All", () => this.all(), "The whole recording (Home)"),
      ),
      plot,
      this.said,
      this.legend,
      this.owner,
      this.then,
      this.below,
    );
    this.listen();
    new ResizeObserver(() => this.draw()).observe(plot);
  }

  private listen() {
    const { canvas } = this;
    let from: { x: number; span: Span } | undefined;
    let hasMoved = false;
    canvas.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
          this.move((event.deltaX + event.deltaY) / 1000);
        } else {
          this.zoom(this.place(event.offsetX), 1.002 ** event.deltaY);
        }
      },
      { passive: false },
    );
    canvas.addEventListener("pointerdown", (event) => {
      from = { x: event.offsetX, span: this.span };
      hasMoved = false;
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (from && Math.abs(event.offsetX - from.x) > 3) {
        hasMoved = true;
        const by = (from.x - event.offsetX) / this.plotWidth();
        this.later(moved(from.span, this.end(from.span.byTime), by));
        return;
      }
      this.pointTo(event.offsetX, event.offsetY);
    });
    canvas.addEventListener("pointerup", () => {
      if (from && !hasMoved) this.choose();
      from = undefined;
    });
    canvas.addEventListener("pointerleave", () => {
      this.tip.hidden = true;
    });
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  private key(event: KeyboardEvent) {
    const layers = this.table("layers").rows.length;
    const last = this.table("points").rows.length - 1;
    const to = (point: number, layer: number) => {
      this.point = Math.max(0, Math.min(last, point));
      this.layer = Math.max(0, Math.min(layers, layer));
      this.draw();
      this.showTip(80, 20);
      this.said.textContent = this.tip.textContent;
    };
    switch (event.key) {
      case "+":
      case "=":
        this.zoom(this.point < 0 ? 0.5 : (this.point + 0.5) / (last + 1), 0.5);
        break;
      case "-":
        this.zoom(0.5, 2);
        break;
      case "Home":
        this.all();
        break;
      case "ArrowLeft":
        if (event.shiftKey) this.move(-0.25);
        else to(this.point - 1, this.layer);
        break;
      case "ArrowRight":
        if (event.shiftKey) this.move(0.25);
        else to(this.point + 1, this.layer);
        break;
      case "ArrowUp":
        to(this.point, this.layer + 1);
        break;
      case "ArrowDown":
        to(this.point, this.layer - 1);
        break;
      case "Enter":
        this.choose();
        break;
      default:
        return;
    }
    event.preventDefault();
  }

  private plotWidth() {
    return Math.max(1, this.canvas.clientWidth - PLOT.left - PLOT.right);
  }
  private place(x: number) {
    return Math.max(0, Math.min(1, (x - PLOT.left) / this.plotWidth()));
  }
  private zoom(at: number, factor: number) {
    this.later(zoomed(this.span, this.end(this.span.byTime), at, factor));
  }
  private move(by: number) {
    this.later(moved(this.span, this.end(this.span.byTime), by));
  }
  private all() {
    const { byTime } = this.span;
    this.later({ from: 0, to: this.end(byTime), byTime });
  }

  // Asks when the wheel or the pointer rests.
  private later(span: Span) {
    this.span = span;
    this.draw();
    window.clearTimeout(this.timer);
    document.body.dataset.ready = "false";
    this.timer = window.setTimeout(() => this.zoomTo(span), REST_MS);
  }

  private zoomTo(span: Span) {
    this.span = span;
    const number = ++this.questions;
    const text = windowText(span);
    document.body.dataset.ready = "false";
    this.ask(this.question(text))
      .then((answer) => {
        if (number !== this.questions) return;
        this.answer = answer;
        this.point = -1;
        this.chosen = -1;
        this.owner.replaceChildren();
        this.update();
        this.keep({ window: text });
      })
      .catch((error: Error) => {
        if (error.name !== "AbortError") this.said.textContent = error.message;
      })
      .finally(() => {
        document.body.dataset.ready = "true";
      });
  }

  private update() {
    const { facts } = this.answer;
    const layers = this.table("layers");
    const at =
      typeof facts.peak_micros === "number"
        ? `, ${micros(facts.peak_micros)}`
        : "";
    this.said.textContent =
      `Events ${count(Number(facts.first_event))} to ${count(Number(facts.last_event))}. ` +
      `The most memory in this window is ${bytes(Number(facts.peak_bytes))}, ` +
      `after event ${count(Number(facts.peak_event))}${at}. ` +
      "Each column shows its moment with the most memory.";
    this.canvas.setAttribute(
      "aria-label",
      `Memory of ${showable(this.allocator)} over time. ${this.said.textContent} ` +
        "Arrows move the mark, plus and minus zoom, Enter selects. The table of points has the numbers.",
    );
    this.legend.replaceChildren(
      ...layers.rows.map((row, i) => this.legendButton(row, i)),
      el(
        "span",
        { class: "legend-item" },
        swatch(colorOf(layers.rows.length, layers.rows.length)),
        this.hasOwners() ? " all other owners" : " allocated",
      ),
      ...(this.hasOwners()
        ? [el("span", { class: "legend-item faint", text: "line: reserved" })]
        : []),
    );
    this.showTables();
    this.draw();
  }

  private legendButton(row: Row, i: number): HTMLElement {
    const made = button(
      "",
      () => this.chooseLayer(i),
      showable(String(row.name)),
      "legend-item",
    );
    made.append(
      swatch(colorOf(i, this.table("layers").rows.length)),
      ` ${showable(shortName(row))} `,
      el("span", { class: "faint", text: bytes(Number(row.largest_bytes)) }),
    );
    return made;
  }

  // The tables that belong to the window: single allocations, failed requests,
  // and the points as numbers.
  private showTables() {
    const failures = this.table("failures");
    const allocations = this.table("allocations");
    const points = this.table("points");
    const parts: HTMLElement[] = [];
    if (failures.rows.length > 0) {
      parts.push(el("h2", { text: "Requests that failed" }));
      for (const row of failures.rows)
        parts.push(failedRequest(row, (event) => void this.showThen(event)));
    }
    if (allocations.rows.length > 0) {
      parts.push(
        el("h2", { text: "Allocations that this window makes or frees" }),
        el(
          "div",
          { class: "memory-allocations" },
          grid(
            {
              ...allocations,
              columns: allocations.columns.filter(
                (c) =>
                  c.name !== "stack" &&
                  allocations.rows.some((row) => row[c.name] !== null),
              ),
            },
            { label: "Allocations of the window" },
          ),
        ),
      );
    } else if (allocations.total > 0) {
      parts.push(
        el("p", {
          class: "faint",
          text:
            `This window makes or frees ${count(allocations.total)} allocations. ` +
            "Zoom in until there are at most 1,000 to see each of them.",
        }),
      );
    }
    parts.push(
      el(
        "details",
        { class: "memory-points" },
        el("summary", { text: "The chart as a table" }),
        grid(points, { label: "The points of the chart" }),
      ),
    );
    this.below.replaceChildren(...parts);
  }

  private pointTo(x: number, y: number) {
    const points = this.table("points");
    if (points.rows.length === 0) return;
    this.point = pointAt(points, this.span, this.place(x));
    const height = this.canvas.clientHeight - PLOT.top - PLOT.bottom;
    const at = ((height + PLOT.top - y) / height) * this.most();
    this.layer = layerAt(
      stack(points.rows[this.point], this.table("layers").rows.length),
      at,
    );
    this.draw();
    this.showTip(x, y);
  }

  private showTip(x: number, y: number) {
    const row = this.table("points").rows[this.point];
    if (!row) return;
    const layers = this.table("layers").rows;
    const allocated = Number(row.allocated_bytes);
    const lines = [
      `event ${count(Number(row.event))}` +
        (typeof row.micros === "number" ? `, ${micros(row.micros)}` : ""),
      `allocated ${bytes(allocated)}`,
    ];
    if (typeof row.reserved_bytes === "number")
      lines.push(`reserved ${bytes(row.reserved_bytes)}`);
    if (this.layer >= 0 && this.hasOwners()) {
      const held = stack(row, layers.length)[this.layer];
      const name = layers[this.layer]
        ? showable(String(layers[this.layer].name))
        : "all other owners";
      lines.unshift(`${name}: ${bytes(held)}, ${share(held, allocated)} of it`);
    }
    this.tip.replaceChildren(...lines.map((text) => el("div", { text })));
    this.tip.hidden = false;
    const width = this.canvas.clientWidth;
    this.tip.style.left = `${Math.max(0, Math.min(x + 14, width - 330))}px`;
    this.tip.style.top = `${y + 14}px`;
  }

  // Selects the owner and the moment under the mark.
  private choose() {
    const row = this.table("points").rows[this.point];
    if (!row) return;
    if (this.layer >= 0 && this.layer < this.table("layers").rows.length) {
      this.chooseLayer(this.layer);
    }
    void this.showThen(Number(row.event));
  }

  private chooseLayer(layer: number) {
    this.chosen = layer;
    this.owner.replaceChildren(
      ...ownerDetails(this.table("layers").rows[layer], this.link),
    );
    this.draw();
  }

  // The owners at one moment: the same rows as `memory` has for the peak.
  private async showThen(event: number) {
    if (!this.hasOwners()) return;
    const answer = await this.ask({
      ...this.question(`${event}:${event}`),
      points: "1",
      owners: OWNERS_THEN,
    });
    this.then.replaceChildren(...ownersThen(answer, event));
  }

  private async showSegments() {
    const answer = await this.ask({
      argument: this.allocator,
      part: "blocks",
      table: "blocks",
      count: "10000",
    });
    this.element.append(segmentMap(answer));
  }

  private most(): number {
    let most = 1;
    for (const row of this.table("points").rows) {
      most = Math.max(
        most,
        Number(row.allocated_bytes),
        Number(row.reserved_bytes ?? 0),
      );
    }
    return most;
  }

  private draw() {
    const marks: ChartMarks = {
      span: this.span,
      layers: this.table("layers").rows.length,
      most: this.most(),
      peak: Number(this.answer.facts.peak_event),
      point: this.point,
      chosen: this.chosen,
      failures: this.table("failures").rows,
    };
    drawMemory(this.canvas, this.table("points").rows, marks);
  }
}

// The page asks again for each zoom, and keeps its window in the address.
export async function drawMemoryPage(page: Page) {
  const made = new MemoryPage(
    async (more) =>
      (await page.ask("memory", { ...page.view.defaults, ...more })).answer,
    (changes) => {
      if ("argument" in changes) page.change(changes);
      else page.keep(changes, false);
    },
    page.address,
    page.params.get("argument") ?? "",
  );
  page.put(made.element);
  try {
    await made.start(page.params.get("window") ?? "");
  } catch (error) {
    made.element.remove();
    if (!(error instanceof Missing)) throw error;
    if (!(await drawOperations(page))) throw error;
  }
}

// Without levels over time, the operations with the most memory of their own.
async function drawOperations(page: Page): Promise<boolean> {
  const table = (await page.ask("memory")).answer.tables?.operations;
  if (!table?.rows.length) return false;
  page.put(
    el("p", {
      class: "note",
      text:
        "The file has no memory over time, only the bytes of operations. " +
        (page.view.empty ?? ""),
    }),
    el("h2", { text: "Operations with the most memory of their own" }),
    wholeTable(table, { label: "Operations", first: ["name"] }),
  );
  return true;
}
