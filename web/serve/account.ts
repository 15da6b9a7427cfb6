// The account of the wall time of each device: a bar of its parts, and a table
// that says what each is. The parts add up to the bar.

import { accountBar, accountColors, AccountPart } from "../shared/account_bar";
import { el, swatch } from "../shared/dom";
import { count, showable } from "../shared/format";
import { Row, Table } from "./client";
import { shown } from "./grid";

const MOST_DEVICES = 8;

function account(device: string, rows: Row[]): HTMLElement {
  const text = (row: Row, name: string, unit = "text") =>
    shown(row[name] ?? null, unit);
  const parts: AccountPart[] = rows.map((row) => ({
    name: text(row, "part"),
    kind:
      row.cause === "not_recorded" ? "unknown" : String(row.kind ?? "unknown"),
    share: Number(row.wall_share ?? 0),
    text: `${text(row, "micros", "micros")}, ${text(
      row,
      "wall_share",
      "share",
    )} of the wall time`,
  }));
  const colors = accountColors(parts);
  const body = el("tbody");
  rows.forEach((row, i) => {
    body.append(
      el(
        "tr",
        {},
        el("td", {}, swatch(colors[i]), ` ${text(row, "part")}`),
        el("td", { class: "number", text: text(row, "micros", "micros") }),
        el("td", { class: "number", text: text(row, "wall_share", "share") }),
        el("td", { text: row.most === null ? "" : text(row, "most") }),
      ),
    );
  });
  const heads = ["part", "time", "of wall", "most of it"].map((name) =>
    el("th", { text: name, attributes: { scope: "col" } }),
  );
  return el(
    "section",
    { class: "device" },
    el("h3", { text: showable(device) }),
    accountBar(device, parts),
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
