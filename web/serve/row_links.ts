// Links from a row to what other pages have about it: an operation, a kernel, a
// line of source, a step.

import { Row } from "./client";
import { link, number, Page, timelineAddress } from "./page";

// Regular expressions of options match whole names, and commas separate them.
export function exactly(name: string): string {
  return name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/,/g, ".");
}

// How the operations are asked for: by the time of accelerators if there are
// any, and the times of accelerators and hosts apart.
export function opQuestion(page: Page): Record<string, string> {
  const { accelerator, timed } = page.facts;
  if (!timed) return { order_by: "micros", max_depth: "1000000" };
  return {
    order_by: accelerator ? "accelerator_micros" : "cpu_micros",
    select: "accelerator_micros,cpu_micros,occurrence",
    max_depth: "1000000",
  };
}

export function opLinks(page: Page, row: Row): HTMLElement[] {
  const name = String(row.name ?? row.op ?? "");
  const accelerator = number(
    row.self_accelerator_micros ?? row.total_accelerator_micros,
  );
  return [
    link("timeline", timelineAddress(page, { search: name })),
    ...(accelerator > 0
      ? [link("kernels", page.address("kernels", { find: name }))]
      : []),
    ...(page.facts.stacks === false
      ? []
      : [
          link(
            "code",
            page.address("code", { account_type_regexes: exactly(name) }),
          ),
        ]),
  ];
}

export function kernelLinks(page: Page, row: Row): HTMLElement[] {
  const ops = String(row.ops ?? "")
    .split(", ")
    .filter((op) => op !== "" && !op.startsWith("("));
  return [
    link("timeline", timelineAddress(page, { search: String(row.name) })),
    ...ops
      .slice(0, 1)
      .map((op) => link("operation", page.address("op", { find: op }))),
  ];
}

// "train.py:101:<module>" is line 101.
export function lineOfFrame(name: string): string | undefined {
  return /^(.+:\d+):/.exec(name)?.[1];
}

export function codeLinks(page: Page, row: Row): HTMLElement[] {
  const line = lineOfFrame(String(row.name ?? ""));
  return line === undefined
    ? []
    : [link("source", page.address("source", { argument: line }))];
}

export function stepLinks(page: Page, row: Row): HTMLElement[] {
  const step = String(row.step);
  return [
    link("explain", page.address("explain", { step })),
    link("timeline", timelineAddress(page, { step })),
  ];
}
