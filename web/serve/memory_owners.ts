// What the memory page says of an owner, of the owners at one moment, and of a
// request that failed.

import { button, el } from "../shared/dom";
import { bytes, count, micros, share, showable } from "../shared/format";
import { Answer, Row } from "./client";
import { grid } from "./grid";
import { exactly, lineOfFrame } from "./row_links";

// Of a name in the legend; its title has all of it.
const MOST_LETTERS = 48;

// The last part of the path, the line and the function.
export function shortName(row: Row): string {
  const name = String(row.name).replace(/^.*\/(?=[^/]*$)/, "");
  return name.length > MOST_LETTERS ? `${name.slice(0, MOST_LETTERS)}…` : name;
}

// The lines of the code view that hold memory, at this line.
function codeLink(
  line: string,
  link: (path: string, query: Record<string, string>) => string,
): HTMLElement {
  return el(
    "p",
    {},
    el("a", {
      text: "This line in the code view",
      attributes: {
        href: link("code", {
          show_name_regexes: `.*${exactly(line)}.*`,
          select: "peak_bytes,residual_bytes,requested_bytes",
          order_by: "peak_bytes",
          max_depth: "1000",
        }),
      },
    }),
  );
}

// A row of the layers, with its stack.
export function ownerDetails(
  row: Row,
  link: (path: string, query: Record<string, string>) => string,
): HTMLElement[] {
  const name = String(row.name);
  const frames = row.stack === null ? [] : String(row.stack).split("; ");
  const line = lineOfFrame(name);
  const life =
    typeof row.life_micros === "number"
      ? `, on average after ${micros(row.life_micros)}.`
      : ".";
  return [
    el("h2", { text: showable(name) }),
    el("p", {
      text:
        `${bytes(Number(row.bytes))} in ${count(Number(row.count))} allocations at the peak of this window ` +
        `(${share(Number(row.peak_share), 1)}); its own largest level there is ${bytes(Number(row.largest_bytes))}. ` +
        `In the whole recording it made ${count(Number(row.made))} allocations, of which ${count(Number(row.freed))} were freed` +
        life,
    }),
    ...(line === undefined ? [] : [codeLink(line, link)]),
    el(
      "ol",
      { class: "stack mono" },
      ...frames.map((text) => el("li", { text: showable(text) })),
    ),
    ...(frames.length === 0
      ? [el("p", { class: "faint", text: "The file has no stack of it." })]
      : []),
  ];
}

// The owners after an event, as a table.
export function ownersThen(answer: Answer, event: number): HTMLElement[] {
  const layers = answer.tables?.layers;
  if (!layers || layers.rows.length === 0) return [];
  const hidden = ["largest_bytes", "stack"];
  return [
    el("h2", { text: `Owners after event ${count(event)}` }),
    el("p", {
      class: "faint",
      text:
        `${bytes(Number(answer.facts.peak_bytes))} in all` +
        (layers.total > layers.rows.length
          ? `; the ${layers.rows.length} largest of ${count(layers.total)} owners`
          : ""),
    }),
    grid(layers, {
      label: "Owners at the selected moment",
      first: ["name"],
      hidden: (name) => hidden.includes(name),
    }),
  ];
}

// `show` shows the owners after an event.
export function failedRequest(
  row: Row,
  show: (event: number) => void,
): HTMLElement {
  const number = (name: string) => Number(row[name] ?? 0);
  return el(
    "article",
    { class: "finding warning" },
    el("p", {
      text:
        `${bytes(number("requested_bytes"))} were requested by ${showable(String(row.name))}, ` +
        `after event ${count(number("event"))}. The device had ${bytes(number("device_free_bytes"))} free. ` +
        `The allocator had reserved ${bytes(number("reserved_bytes"))}, of which the program held ` +
        `${bytes(number("allocated_bytes"))}.`,
    }),
    button("Who held the memory then", () => show(number("event"))),
  );
}
