// The panel for the selection: an event, or a range of time.

import { button, byId, Cell, Column, el, table } from "../shared/dom";
import {
  amount,
  bytes,
  count,
  exactNanos,
  rate,
  share,
  showable,
  time,
} from "../shared/format";
import { App } from "./app";
import {
  figuresOf,
  PlacedTotal,
  placedSums,
  placedTotals,
  Range,
  totals,
} from "./sums";

const LINK_NAMES = ["launch", "transfer", "gradient", "data"];
const MAX_LINKS = 40;

function fact(list: HTMLElement, name: string, value: string, title = "") {
  if (value === "") return;
  list.append(el("dt", { text: name }), el("dd", { text: value, title }));
}

function eventButton(app: App, event: number, text = ""): HTMLElement {
  const { model } = app;
  return button(
    text || model.labelOf(event),
    () => app.select(event, true),
    `${model.labelOf(event)} on ${model.laneName(model.laneOf[event])}`,
    "link",
  );
}

// What an event has to do with others: calls and launches, inputs and outputs.
function relations(app: App, event: number): HTMLElement {
  const { model } = app;
  const box = el("section", { class: "column", label: "relations" });
  const group = (title: string, items: HTMLElement[], total: number) => {
    if (items.length === 0) return;
    const list = el("ul", { class: "plain" });
    for (const item of items) list.append(el("li", {}, item));
    if (total > items.length) {
      list.append(
        el("li", { class: "faint", text: `${total - items.length} more` }),
      );
    }
    box.append(el("h3", { text: `${title} (${count(total)})` }), list);
  };
  const parent = model.parent[event];
  if (parent >= 0) group("Called by", [eventButton(app, parent)], 1);
  const children = model.childrenOf(event);
  group(
    "Calls",
    Array.from(children.subarray(0, MAX_LINKS), (child) =>
      el(
        "span",
        {},
        eventButton(app, child),
        ` · ${time(model.data.duration[child], model.perMicro)}`,
      ),
    ),
    children.length,
  );
  const links = model.linksOf(event);
  const wait = (from: number, to: number) => {
    const ticks = model.data.start[to] - model.end(from);
    return ticks >= 0 ? ` · ${time(ticks, model.perMicro)} later` : "";
  };
  for (const out of [false, true]) {
    const of = links.filter((l) => l.out === out);
    group(
      out ? "Leads to" : "Comes from",
      of.slice(0, MAX_LINKS).map((l) =>
        el(
          "span",
          {},
          el("span", {
            class: "tag",
            text: LINK_NAMES[l.kind] ?? "link",
          }),
          eventButton(app, l.event),
          wait(out ? event : l.event, out ? l.event : event),
        ),
      ),
      of.length,
    );
  }
  const launched = children.length > 0 ? model.launchedBy(event, 1000) : [];
  group(
    "Launched by calls inside",
    launched
      .slice(0, MAX_LINKS)
      .map(([call, work]) =>
        el("span", {}, eventButton(app, work), wait(call, work)),
      ),
    launched.length,
  );
  const producer = model.producerOf(event);
  if (producer >= 0) {
    group(
      "Tensor made by",
      [el("span", {}, eventButton(app, producer), wait(producer, event))],
      1,
    );
  }
  const inputs = model.inputsOf(event);
  group(
    "Inputs",
    inputs.slice(0, MAX_LINKS).map((node) => {
      const source = model.nearest(node, event, false);
      return source < 0
        ? el("span", {
            text: model.text(node),
            title: "did not run in this step",
          })
        : el(
            "span",
            {},
            eventButton(app, source, model.text(node)),
            wait(source, event),
          );
    }),
    inputs.length,
  );
  const readers = model.readersOf(event);
  group(
    "Read by",
    readers.slice(0, MAX_LINKS).map((node) => {
      const reader = model.nearest(node, event, true);
      return reader < 0
        ? el("span", {
            text: model.text(node),
            title: "did not run in this step",
          })
        : eventButton(app, reader, model.text(node));
    }),
    readers.length,
  );
  if (box.children.length === 0) {
    box.append(
      el("p", {
        class: "faint",
        text: "The file records no calls, links or inputs of this event.",
      }),
    );
  }
  return box;
}

