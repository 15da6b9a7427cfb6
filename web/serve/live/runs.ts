// The table of runs. A row is made once and its cells are updated in place, so
// that a page with a thousand kinds of run stays fast while all of them count.

import { button, el } from "../../shared/dom";
import { count, showable } from "../../shared/format";
import {
  duration,
  orderText,
  overhead,
  percent,
  runName,
  sparkPoints,
} from "./figures";
import { Client, Order, Run, runKey } from "./store";

const WIDTH = 90,
  HEIGHT = 18;
const SVG = "http://www.w3.org/2000/svg";

export interface RunActions {
  next: (run: Run) => void;
  more: (run: Run) => void;
  cancel: (orders: Order[]) => void;
}

type Amount = (run: Run) => number;

// The headings, and the amounts by which they sort.
const COLUMNS: Array<{ title: string; help: string; by?: Amount }> = [
  { title: "Run", help: "The fetched tensors, and the names of the fed ones" },
  { title: "Rank", help: "The process; its rank" },
  { title: "Runs", help: "The number of finished runs", by: (r) => r.runs },
  { title: "Step", help: "The last step", by: (r) => r.step ?? -1 },
  { title: "Last", help: "The last run", by: (r) => r.last_ns ?? -1 },
  {
    title: "Mean",
    help: "The mean of runs that were not traced",
    by: (r) => r.mean_ns ?? -1,
  },
  {
    title: "p50",
    help: "Half of the runs were faster",
    by: (r) => r.p50_ns ?? -1,
  },
  {
    title: "p95",
    help: "95 of 100 runs were faster",
    by: (r) => r.p95_ns ?? -1,
  },
  {
    title: "p99",
    help: "99 of 100 runs were faster",
    by: (r) => r.p99_ns ?? -1,
  },
  { title: "Last runs", help: "The durations of the last runs, from 0" },
  {
    title: "Tracing costs",
    help: "Mean of traced runs compared with the others",
    by: (r) => overhead(r) ?? -1,
  },
  {
    title: "Traces",
    help: "The number so far; the session keeps the newest",
    by: (r) => r.traces,
  },
  { title: "", help: "" },
];

interface Line {
  row: HTMLTableRowElement;
  cells: HTMLTableCellElement[];
  line: SVGPolylineElement;
  trace: HTMLButtonElement;
  more: HTMLButtonElement;
  stop: HTMLButtonElement;
  shown: string[];
  run: Run;
  orders: Order[];
}

export class RunTable {
  readonly element: HTMLElement;
  private readonly body = el("tbody");
  private readonly lines = new Map<string, Line>();
  private readonly heads: HTMLTableCellElement[];
  private sorted = -1; // -1: in order of appearance
  private find = "";
  private client = ""; // whose rows are shown; "": all

  constructor(private readonly actions: RunActions) {
    this.heads = COLUMNS.map((column, i) => {
      const { by } = column;
      const head = el("th", {
        title: column.help,
        attributes: { scope: "col" },
      });
      if (by === undefined) {
        head.textContent = column.title;
      } else {
        head.append(button(column.title, () => this.sort(i)));
      }
      return head;
    });
    const search = el("input", {
      label: "Search in the runs",
      attributes: { type: "search", placeholder: "Search (/)" },
    });
    search.id = "search";
    search.addEventListener("input", () => {
      this.find = search.value.toLowerCase();
      this.arrange();
    });
    this.element = el(
      "div",
      {},
      el("div", { class: "row" }, search),
      el(
        "div",
        { class: "scroll" },
        el(
          "table",
          { label: "Runs" },
          el("thead", {}, el("tr", {}, ...this.heads)),
          this.body,
        ),
      ),
    );
  }

