// The findings of checkers as cards: the worst first, each with what to do and
// links to its place in the timeline, its table, and its line of source.

import { el } from "../shared/dom";
import { readable, sentence, showable } from "../shared/format";
import { Row, Table } from "./client";
import { commandAddress, link, Page, timelineAddress } from "./page";
import { exactly, opQuestion } from "./row_links";
import { VIEWS } from "./views";

// "train.py:37" in a text.
const LINE = /[\w./<>-]+\.py:\d+/g;

// Operations that a finding may name.
const MOST_OPS = 200;

const SEVERITIES: Record<string, string> = {
  critical: "Critical",
  warning: "Warning",
  info: "Note",
};

export function sourceLines(text: string): string[] {
  return [...new Set(text.match(LINE) ?? [])];
}

// Without call stacks, no link leads to code.
export function noteStacks(page: Page, checkers: Table | undefined) {
  page.facts.stacks = !checkers?.rows.some((row) =>
    String(row.lacked ?? "").includes("call stacks"),
  );
}

// The most expensive operations that have code.
export async function operationNames(page: Page): Promise<string[]> {
  if (!page.facts.timed || page.facts.stacks === false) return [];
  const { answer } = await page.ask("op", {
    ...opQuestion(page),
    step: "",
    count: String(MOST_OPS),
  });
  return (answer.rows ?? []).map((row) => String(row.name));
}

// The operation that a sentence names first.
export function operationIn(text: string, ops: string[]): string | undefined {
  const place = (op: string) => {
    const at = ` ${text} `.search(new RegExp(`[ /]${exactly(op)}[ :,)]`));
    return at < 0 ? Infinity : at;
  };
  const found = ops
    .map((op) => ({ op, at: place(op) }))
    .filter(({ at }) => at < Infinity)
    .sort((a, b) => a.at - b.at);
  return found[0]?.op;
}

// A line of source, as the link to it.
export function sourceLink(page: Page, line: string): HTMLElement {
  return link(line, page.address("source", { argument: line }));
}

// The links of a finding. Its subject is a step, an operation, a node or a
// device, which the timeline page looks for.
export function findingLinks(
  page: Page,
  row: Row,
  ops: string[],
): HTMLElement[] {
  const subject = String(row.subject ?? "");
  const evidence = String(row.evidence ?? "");
  const links: HTMLElement[] = [];
  if (subject !== "" && page.facts.timed) {
    const rule = String(row.rule ?? "");
    links.push(
      link("In the timeline", timelineAddress(page, { subject, rule })),
    );
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
  const lines = sourceLines(`${row.text} ${row.advice}`);
  links.push(...lines.map((line) => sourceLink(page, line)));
  const op = lines.length > 0 ? undefined : operationIn(String(row.text), ops);
  if (op !== undefined) {
    links.push(
      link(
        `Code of ${showable(op)}`,
        page.address("code", { account_type_regexes: exactly(op) }),
      ),
    );
  }
  if (row.rule === "late_rank") {
    links.push(link("Ranks", page.address("ranks")));
  }
  return links;
}

// `ops`: the operations of the profile, for links to the lines that made them.
export function finding(
  page: Page,
  row: Row,
  ops: string[],
  more: Node[] = [],
): HTMLElement {
  const severity = String(row.severity);
  const text = (name: string) => readable(String(row[name] ?? ""));
  const links = findingLinks(page, row, ops);
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
    el("p", { text: text("text").split("\n").map(sentence).join("\n") }),
    text("advice") !== "" && el("p", { class: "do", text: text("advice") }),
    ...more,
    links.length > 0 && el("p", { class: "row links" }, ...links),
  );
}

export async function findings(
  page: Page,
  table: Table,
): Promise<HTMLElement[]> {
  const ops = await operationNames(page);
  return table.rows.map((row) => finding(page, row, ops));
}