function transferFacts(app: App, event: number, list: HTMLElement) {
  const { model } = app;
  const moved = model.transfer(event);
  if (!moved) return;
  fact(list, "tensor", model.text(moved.tensor));
  fact(
    list,
    "bytes",
    moved.bytes < 0
      ? "not recorded"
      : `${bytes(moved.bytes)} (${count(moved.bytes)})`,
  );
  fact(list, "source", model.text(moved.from));
  fact(list, "destination", model.text(moved.to));
  fact(
    list,
    "rate",
    rate(moved.bytes, model.data.duration[event], model.perMicro),
  );
  const send = model.linksOf(event).find((l) => l.kind === 1 && !l.out);
  if (send) {
    const waited = Math.max(
      0,
      model.data.start[send.event] - model.data.start[event],
    );
    fact(
      list,
      "of it waiting",
      `${time(waited, model.perMicro)} before it was sent`,
    );
    return;
  }
  // The tensor may not exist yet: until its producer ends, nothing moves.
  const produced = model.producerOf(event);
  if (produced >= 0) {
    const waited = Math.min(
      model.data.duration[event],
      Math.max(0, model.end(produced) - model.data.start[event]),
    );
    fact(
      list,
      "of it waiting",
      `${time(waited, model.perMicro)} until ${model.nodeOf(produced)} ended`,
      "by the clocks in the file, which may differ between machines",
    );
  }
}

const MAX_COUNTERS = 8;

// The counters of the process when the event starts.
function counterFacts(app: App, event: number, list: HTMLElement) {
  const { model } = app;
  const { counters, devices } = model.data.head;
  const at = model.data.start[event];
  const { process } = devices[model.laneHead(event).device];
  const own = counters.flatMap((c, i) => (c.process === process ? [i] : []));
  for (const i of own.slice(0, MAX_COUNTERS)) {
    const level = app.timeline.levelOf(i);
    const sample = level.indexAt(at);
    if (sample < 0) continue;
    const { unit } = counters[i];
    fact(
      list,
      app.layout.fullName(`c${i}`),
      amount(level.value[sample], unit),
      "at the start of the event",
    );
  }
  if (own.length > MAX_COUNTERS) {
    fact(list, "counters", `${own.length - MAX_COUNTERS} more on the page`);
  }
}

export function renderEvent(app: App, root: HTMLElement) {
  const { model } = app;
  const event = app.timeline.selected;
  const { data } = model;
  const of = model.eventsOf(data.entry[event]);
  const place = of.indexOf(event);
  const head = el("div", { class: "panel-head" });
  head.append(el("h2", { text: model.labelOf(event) }));
  const go = (offset: number) =>
    app.select(of[(place + offset + of.length) % of.length], true);
  const previous = button(
    "◂ Previous",
    () => go(-1),
    "the execution before ([)",
  );
  const next = button("Next ▸", () => go(1), "the next execution (])");
  previous.disabled = next.disabled = of.length < 2;
  const arrows = button(
    app.arrowsOn ? "Hide arrows" : "Show arrows",
    () => app.toggleArrows(),
    "calls that launched work, links, inputs (o)",
  );
  head.append(
    previous,
    el("span", {
      class: "faint",
      text: `${count(place + 1)} of ${count(of.length)}`,
    }),
    next,
    button("Zoom to it", () => app.zoomToEvent(event), "(f)"),
    arrows,
  );
  if (data.path.size > 0) {
    head.append(
      button(
        app.timeline.pathOn ? "Hide critical path" : "Show critical path",
        () => app.togglePath(),
        "(c)",
      ),
    );
  }
  root.append(head);

  const columns = el("div", { class: "columns" });
  const facts = el("dl");
  const first = el("section", { class: "column", label: "times" }, facts);
  const perMicro = model.perMicro;
  const start = data.start[event];
  const duration = data.duration[event];
  transferFacts(app, event, facts);
  fact(facts, "name", model.nameOf(event));
  fact(facts, "type", model.opOf(event));
  if (model.nodeOf(event) !== model.nameOf(event)) {
    fact(facts, "node", model.nodeOf(event));
  }
  fact(
    facts,
    "start",
    `${time(start, perMicro)} (${exactNanos(start, perMicro)})`,
    "from the first event of the page",
  );
  fact(
    facts,
    "duration",
    `${time(duration, perMicro)} (${exactNanos(duration, perMicro)})`,
  );
  fact(
    facts,
    "end",
    `${time(start + duration, perMicro)} ` +
      `(${exactNanos(start + duration, perMicro)})`,
  );
  fact(facts, "device", model.deviceName(model.laneHead(event).device));
  fact(
    facts,
    "lane",
    `${model.laneName(model.laneOf[event])}, ` + model.laneHead(event).kind,
  );
  const step = app.stepOf(event);
  if (data.step[event] >= 0) {
    const name = step && step.name >= 0 ? ` “${model.text(step.name)}”` : "";
    fact(facts, "step", `${data.head.stepNumbers[data.step[event]]}${name}`);
    if (step && step.end > step.start) {
      fact(facts, "of the step", share(duration, step.end - step.start));
    }
  }
  const path = data.path.get(event);
  if (path) {
    fact(
      facts,
      "critical path",
      path.onPath > 0 ? `${time(path.onPath, perMicro)} of it` : "not on it",
      "the chain of executions that made the step as long as it was",
    );
    fact(
      facts,
      "slack",
      time(path.slack, perMicro),
      "by how much it could end later without making the step longer",
    );
  }
  columns.append(first);

  counterFacts(app, event, facts);

  const fields = data.details[data.detail[event]] ?? [];
  const second = el("section", { class: "column", label: "recorded fields" });
  second.append(el("h3", { text: "Recorded" }));
  if (fields.length > 0) {
    const list = el("dl");
    for (const [key, value] of fields) {
      fact(list, model.text(key), model.text(value));
    }
    second.append(list);
  } else {
    second.append(
      el("p", {
        class: "faint",
        text:
          model.size > 100000
            ? "no further fields (only the longest events have them here)"
            : "no further fields",
      }),
    );
  }
  let sum = 0;
  let least = Infinity;
  let most = 0;
  for (const e of of) {
    sum += data.duration[e];
    least = Math.min(least, data.duration[e]);
    most = Math.max(most, data.duration[e]);
  }
  const same = el("dl");
  fact(same, "executions", count(of.length));
  fact(same, "sum", time(sum, perMicro));
  fact(same, "mean", time(sum / of.length, perMicro));
  fact(same, "shortest", time(least, perMicro));
  fact(same, "longest", time(most, perMicro));
  second.append(el("h3", { text: "All executions of this op" }), same);
  columns.append(second, relations(app, event));

  const stack = model.stack(event);
  if (stack.length > 0) {
    const list = el("ol", { class: "plain mono" });
    for (const frame of stack) list.append(el("li", { text: frame }));
    columns.append(
      el(
        "section",
        { class: "column", label: "stack" },
        el("h3", { text: "Stack, innermost first" }),
        list,
      ),
    );
  }
  root.append(columns);
}

