// The first page: what costs most and what to do, where the wall time of a
// typical step went on each device, then the numbers behind it.

import { el, swatch } from "../shared/dom";
import { count, showable } from "../shared/format";
import { Answer, Row, Table, Value } from "./client";
import { findings } from "./findings";
import { grid, shown } from "./grid";

// The colours of the kinds of parts, which people with any kind of colour
// vision can tell apart; neighbours of a kind differ in lightness.
const COLORS: Record<string, string[]> = {
  compute: ["#0072b2", "#3f9bd1", "#00507d", "#7fbfe3"],
  communication: ["#e69f00", "#f2c35c"],
  copies: ["#009e73", "#5cc7a8"],
  idle: ["#d55e00", "#f08c42", "#a84a00", "#f7b58a"],
  unknown: ["#8a8f98"],
};
const MOST_DEVICES = 8;

const TITLES: Record<string, string> = {
  inputs: "Files",
  steps: "Steps",
  devices: "Devices in the typical step",
  ops: "Most expensive operations",
  notes: "Notes",
};

// The parts of a device with their colours, in the order of the answer.
function colored(rows: Row[]): Array<{ row: Row; color: string }> {
  const used = new Map<string, number>();
  return rows.map((row) => {
    const kind =
      row.cause === "not_recorded" ? "unknown" : String(row.kind ?? "unknown");
    const shades = COLORS[kind] ?? COLORS.unknown;
    const n = used.get(kind) ?? 0;
    used.set(kind, n + 1);
    return { row, color: shades[n % shades.length] };
  });
}

function account(device: string, rows: Row[]): HTMLElement {
  const parts = colored(rows);
  const text = (row: Row, name: string, unit = "text") =>
    shown(row[name] ?? null, unit);
  const bar = el("div", {
    class: "account",
    role: "img",
    label:
      `${showable(device)}: ` +
      rows
        .map((r) => `${text(r, "part")} ${text(r, "wall_share", "share")}`)
        .join(", "),
  });
  for (const { row, color } of parts) {
    const part = el("span", {
      title: `${text(row, "part")}: ${text(row, "micros", "micros")}, ${text(
        row,
        "wall_share",
        "share",
      )} of the wall time`,
    });
    part.style.width = `${Number(row.wall_share ?? 0) * 100}%`;
    part.style.background = color;
    bar.append(part);
  }
  const body = el("tbody");
  for (const { row, color } of parts) {
    body.append(
      el(
        "tr",
        {},
        el("td", {}, swatch(color), ` ${text(row, "part")}`),
        el("td", { class: "number", text: text(row, "micros", "micros") }),
        el("td", { class: "number", text: text(row, "wall_share", "share") }),
        el("td", { text: row.most === null ? "" : text(row, "most") }),
      ),
    );
  }
  const heads = ["part", "time", "of wall", "most of it"].map((name) =>
    el("th", { text: name, attributes: { scope: "col" } }),
  );
  return el(
    "section",
    { class: "device" },
    el("h3", { text: showable(device) }),
    bar,
    el(
      "div",
      { class: "scroll" },
      el("table", {}, el("thead", {}, el("tr", {}, ...heads)), body),
    ),
  );
}

function accounts(table: Table): HTMLElement[] {
  const devices = new Map<string, Row[]>();
  for (const row of table.rows) {
    const device = String(row.device);
    devices.set(device, [...(devices.get(device) ?? []), row]);
  }
  if (devices.size === 0) return [];
  const shownDevices = [...devices].slice(0, MOST_DEVICES);
  const more = devices.size - shownDevices.length;
  return [
    el("h2", { text: "Where the wall time of a typical step goes" }),
    ...shownDevices.map(([device, rows]) => account(device, rows)),
    ...(more > 0
      ? [el("p", { class: "faint", text: `and ${count(more)} more devices` })]
      : []),
  ];
}

function problems(
  answer: Answer,
  link: (path: string) => string,
): HTMLElement[] {
  const { facts } = answer;
  const table = answer.tables?.problems;
  const all = el("a", {
    text: "What all checkers say",
    attributes: { href: link("advice") },
  });
  const found = Number(facts.problems ?? 0);
  const lacking = Number(facts.checkers_lacking ?? 0);
  const judged = Number(facts.checkers ?? 0) - lacking;
  const rest = lacking > 0 ? `; ${lacking} others cannot judge this file` : "";
  if (!table || table.rows.length === 0) {
    return [
      el(
        "p",
        { class: "note" },
        `No problem found by ${judged} checkers${rest}. `,
        all,
      ),
    ];
  }
  const more = found - table.rows.length;
  return [
    ...findings(table),
    el(
      "p",
      { class: "faint" },
      more > 0
        ? `and ${more} more ${more === 1 ? "problem" : "problems"}. `
        : "",
      all,
    ),
  ];
}

// With a base: what changed, and because of what.
function verdict(answer: Answer): HTMLElement[] {
  const { base_text, base_because } = answer.facts;
  if (!base_text) return [];
  const because = base_because ? `, because of ${base_because}` : "";
  return [el("p", { class: "note", text: showable(`${base_text}${because}`) })];
}

function facts(answer: Answer): HTMLElement {
  const of = answer.facts;
  const wanted: Array<[string, Value | undefined, string]> = [
    ["framework", of.framework, "text"],
    ["wall time of a typical step", of.median_wall_micros, "micros"],
    ["steps", of.steps, "count"],
    ["devices", of.devices, "count"],
    ["nodes", of.nodes, "count"],
    ["executions", of.executions, "count"],
    [
      `peak of memory${of.peak_of ? `, ${of.peak_of}` : ""}`,
      of.peak_bytes,
      "bytes",
    ],
  ];
  const box = el("div", { class: "facts" });
  for (const [name, value, unit] of wanted) {
    if (value === undefined || value === null || value === "") continue;
    box.append(
      el(
        "div",
        { class: "fact" },
        el("span", { text: showable(name) }),
        el("strong", { text: shown(value, unit) }),
      ),
    );
  }
  return box;
}

// `link` makes the address of another page of the profile.
export function overview(
  answer: Answer,
  link: (path: string) => string,
): HTMLElement[] {
  const tables = answer.tables ?? {};
  const parts = [
    ...verdict(answer),
    ...problems(answer, link),
    ...(tables.account ? accounts(tables.account) : []),
    facts(answer),
  ];
  for (const name of ["ops", "devices", "steps", "notes", "inputs"]) {
    const table = tables[name];
    if (!table || table.rows.length === 0) continue;
    parts.push(
      el("h2", { text: TITLES[name] }),
      ...(name === "notes"
        ? findings(table)
        : [grid(table, { label: TITLES[name] })]),
    );
  }
  return parts;
}
