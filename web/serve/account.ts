// The account of the wall time: a bar of its parts for each device, one below
// the other with the same colours, and a table of each. The parts of a device
// add up to its wall time.

import { accountBar, accountColors, AccountPart } from "../shared/account_bar";
import { el, scroller, swatch } from "../shared/dom";
import { count, readable, showable } from "../shared/format";
import { Row, Table } from "./client";
import { shown } from "./grid";
import { meaning } from "./words";

const MOST_DEVICES = 64;

interface Device {
  name: string;
  rows: Row[];
  parts: AccountPart[];
  colors: string[];
}

const text = (row: Row, name: string, unit = "text") =>
  shown(row[name] ?? null, unit);

function partOf(row: Row): AccountPart {
  return {
    name: text(row, "part"),
    kind:
      row.cause === "not_recorded" ? "unknown" : String(row.kind ?? "unknown"),
    share: Number(row.wall_share ?? 0),
    text: `${text(row, "micros", "micros")}, ${text(
      row,
      "wall_share",
      "share",
    )} of the wall time`,
  };
}

// The devices of an account. Each part has one colour on all of them.
export function accountDevices(table: Table): Device[] {
  const byName = new Map<string, Row[]>();
  for (const row of table.rows) {
    const name = String(row.device);
    byName.set(name, [...(byName.get(name) ?? []), row]);
  }
  const devices = [...byName].map(([name, rows]) => ({
    name,
    rows,
    parts: rows.map(partOf),
    colors: [] as string[],
  }));
  const colors = accountColors(devices.flatMap((d) => d.parts));
  let at = 0;
  for (const device of devices) {
    device.colors = colors.slice(at, at + device.parts.length);
    at += device.parts.length;
  }
  return devices;
}

function accountTable(device: Device): HTMLElement {
  // A usual step is there to compare with only for a slow one.
  const compares = device.rows.some(
    (row) => typeof row.more_micros === "number",
  );
  const body = el("tbody");
  device.rows.forEach((row, i) => {
    const more = Number(row.more_micros ?? 0);
    body.append(
      el(
        "tr",
        {},
        el("td", {}, swatch(device.colors[i]), ` ${text(row, "part")}`),
        el("td", { class: "right", text: text(row, "micros", "micros") }),
        el("td", { class: "right", text: text(row, "wall_share", "share") }),
        compares &&
          el("td", {
            class: "right",
            text: (more > 0 ? "+" : "") + text(row, "more_micros", "micros"),
          }),
        el("td", {
          class: "text",
          // Of what is not recorded, it would say the same again.
          text:
            row.most === null || row.cause === "not_recorded"
              ? ""
              : readable(String(row.most)),
        }),
      ),
    );
  });
  const head = (name: string, right: boolean) =>
    el("th", {
      text: name,
      title: meaning({ name, unit: "text" }),
      class: right ? "right" : "",
      attributes: { scope: "col" },
    });
  return scroller(
    `The account of ${showable(device.name)}`,
    el(
      "table",
      {
        class: compares ? "parts compares" : "parts",
        label: `The account of ${showable(device.name)}`,
      },
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          head("part", false),
          head("time", true),
          head("of wall", true),
          compares && head("more than in a typical step", true),
          head("most of it", false),
        ),
      ),
      body,
    ),
  );
}

function legend(devices: Device[]): HTMLElement {
  const names = new Map<string, string>();
  for (const device of devices) {
    device.parts.forEach((part, i) => names.set(part.name, device.colors[i]));
  }
  return el(
    "div",
    { class: "legend" },
    ...[...names].map(([name, color]) =>
      el("span", {}, swatch(color), ` ${showable(name)}`),
    ),
  );
}

export function accounts(table: Table): HTMLElement[] {
  const all = accountDevices(table);
  if (all.length === 0) return [];
  const devices = all.slice(0, MOST_DEVICES);
  const more = all.length - devices.length;
  const bars = el("div", { class: "accounts" });
  for (const device of devices) {
    bars.append(
      el("span", { class: "name", text: showable(device.name) }),
      accountBar(device.name, device.parts, device.colors),
    );
  }
  if (devices.length === 1) return [bars, accountTable(devices[0])];
  return [
    bars,
    legend(devices),
    el(
      "details",
      { class: "tables" },
      el("summary", { text: "The numbers of each device" }),
      ...devices.flatMap((device) => [
        el("h3", { text: showable(device.name) }),
        accountTable(device),
      ]),
    ),
    ...(more > 0
      ? [el("p", { class: "faint", text: `and ${count(more)} more devices` })]
      : []),
  ];
}