const MAX_NAMED = 6;

// Says of which lanes the sums are.
function limitsOf(
  app: App,
  { from, to }: Range,
  lanes: ReadonlySet<number>,
): HTMLElement {
  const { model } = app;
  const names = [...lanes].map((l) => app.layout.fullName(`l${l}`));
  const more = names.length - MAX_NAMED;
  const uncounted = [...lanes].filter((l) => !model.lanes[l].lane.counted);
  const text =
    `Sums of ${count(lanes.size)} of ${count(model.lanes.length)} lanes: ` +
    showable(names.slice(0, MAX_NAMED).join(", ")) +
    (more > 0 ? ` and ${count(more)} more` : "") +
    ". " +
    (uncounted.length > 0
      ? `${count(uncounted.length)} of them repeat others or only name ` +
        "ranges, and are not in the sums. "
      : "");
  return el(
    "p",
    { class: "limits", attributes: { role: "status" } },
    text,
    button("All lanes", () => app.setRange({ from, to }), "", "small"),
  );
}

// Sums of a range: by type, device and kind.
export function renderRange(app: App, root: HTMLElement, range: Range) {
  const { model } = app;
  const { perMicro, data } = model;
  const head = el("div", { class: "panel-head" });
  head.append(
    el("h2", { text: `${time(range.to - range.from, perMicro)} selected` }),
    el("span", {
      class: "faint",
      text:
        `${exactNanos(Math.round(range.from), perMicro)} to ` +
        exactNanos(Math.round(range.to), perMicro),
    }),
    button("Zoom to it", () => app.zoomTo(range.from, range.to)),
    button("Save…", () => byId("save-open").click(), "a trace, CSV, PNG (E)"),
    button("Clear", () => app.setRange(undefined)),
  );
  root.append(head);
  if (range.lanes) root.append(limitsOf(app, range, range.lanes));
  const columns = el("div", { class: "columns" });

  const ops = placedTotals(
    model,
    (e) => data.entryOp[data.entry[e]],
    data.strings.length,
    range,
    true,
  );
  const sums = placedSums(ops);
  const all = (t: PlacedTotal) =>
    t.accelerator ? sums.accelerator : sums.host;
  columns.append(
    el(
      "section",
      { class: "column wide", label: "sums by type" },
      el("h3", { text: "By type" }),
      table(
        "sums by type",
        [
          { title: "Type" },
          { title: "On", help: "where it ran", line: true },
          { title: "Events", right: true },
          { title: "Sum", right: true },
          { title: "Self", right: true, help: "without events inside of them" },
          {
            title: "Share",
            right: true,
            help: "of the self time of all accelerators, or of all hosts",
          },
        ],
        ops.map((t): Cell[] => [
          { text: model.text(t.key) || "(none)" },
          { text: t.accelerator ? "accelerator" : "CPU" },
          { text: count(t.count), number: t.count },
          {
            text: time(t.time, perMicro),
            number: t.time,
            title: exactNanos(Math.round(t.time), perMicro),
          },
          {
            text: time(t.self, perMicro),
            number: t.self,
            title: exactNanos(Math.round(t.self), perMicro),
          },
          {
            text: share(t.self, all(t)),
            number: t.self / all(t),
            bar: all(t) > 0 ? t.self / all(t) : 0,
          },
        ]),
        (row) => app.select(ops[row].longest, true),
      ),
    ),
  );

  const kinds = totals(
    model,
    (e) => model.laneOf[e],
    model.lanes.length,
    range,
    true,
  );
  const byKind = new Map<string, { count: number; self: number }>();
  for (const t of kinds) {
    const { kind } = model.lanes[t.key].lane;
    const sum = byKind.get(kind) ?? { count: 0, self: 0 };
    sum.count += t.count;
    sum.self += t.self;
    byKind.set(kind, sum);
  }
  columns.append(
    el(
      "section",
      { class: "column", label: "sums by kind" },
      el("h3", { text: "By kind, sum of self time" }),
      table(
        "sums by kind",
        [
          { title: "Kind" },
          { title: "Events", right: true },
          { title: "Sum", right: true },
        ],
        [...byKind].map(([kind, t]): Cell[] => [
          { text: kind },
          { text: count(t.count), number: t.count },
          { text: time(t.self, perMicro), number: t.self },
        ]),
      ),
    ),
  );
  columns.append(
    el(
      "section",
      { class: "column wide", label: "devices in the range" },
      el("h3", { text: "By device, when it was busy (unions)" }),
      deviceTable(app, range),
    ),
  );
  root.append(columns);
}

