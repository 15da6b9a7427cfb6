// Page: what a page of the server knows about its address, and how it asks.

import { button, el } from "../shared/dom";
import { micros } from "../shared/format";
import { Catalog, Reply, Row, State, Value } from "./client";
import { View, VIEWS } from "./views";

// Of a profile, for all its pages.
export interface ProfileFacts {
  steps: Row[]; // as `steps` lists them
  timed: boolean; // some device did something
  accelerator: boolean; // a device that is no CPU did something
  stacks?: boolean; // it has call stacks; not known before the advice was read
}

export interface Page {
  view: View;
  profile: string;
  params: URLSearchParams;
  catalog: Catalog;
  state: State;
  facts: ProfileFacts;
  // Sends a question about the profile, with the chosen step if the command
  // takes one. "" removes a parameter.
  ask(command: string, query?: Record<string, string>): Promise<Reply>;
  // The address of another page about the same profile, step and base.
  address(path: string, query?: Record<string, string>): string;
  // Opens this page with other parameters; "" removes one.
  change(changes: Record<string, string>): void;
  // Writes parameters into the address; `push` makes a step in the history.
  keep(changes: Record<string, string>, push: boolean): void;
  // Opens this page with several values of one parameter.
  show(name: string, values: string[]): void;
  // Appends to the page, unless another one was opened since.
  put(...parts: Array<Node | false | undefined>): void;
}

export type DrawPage = (page: Page) => Promise<void>;

export function takes(page: Page, command: string, option: string): boolean {
  const found = page.catalog.commands.find((c) => c.name === command);
  return found?.options.includes(option) ?? false;
}

// "110", or "" for all.
export function chosenStep(page: Page): string {
  return page.params.get("step") ?? "";
}

// The timeline page, at the longest execution of a subject, or of what a finding
// about it names, or with hits of a search.
export function timelineAddress(
  page: Page,
  at: { subject?: string; rule?: string; search?: string; step?: string } = {},
): string {
  const query = new URLSearchParams({ profile: page.profile });
  const step = at.step ?? chosenStep(page);
  if (step !== "") query.set("step", step);
  const place = new URLSearchParams();
  if (at.subject) place.set("s", at.subject);
  if (at.subject && at.rule) place.set("f", at.rule);
  if (at.search) place.set("q", at.search);
  const fragment = place.toString();
  return `/timeline?${query}${fragment === "" ? "" : `#${fragment}`}`;
}

// The words of a line of the shell; quotes keep blanks.
export function words(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    (m) => m[1] ?? m[2] ?? m[3],
  );
}

// The page that answers a line of the shell: "explain step 10". undefined: none
// does.
export function commandAddress(page: Page, line: string): string | undefined {
  const [command, ...rest] = words(line);
  const view =
    command === "list"
      ? VIEWS.find((v) => v.path === "source")
      : VIEWS.find((v) => v.command === command && v.path !== "compare");
  if (!view) return undefined;
  const query: Record<string, string> = {};
  const plain: string[] = [];
  for (let i = 0; i < rest.length; ++i) {
    const option = /^--?([a-z_]+)(?:=(.*))?$/.exec(rest[i]);
    if (option) query[option[1]] = option[2] ?? rest[++i] ?? "true";
    else plain.push(rest[i]);
  }
  if (plain[0] === "step" && plain.length === 2) query.step = plain[1];
  else if (plain.length > 0 && view.path !== "advice")
    query.argument = plain.join(" ");
  return page.address(view.path, query);
}

export function link(text: string, href: string, className = ""): HTMLElement {
  return el("a", {
    text,
    class: className,
    attributes: {
      href,
      ...(href.startsWith("/timeline") ? { "data-leaves": "true" } : {}),
    },
  });
}

export const number = (value: Value | undefined) => Number(value ?? 0);

// "step 110 (24.17 ms)", with a button to see all steps again.
// Tables of operations have no sums of all steps.
export function meanNote(page: Page): HTMLElement | undefined {
  if (chosenStep(page) !== "" || page.facts.steps.length < 2) return undefined;
  return el("p", {
    class: "faint",
    text:
      "Each number is the mean of the steps in which the operation ran. " +
      "Choose a step above to see it alone.",
  });
}

export function stepNote(page: Page): HTMLElement | undefined {
  const step = chosenStep(page);
  if (step === "") return undefined;
  const row = page.facts.steps.find((r) => String(r.step) === step);
  const wall = row ? ` (${micros(number(row.span_micros))})` : "";
  return el(
    "p",
    { class: "note" },
    `Step ${step}${wall} alone. `,
    button("All steps", () => page.change({ step: "" })),
  );
}
