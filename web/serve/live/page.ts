// The page of running programs: the programs, their runs, and their traces.

import { button, el } from "../../shared/dom";
import { bytes, count, showable, unbroken } from "../../shared/format";
import { reload } from "../client";
import { askDialog, Rules } from "./ask_form";
import { orderText } from "./figures";
import { RunTable } from "./runs";
import {
  cancel,
  cancelAll,
  Client,
  Live,
  mark,
  order,
  orderRules,
  remove,
  Run,
  Store,
} from "./store";
import { TraceTable } from "./traces";

const GLOBAL_TRACES = 20,
  GLOBAL_SECONDS = 60;

export class LivePage {
  readonly element = el("div", { class: "live" });
  private readonly store = new Store(() => this.draw());
  private readonly error = el("p", { class: "error", role: "alert" });
  private readonly facts = el("div", { class: "facts" });
  private readonly notes = el("div");
  private readonly programs = el("div", { class: "row" });
  private readonly global = el("div", { class: "row" });
  private readonly why = el("p", { class: "note" });
  private readonly runs: RunTable;
  private readonly traces: TraceTable;
  private rules: Rules | undefined;
  private client = "";
  private drawn = "";

  // `go` opens an address of the page.
  constructor(private readonly go: (target: string) => void) {
    this.error.hidden = true;
    this.runs = new RunTable({
      next: (run) =>
        this.does(
          order({ client: run.client, row: run.row, rule: "next", count: 1 }),
        ),
      more: (run) => this.ask(run),
      cancel: (orders) => {
        for (const { order } of orders) this.does(cancel(order));
      },
    });
    this.traces = new TraceTable({
      mark: (trace, change) => this.does(mark(trace, change)),
      remove: (trace) => this.does(remove(trace)),
      compare: (profile, base) =>
        this.go(`/compare?${new URLSearchParams({ profile, base })}`),
      // Reloads first, to include the traces that came since the session was
      // opened.
      together: (page) =>
        void reload(".").finally(() => this.go(`/${page}?profile=.`)),
    });
    this.element.append(
      el("h1", { text: "Runs" }),
      this.error,
      this.notes,
      this.facts,
      this.programs,
      this.global,
      this.runs.element,
      el("h2", { text: "Traces" }),
      this.why,
      this.traces.element,
      el(
        "p",
        {},
        el("a", {
          text: "Save the session as one file",
          title: "tfprof serve and all other commands can open it",
          attributes: {
            href: "/api/session.zip",
            "data-leaves": "true",
            download: "",
          },
        }),
      ),
    );
  }

  async refresh(): Promise<void> {
    this.rules ??= await orderRules();
    return this.store.refresh();
  }

  private does(request: Promise<void>) {
    request
      .then(
        () => {
          this.error.hidden = true;
        },
        (error) => {
          this.error.textContent = error.message;
          this.error.hidden = false;
        },
      )
      .finally(() => void this.refresh());
  }

  private ask(run: Run) {
    if (this.rules === undefined) return;
    const ranks = (this.store.reply?.clients.length ?? 0) > 1;
    const dialog = askDialog("Trace this run", this.rules, ranks, (asked) =>
      this.does(order({ client: run.client, row: run.row, ...asked })),
    );
    this.element.append(dialog);
    dialog.showModal();
  }

  private draw() {
    const reply = this.store.reply;
    if (reply === undefined) return;
    const clients = new Map(reply.clients.map((c) => [c.client, c]));
    const frozen = reply.read_only || !reply.live;
    this.drawFacts(reply);
    // Elements are replaced only if their data have changed, because the
    // pointer may be on one.
    const what = JSON.stringify([
      reply.clients.map((c) => [
        c.client,
        c.name,
        c.rank,
        c.state,
        c.why,
        c.dropped,
      ]),
      reply.orders.filter((o) => o.rule === "global"),
      frozen,
      this.client,
    ]);
    if (what !== this.drawn) {
      this.drawn = what;
      this.drawPrograms(reply.clients);
      this.drawGlobal(reply, frozen);
    }
    this.runs.draw(this.store.rows, clients, reply.orders, this.client, frozen);
    this.why.hidden = reply.why === "";
    this.why.textContent = reply.why;
    this.traces.draw(
      reply.traces,
      this.store.rows,
      this.client,
      reply.read_only,
    );
    this.drawNotes(reply);
  }