// "waiting 132 ms, host-bound 600 ms"; "" if the file does not tell.
function causesOf(app: App, causes: Array<[string, number]>): string {
  return causes
    .filter(([, ticks]) => ticks > 0)
    .sort((a, b) => b[1] - a[1])
    .map(([cause, t]) => `${showable(cause)} ${time(t, app.model.perMicro)}`)
    .join(", ");
}

// The activity of each device in a range, as unions.
export function deviceTable(app: App, range: Range): HTMLElement {
  const { model } = app;
  const { perMicro } = model;
  const { devices } = model.data.head;
  const all = app.isWhole(range);
  // Of some lanes, only the devices whose work is on one of them.
  const works = new Set<number>();
  for (const { index, lane } of model.lanes) {
    const isWork = ["compute", "communication", "copy"].includes(lane.kind);
    if (range.lanes?.has(index) && lane.counted && isWork) {
      works.add(lane.device);
    }
  }
  const order = app.layout.deviceOrder.filter(
    (d) => !range.lanes || works.has(d),
  );
  const figures = order.map(
    (d) => (all && devices[d].figures) || figuresOf(model, d, range),
  );
  const cell = (value: number, span: number): Cell => ({
    text: time(value, perMicro),
    number: value,
    bar: span > 0 ? value / span : 0,
    title: `${share(value, span)} of ${time(span, perMicro)}`,
  });
  const columns: Column[] = [
    { title: "Device" },
    { title: "Busy", right: true, help: "when it did anything" },
    { title: "Compute", right: true, help: "when it computed" },
    { title: "Communication", right: true, help: "between processes" },
    { title: "Copies", right: true, help: "between memories" },
    { title: "Overlap", right: true, help: "computed while data moved" },
    {
      title: "Exposed",
      right: true,
      help: "communication during which it did not compute",
    },
    { title: "Idle", right: true, help: "when it did nothing" },
  ];
  const hasCauses = figures.some((f) => f.causes.length > 0);
  if (hasCauses) columns.push({ title: "Idle by cause", line: true });
  return table(
    "devices",
    columns,
    figures.map((f, i): Cell[] => [
      {
        text: model.deviceName(order[i]),
        title: showable(devices[order[i]].name),
      },
      cell(f.busy, f.span),
      cell(f.compute, f.span),
      cell(f.communication, f.span),
      cell(f.copies, f.span),
      cell(f.overlap, f.span),
      cell(f.exposed, f.span),
      cell(f.idle, f.span),
      ...(hasCauses ? [{ text: causesOf(app, f.causes) }] : []),
    ]),
    (row) => app.revealDevice(order[row]),
  );
}
