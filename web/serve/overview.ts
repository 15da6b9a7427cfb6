// The first page: what costs most and what to do, where the wall time of a
// typical step went on each device, then the numbers behind it.

import { el } from "../shared/dom";
import { showable } from "../shared/format";
import { accounts } from "./account";
import { Answer, Value } from "./client";
import { findings } from "./findings";
import { grid, shown } from "./grid";

const TITLES: Record<string, string> = {
  inputs: "Files",
  steps: "Steps",
  devices: "Devices in the typical step",
  records: "Recorded beside operations",
  ops: "Most expensive operations",
  notes: "Notes",
};

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
    ...(tables.account?.rows.length
      ? [
          el("h2", { text: "Where the wall time of a typical step goes" }),
          ...accounts(tables.account),
        ]
      : []),
    facts(answer),
  ];
  for (const name of [
    "records",
    "ops",
    "devices",
    "steps",
    "notes",
    "inputs",
  ]) {
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
