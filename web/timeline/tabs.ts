// The tables and graphs of the panel.

import { button, Cell, el, table } from "../shared/dom";
import {
  amount,
  bytes,
  count,
  exactNanos,
  rate,
  share,
  readable,
  showable,
  time,
} from "../shared/format";
import { renderAccount } from "./account";
import { App } from "./app";
import { flame } from "./flame";
import { levelOf, ownersAt } from "./levels";
import { deviceTable } from "./selection";
import {
  linkSums,
  PlacedTotal,
  placedSums,
  placedTotals,
  treeOf,
} from "./sums";

export function renderDevices(app: App, root: HTMLElement) {
  const { model } = app;
  const { head } = model.data;
  const range = app.scopeRange();
  root.append(
    el(
      "div",
      { class: "panel-head" },
      el("h2", { text: "Activity of the devices" }),
      el("span", {
        class: "faint",
        text: `in ${app.scopeName()}; unions of intervals`,
      }),
    ),
    deviceTable(app, range),
  );
  renderAccount(app, root);
  const facts = [
    `${count(model.size)} events`,
    `${count(head.lanes.length)} lanes`,
    `${count(head.counters.length)} counters`,
    `${count(head.stepNumbers.length)} step` +
      (head.stepNumbers.length === 1 ? "" : "s"),
    `${time(head.span, model.perMicro)} from the first to the last`,
    `page of ${showable(head.program)}, file ${showable(head.title)}`,
  ];
  root.append(el("p", { class: "faint", text: facts.join(" · ") }));
  for (const note of head.notes) {
    root.append(el("p", { class: "note", text: showable(note) }));
  }
  if (model.data.path.size > 0) {
    root.append(button("Go to the critical path", () => app.showPath()));
  }
}

type By = "type" | "name" | "scope" | "lane";
const BY: By[] = ["type", "name", "scope", "lane"];

export function renderOps(app: App, root: HTMLElement) {
  const { model } = app;
  const { data, perMicro } = model;
  const keys: Record<By, (event: number) => number> = {
    type: (e) => data.entryOp[data.entry[e]],
    name: (e) => data.entryName[data.entry[e]],
    scope: (e) => data.entryScope[data.entry[e]],
    lane: (e) => model.laneOf[e],
  };
  const by = BY.includes(app.opsBy as By) ? (app.opsBy as By) : "type";
  const name = (key: number) =>
    by === "scope"
      ? model.pathOf(key)
      : by === "lane"
        ? `${model.deviceName(model.lanes[key].lane.device)} ` +
          `${model.laneName(key)} (${model.lanes[key].lane.kind})`
        : model.text(key);
  const size =
    by === "scope"
      ? data.scopes.parent.length
      : by === "lane"
        ? model.lanes.length
        : data.strings.length;
  const list = placedTotals(
    model,
    keys[by],
    size,
    app.scopeIsAll() ? undefined : app.scopeRange(),
    true,
  );
  const sums = placedSums(list);
  const all = (t: PlacedTotal) =>
    t.accelerator ? sums.accelerator : sums.host;
  const head = el(
    "div",
    { class: "panel-head" },
    el("h2", { text: "Operations" }),
    el("span", {
      class: "faint",
      text:
        `${app.scopeName()}; self: without the events inside; ` +
        "lanes that repeat others are left out",
    }),
  );
  for (const choice of BY) {
    const pick = button(
      `by ${choice}`,
      () => {
        app.opsBy = choice;
        app.renderPanel();
      },
      "",
      "small",
    );
    pick.setAttribute("aria-pressed", String(choice === by));
    head.append(pick);
  }
  root.append(
    head,
    table(
      "operations",
      [
        { title: by[0].toUpperCase() + by.slice(1) },
        { title: "On", help: "where it ran", line: true },
        { title: "Events", right: true },
        { title: "Self", right: true, help: "durations without events inside" },
        {
          title: "Share",
          right: true,
          help: "of the self time of all accelerators, or of all hosts",
        },
        { title: "Sum", right: true, help: "of durations" },
        { title: "Mean", right: true },
        { title: "Shortest", right: true },
        { title: "Longest", right: true },
      ],
      list.map((t): Cell[] => [
        { text: name(t.key) || "(none)" },
        { text: t.accelerator ? "accelerator" : "CPU" },
        { text: count(t.count), number: t.count },
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
        {
          text: time(t.time, perMicro),
          number: t.time,
          title: exactNanos(Math.round(t.time), perMicro),
        },
        { text: time(t.time / t.count, perMicro), number: t.time / t.count },
        { text: time(t.least, perMicro), number: t.least },
        { text: time(t.most, perMicro), number: t.most },
      ]),
      (row) => {
        const { key, longest } = list[row];
        const label = name(key);
        if (label !== "" && by !== "lane") app.search(`${by}:"${label}"`);
        app.select(longest, true);
      },
    ),
  );
}