  private drawFacts({ session, clients }: Live) {
    const states = (name: string) =>
      clients.filter((c) => c.state === name).length;
    const used = Math.round((100 * session.bytes) / session.limit_bytes);
    const figures: Array<[string, string]> = [
      ["programs that run", count(states("running") + states("idle"))],
      ["kinds of run", count(this.store.rows.size)],
      ["traces", count(session.traces)],
      [
        "size of the session",
        unbroken(
          `${bytes(session.bytes)} of ` +
            `${bytes(session.limit_bytes)} (${used} %)`,
        ),
      ],
      ["deleted by the limits", count(session.evicted)],
    ];
    this.facts.replaceChildren(
      ...figures.map(([name, value]) =>
        el(
          "div",
          { class: "fact" },
          el("span", { text: name }),
          el("strong", { text: value }),
        ),
      ),
    );
  }

  private drawNotes(reply: Live) {
    const notes: string[] = reply.session.damaged.map((d) => `Damaged: ${d}`);
    if (!reply.live) notes.unshift("A saved session; nothing runs.");
    for (const { client, rows_left_out: many } of reply.clients) {
      if (many === 0) continue;
      notes.push(
        `${client}: ${many} ${many === 1 ? "kind of run is" : "kinds of runs are"} not shown, because their names are too long together.`,
      );
    }
    for (const { client, dropped } of reply.clients) {
      if (dropped.traces === 0) continue;
      notes.push(
        `${client}: ${count(dropped.traces)} traces ` +
          `(${bytes(dropped.bytes)}) could not be kept: ${dropped.why}`,
      );
    }
    for (const order of reply.orders) {
      if (order.state === "missed") {
        notes.push(`${order.client}: ${orderText(order)}`);
      }
    }
    this.notes.replaceChildren(
      ...notes.map((text) => el("p", { class: "note", text: showable(text) })),
    );
  }

  // Shows one program or all, and reports lost programs.
  private drawPrograms(clients: Client[]) {
    const chips = clients.slice(0, 100).map((client) => {
      const rank =
        client.rank === null
          ? ""
          : ` rank ${client.rank}${client.ranks === null ? "" : ` of ${client.ranks}`}`;
      const why = client.why === "" ? "" : `: ${client.why}`;
      const chip = button(
        `${showable(client.name || client.client)}${rank} · ` +
          `${client.state}${showable(why)}`,
        () => {
          this.client = this.client === client.client ? "" : client.client;
          this.draw();
        },
        showable(
          `${client.framework}, process ${client.pid} on ` +
            `${client.host}. A click shows only its runs.`,
        ),
        `chip ${client.state}`,
      );
      chip.setAttribute("aria-pressed", String(this.client === client.client));
      return chip;
    });
    this.programs.replaceChildren(...chips);
    if (clients.length > chips.length) {
      this.programs.append(
        el("span", {
          class: "faint",
          text: `and ${count(clients.length - chips.length)} more`,
        }),
      );
    }
  }

  private drawGlobal(reply: Live, frozen: boolean) {
    const on = reply.orders.filter(
      (o) => o.rule === "global" && (o.state === "sent" || o.state === "armed"),
    );
    const limit = el("input", {
      label: "Maximum number of traces per program",
      attributes: { type: "number", min: "1", value: String(GLOBAL_TRACES) },
    });
    const seconds = el("input", {
      label: "Maximum time in seconds",
      attributes: { type: "number", min: "1", value: String(GLOBAL_SECONDS) },
    });
    const start = button(
      "Trace every run",
      () =>
        this.does(
          order({
            rule: "global",
            limit: Number(limit.value),
            seconds: Number(seconds.value),
          }),
        ),
      "It stops automatically",
      "global",
    );
    start.disabled = frozen;
    const stop = button(
      "Stop tracing everything",
      () => {
        for (const { order } of on) this.does(cancel(order));
      },
      "",
      "stop",
    );
    const all = button(
      "Cancel all",
      () => this.does(cancelAll()),
      "Cancels all trace requests of all programs",
    );
    all.disabled = frozen;
    if (on.length > 0) {
      this.global.replaceChildren(
        el("strong", {
          class: "on",
          role: "status",
          text: "Every run is traced; this slows the program.",
        }),
        stop,
      );
    } else {
      this.global.replaceChildren(
        start,
        el("label", { class: "pick" }, "at most ", limit, " traces"),
        el("label", { class: "pick" }, "or ", seconds, " s"),
        all,
      );
    }
  }
}