  draw(
    rows: Map<string, Run>,
    clients: Map<string, Client>,
    orders: Order[],
    client: string,
    frozen: boolean,
  ) {
    const asked = new Map<string, Order[]>();
    for (const order of orders) {
      if (order.state === "done" || order.state === "missed") continue;
      const key =
        order.row === null ? order.client : runKey(order.client, order.row);
      asked.set(key, [...(asked.get(key) ?? []), order]);
    }
    let arrange = false;
    for (const [key, run] of rows) {
      let line = this.lines.get(key);
      if (line === undefined) {
        line = this.make(run);
        this.lines.set(key, line);
        arrange = true;
      }
      line.run = run;
      line.orders = [
        ...(asked.get(key) ?? []),
        ...(asked.get(run.client) ?? []),
      ];
      this.fill(line, clients.get(run.client), frozen);
    }
    for (const key of this.lines.keys()) {
      if (!rows.has(key)) {
        this.lines.delete(key);
        arrange = true;
      }
    }
    // Rows keep their positions while their numbers change, so that no row
    // moves away from the pointer.
    if (arrange || client !== this.client) {
      this.client = client;
      this.arrange();
    }
  }

  private sort(column: number) {
    this.sorted = this.sorted === column ? -1 : column;
    this.heads.forEach((head, i) => {
      if (i === this.sorted) head.setAttribute("aria-sort", "descending");
      else head.removeAttribute("aria-sort");
    });
    this.arrange();
  }

  private arrange() {
    const by = COLUMNS[this.sorted]?.by;
    const lines = [...this.lines.values()].filter(
      ({ run }) =>
        (this.client === "" || run.client === this.client) &&
        (this.find === "" ||
          run.fetches.toLowerCase().includes(this.find) ||
          run.feeds.some((feed) => feed.toLowerCase().includes(this.find))),
    );
    if (by !== undefined) lines.sort((a, b) => by(b.run) - by(a.run));
    this.body.replaceChildren(...lines.map((line) => line.row));
  }

  private make(run: Run): Line {
    const cells = COLUMNS.map((column, i) =>
      el("td", { class: i >= 2 && column.by ? "right" : "" }),
    );
    const chart = document.createElementNS(SVG, "svg");
    chart.setAttribute("class", "spark");
    chart.setAttribute("width", String(WIDTH));
    chart.setAttribute("height", String(HEIGHT));
    chart.setAttribute("role", "img");
    chart.setAttribute("aria-label", "the durations of the last runs");
    const points = document.createElementNS(SVG, "polyline");
    chart.append(points);
    cells[9].append(chart);
    const line: Line = {
      row: el("tr", {}, ...cells),
      cells,
      line: points,
      run,
      orders: [],
      shown: [],
      trace: button("Trace next", () => this.actions.next(line.run)),
      more: button(
        "More …",
        () => this.actions.more(line.run),
        "N runs, every k-th, steps, slow ones, all ranks",
      ),
      stop: button("Cancel", () => this.actions.cancel(line.orders)),
    };
    line.row.dataset.run = runKey(run.client, run.row);
    cells[12].append(
      el("span", { class: "actions" }, line.trace, line.more, line.stop),
    );
    return line;
  }

  private fill(line: Line, client: Client | undefined, frozen: boolean) {
    const { run, cells, orders } = line;
    const fed =
      run.feeds.length === 0 ? "" : ` ← ${run.feeds.map(showable).join(", ")}`;
    const cost = overhead(run);
    const texts = [
      runName(run.fetches) + fed,
      client?.rank !== null && client?.rank !== undefined
        ? String(client.rank)
        : run.client,
      count(run.runs) +
        (run.failed > 0 ? ` (${count(run.failed)} failed)` : ""),
      run.step === null ? "–" : count(run.step),
      duration(run.last_ns),
      duration(run.mean_ns),
      duration(run.p50_ns),
      duration(run.p95_ns),
      duration(run.p99_ns),
      sparkPoints(run.spark, WIDTH, HEIGHT),
      cost === undefined ? "–" : percent(cost),
      count(run.traces),
    ];
    texts.forEach((text, i) => {
      if (line.shown[i] === text) return;
      if (i === 9) line.line.setAttribute("points", text);
      else cells[i].textContent = text;
    });
    line.shown = texts;
    cells[0].title = showable(run.fetches);
    const runs = client?.state === "running" || client?.state === "idle";
    line.trace.disabled = line.more.disabled = frozen || !runs;
    line.stop.hidden = orders.length === 0;
    line.stop.disabled = frozen;
    line.stop.title = orders.map(orderText).join("\n");
    line.row.classList.toggle("armed", orders.length > 0);
  }
}