export function renderTree(
  app: App,
  root: HTMLElement,
  kind: "scopes" | "stacks",
) {
  const { model } = app;
  const tree = treeOf(
    model,
    kind,
    app.scopeIsAll() ? undefined : app.scopeRange(),
  );
  root.append(
    el(
      "div",
      { class: "panel-head" },
      el("h2", { text: kind === "scopes" ? "Scopes" : "Code" }),
      el("span", {
        class: "faint",
        text:
          `${app.scopeName()}; sums of self time, scopes inside included; click ` +
          "to go into one",
      }),
    ),
  );
  if (tree.children.length === 0) {
    root.append(
      el("p", {
        class: "faint",
        text:
          kind === "scopes"
            ? "No event of this profile is in a scope."
            : "The profile has no call stacks.",
      }),
    );
    return;
  }
  root.append(
    flame(
      model,
      app.timeline.theme,
      kind,
      tree,
      Math.max(300, root.clientWidth - 28),
      (node, path) => {
        if (node.id > 0 && kind === "scopes") app.search(`scope:"${path}"`);
      },
    ),
  );
}

type Measure = "bytes" | "count" | "time" | "rate";

export function renderLinks(app: App, root: HTMLElement) {
  const { model } = app;
  const { perMicro } = model;
  const sums = linkSums(model, app.scopeIsAll() ? undefined : app.scopeRange());
  const head = el(
    "div",
    { class: "panel-head" },
    el("h2", { text: "Transfers" }),
    el("span", {
      class: "faint",
      text:
        `${app.scopeName()}; the time of a receive includes ` +
        "waiting for its sender",
    }),
  );
  root.append(head);
  if (sums.length === 0) {
    root.append(
      el("p", { class: "faint", text: "No transfers were recorded." }),
    );
    return;
  }
  const name = (id: number) => model.text(id) || "(not recorded)";
  const show = (row: number) => {
    const { events } = sums[row];
    app.select(
      events.reduce((a, b) =>
        model.data.duration[b] > model.data.duration[a] ? b : a,
      ),
      true,
    );
  };
  root.append(
    table(
      "transfers",
      [
        { title: "Source" },
        { title: "Destination" },
        { title: "Bytes", right: true },
        { title: "Transfers", right: true },
        { title: "Sum of time", right: true },
        { title: "Rate", right: true },
      ],
      sums.map((s): Cell[] => [
        { text: name(s.from) },
        { text: name(s.to) },
        { text: s.known > 0 ? bytes(s.bytes) : "", number: s.bytes },
        { text: count(s.count), number: s.count },
        { text: time(s.allTime, perMicro), number: s.allTime },
        {
          text: s.known > 0 ? rate(s.bytes, s.time, perMicro) : "",
          number: s.time > 0 ? s.bytes / s.time : 0,
        },
      ]),
      show,
      2,
    ),
  );

  // The same as a matrix, if it is small enough to read.
  const places = [...new Set(sums.flatMap((s) => [s.from, s.to]))].sort(
    (a, b) => name(a).localeCompare(name(b), "en", { numeric: true }),
  );
  if (places.length > 16) return;
  const measures: Measure[] = ["bytes", "count", "time", "rate"];
  const measure = measures.find((m) => m === app.measure) ?? "bytes";
  const value = (s: (typeof sums)[0]) =>
    measure === "bytes"
      ? s.bytes
      : measure === "count"
        ? s.count
        : measure === "time"
          ? s.allTime
          : s.time > 0
            ? s.bytes / s.time
            : 0;
  const text = (s: (typeof sums)[0]) =>
    measure === "bytes"
      ? bytes(s.bytes)
      : measure === "count"
        ? count(s.count)
        : measure === "time"
          ? time(s.allTime, perMicro)
          : rate(s.bytes, s.time, perMicro);
  const most = Math.max(...sums.map(value), 1e-300);
  const matrix = el("table", { class: "matrix" });
  const short = (id: number) => {
    const parts = name(id).split("/");
    return parts.length > 3
      ? parts
          .slice(1)
          .filter((p) => !p.startsWith("replica:"))
          .join("/")
      : name(id);
  };
  matrix.append(
    el("caption", { text: "from ↓ to →" }),
    el(
      "tr",
      {},
      el("th"),
      ...places.map((p) =>
        el("th", {
          text: short(p),
          title: name(p),
          attributes: { scope: "col" },
        }),
      ),
    ),
  );
  for (const from of places) {
    const line = el(
      "tr",
      {},
      el("th", {
        text: short(from),
        title: name(from),
        attributes: { scope: "row" },
      }),
    );
    for (const to of places) {
      const row = sums.findIndex((s) => s.from === from && s.to === to);
      const cell = el("td");
      if (row >= 0) {
        cell.append(
          button(
            text(sums[row]),
            () => show(row),
            `${name(from)} → ${name(to)}`,
          ),
        );
        cell.style.setProperty(
          "--heat",
          `${Math.round(8 + 62 * (value(sums[row]) / most))}%`,
        );
        cell.className = "heat";
      }
      line.append(cell);
    }
    matrix.append(line);
  }
  const picks = el("div", { class: "panel-head" });
  for (const m of measures) {
    const pick = button(
      m,
      () => {
        app.measure = m;
        app.renderPanel();
      },
      "",
      "small",
    );
    pick.setAttribute("aria-pressed", String(m === measure));
    picks.append(pick);
  }
  root.append(picks, matrix);
}

