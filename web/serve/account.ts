// The account of the wall time of each device: a bar of its parts, and a table
// that says what each is. The parts add up to the bar.

import { el, swatch } from "../shared/dom";
import { count, showable } from "../shared/format";
import { Row, Table } from "./client";
import { shown } from "./grid";

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

export function accounts(table: Table): HTMLElement[] {
  const devices = new Map<string, Row[]>();
  for (const row of table.rows) {
    const device = String(row.device);
    devices.set(device, [...(devices.get(device) ?? []), row]);
  }
  if (devices.size === 0) return [];
  const shownDevices = [...devices].slice(0, MOST_DEVICES);
  const more = devices.size - shownDevices.length;
  return [
    ...shownDevices.map(([device, rows]) => account(device, rows)),
    ...(more > 0
      ? [el("p", { class: "faint", text: `and ${count(more)} more devices` })]
      : []),
  ];
}
