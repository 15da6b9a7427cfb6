// The findings of checkers as cards: the worst first, each with what to do and
// links to its place in the timeline, its table, and its line of source.

import { el } from "../shared/dom";
import { readable, showable } from "../shared/format";
import { Row, Table } from "./client";
import { commandAddress, link, Page, timelineAddress } from "./page";
import { VIEWS } from "./views";

// "train.py:37" in a text.
const LINE = /[\w./<>-]+\.py:\d+/g;

const SEVERITIES: Record<string, string> = {
  critical: "Critical",
  warning: "Warning",
  info: "Note",
};

export function sourceLines(text: string): string[] {
  return [...new Set(text.match(LINE) ?? [])];
}

// A line of source, as the link to it.
export function sourceLink(page: Page, line: string): HTMLElement {
  return link(line, page.address("source", { argument: line }));
}

// The links of a finding. Its subject is a step, an operation, a node or a
// device, which the timeline page looks for.
export function findingLinks(page: Page, row: Row): HTMLElement[] {
  const subject = String(row.subject ?? "");
  const evidence = String(row.evidence ?? "");
  const links: HTMLElement[] = [];
  if (subject !== "") {
    links.push(link("In the timeline", timelineAddress(page, { subject })));
  }
  const address = evidence === "" ? undefined : commandAddress(page, evidence);
  if (address !== undefined) {
    const path = address.slice(1).split("?")[0];
    const name = VIEWS.find((v) => v.path === path)?.name ?? path;
    links.push(link(`Its numbers: ${name}`, address));
  }
  const step = /^step (-?\d+)$/.exec(subject);
  if (step && !address?.startsWith("/explain")) {
    links.push(
      link(`Explain ${subject}`, page.address("explain", { step: step[1] })),
    );
  }
  for (const line of sourceLines(`${row.text} ${row.advice}`)) {
    links.push(sourceLink(page, line));
  }
  if (row.rule === "late_rank") {
    links.push(link("Ranks", page.address("ranks")));
  }
  return links;
}

export function finding(page: Page, row: Row, more: Node[] = []): HTMLElement {
  const severity = String(row.severity);
  const text = (name: string) => readable(String(row[name] ?? ""));
  const links = findingLinks(page, row);
  return el(
    "article",
    { class: `finding ${severity}` },
    el(
      "p",
      {},
      el("span", {
        class: "severity",
        text: SEVERITIES[severity] ?? showable(severity),
      }),
      el("strong", { text: text("rule").replace(/_/g, " ") }),
    ),
    el("p", { text: text("text") }),
    text("advice") !== "" && el("p", { class: "do", text: text("advice") }),
    ...more,
    links.length > 0 && el("p", { class: "row links" }, ...links),
  );
}

export function findings(page: Page, table: Table): HTMLElement[] {
  return table.rows.map((row) => finding(page, row));
}