export function renderMemory(app: App, root: HTMLElement) {
  const { model } = app;
  const { counters } = model.data.head;
  root.append(
    el(
      "div",
      { class: "panel-head" },
      el("h2", { text: "Memory and counters" }),
    ),
  );
  if (counters.length === 0) {
    root.append(
      el("p", {
        class: "faint",
        text: "The profile has no memory or counters over time.",
      }),
    );
    return;
  }
  const where = (i: number) =>
    counters[i].device >= 0
      ? model.deviceName(counters[i].device)
      : showable(model.data.head.processes[counters[i].process]);
  const levels = counters.map((_, i) => levelOf(model, i));
  root.append(
    table(
      "counters",
      [
        { title: "Where" },
        { title: "Counter" },
        { title: "Peak", right: true },
        { title: "At", right: true },
        { title: "Samples", right: true },
      ],
      counters.map((c, i): Cell[] => [
        { text: where(i) },
        { text: showable(c.name) },
        { text: amount(levels[i].most, c.unit), number: levels[i].most },
        {
          text: time(levels[i].time[levels[i].peak] ?? 0, model.perMicro),
          number: levels[i].time[levels[i].peak],
        },
        { text: count(c.samples), number: c.samples },
      ]),
      (row) => app.showCounter(row, levels[row].time[levels[row].peak]),
    ),
  );
  counters.forEach((c, i) => {
    const owners = ownersAt(model, i, levels[i].peak);
    if (owners.length === 0) return;
    root.append(
      el("h3", {
        text: `Who holds ${where(i)}, ${showable(c.name)}, at its peak`,
      }),
      table(
        "owners",
        [
          { title: "Event" },
          { title: "Bytes", right: true },
          { title: "Share", right: true },
        ],
        owners.map((o): Cell[] => [
          { text: model.labelOf(o.event) },
          { text: bytes(o.bytes), number: o.bytes },
          {
            text: share(o.bytes, levels[i].most),
            number: o.bytes,
            bar: o.bytes / Math.max(levels[i].most, 1),
          },
        ]),
        (row) => app.select(owners[row].event, true),
      ),
    );
  });
}

export function renderFindings(app: App, root: HTMLElement) {
  const { findings } = app.model.data.head;
  root.append(
    el(
      "div",
      { class: "panel-head" },
      el("h2", { text: `Findings (${findings.length})` }),
      el("span", {
        class: "faint",
        text: "findings of the advisor; a marked one leads to its place",
      }),
    ),
  );
  if (findings.length === 0) {
    root.append(
      el("p", { class: "faint", text: "The advisor found nothing." }),
    );
  }
  findings.forEach((finding, i) => {
    const place = app.placeOfFinding(i);
    const box = el("article", {
      class:
        `finding ${finding.severity}` + (app.finding === i ? " current" : ""),
      attributes: { id: `finding-${i}` },
    });
    box.append(
      el("span", { class: "severity", text: finding.severity }),
      el("strong", { text: readable(finding.text) }),
    );
    if (finding.advice) box.append(el("p", { text: readable(finding.advice) }));
    const line = el("p", { class: "faint" });
    line.append(showable(`${finding.checker} · ${finding.rule}`));
    if (finding.evidence) {
      line.append(
        " · command of tfprof: ",
        el("code", { text: showable(finding.evidence) }),
      );
    }
    box.append(line);
    if (place !== undefined) {
      box.append(
        button("Show it", () => app.showFinding(i, "selection"), "", "small"),
      );
    }
    root.append(box);
    if (app.finding === i) {
      requestAnimationFrame(() => box.scrollIntoView({ block: "nearest" }));
    }
  });
}
