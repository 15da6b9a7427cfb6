// Two profiles: the verdict, then what changed, by operation, scope, line, or
// step. Changes that are not larger than the noise are marked.

import { el } from "../shared/dom";
import { micros, readable, showable } from "../shared/format";
import { ColumnInfo, Reply, Row, Table } from "./client";
import { noteList } from "./notes";
import { number, Page, takes } from "./page";
import { verdict } from "./overview";
import { stepChart } from "./step_chart";
import { ROWS, tableView, wholeTable } from "./table_view";

const COMPARED: Record<string, string> = {
  op: "operation",
  scope: "scope",
  graph: "graph",
  code: "line of source",
  steps: "step",
};

const othersOf = (page: Page): string[] =>
  page.state.profiles.map((p) => p.name).filter((n) => n !== page.profile);

// The fields that select the two profiles to compare, and the view.
function drawPair(page: Page, command: string): HTMLElement {
  const bases = el("select", { label: "The base" });
  bases.id = "base";
  const rest = othersOf(page);
  for (const name of rest.length === 1 ? rest : ["", ...rest]) {
    const item = el("option", {
      text: name === "" ? "choose …" : showable(name),
    });
    item.value = name;
    bases.append(item);
  }
  bases.value = page.params.get("base") ?? "";
  bases.addEventListener("change", () => page.change({ base: bases.value }));
  const of = el("select", { label: "By" });
  for (const [value, text] of Object.entries(COMPARED)) {
    const item = el("option", { text });
    item.value = value;
    of.append(item);
  }
  of.value = command;
  of.addEventListener("change", () =>
    page.change({ of: of.value, sort: "", from: "" }),
  );
  return el(
    "div",
    { class: "row" },
    el("label", { class: "pick" }, "against ", bases),
    el("label", { class: "pick" }, "by ", of),
  );
}

// The statistic that a table of changes is about: "micros".
function statistic(columns: ColumnInfo[]): string | undefined {
  return columns
    .find((c) => c.name.endsWith("_delta"))
    ?.name.replace("_delta", "");
}

// Adds to each row how much of the larger total the change is, and whether it
// is larger than the noise.
export function withJudgement(
  table: Table,
  facts: Record<string, unknown>,
): Table {
  const of = statistic(table.columns);
  if (of === undefined) return table;
  const total = Math.max(
    Number(facts[`total_${of}_before`] ?? 0),
    Number(facts[`total_${of}_after`] ?? 0),
  );
  const rows = table.rows.map((row): Row => {
    const delta = Math.abs(number(row[`${of}_delta`]));
    const noise = row[`${of}_noise`];
    return {
      ...row,
      of_total: total > 0 ? number(row[`${of}_delta`]) / total : null,
      judgement:
        typeof noise !== "number"
          ? "not known"
          : delta > noise
            ? "more than noise"
            : "within noise",
    };
  });
  return {
    ...table,
    rows,
    columns: [
      ...table.columns,
      { name: "of_total", unit: "share", title: "of the larger total" },
      { name: "judgement", unit: "text", title: "is it noise?" },
    ],
  };
}

export interface StepPair {
  at: number; // from 1
  before: Row | undefined;
  after: Row | undefined;
}

// Steps are compared by their place in the run: their numbers may differ.
export function stepPairs(before: Row[], after: Row[]): StepPair[] {
  return Array.from(
    { length: Math.max(before.length, after.length) },
    (_, i) => ({ at: i + 1, before: before[i], after: after[i] }),
  );
}

async function drawSteps(page: Page, base: string) {
  const before = (
    await page.ask("steps", {
      profile: base,
      base: "",
      step: "",
      count: "10000",
    })
  ).answer;
  const after = (await page.ask("steps", { step: "", count: "10000" })).answer;
  const rows = [before.rows ?? [], after.rows ?? []];
  const walls = rows.map((r) => r.map((row) => number(row.span_micros)));
  const most = Math.max(...walls[0], ...walls[1], 1e-9);
  const name = after.facts.base_text;
  if (name)
    page.put(
      el("p", {
        class: "lead",
        text: `Wall time of a step: ${readable(String(name))}.`,
      }),
    );
  page.put(
    el("h2", { text: `Before: ${showable(base)}` }),
    stepChart(rows[0], "", undefined, most),
    el("h2", { text: `After: ${showable(page.profile)}` }),
    stepChart(rows[1], "", (step) => page.change({ step }), most),
    el("h2", { text: "Steps, by their place in the run" }),
    wholeTable(
      {
        columns: [
          { name: "at", unit: "number", title: "place" },
          { name: "step_before", unit: "number", title: "step before" },
          { name: "step_after", unit: "number", title: "step after" },
          { name: "before_micros", unit: "micros", title: "wall before" },
          { name: "after_micros", unit: "micros", title: "wall after" },
          { name: "delta_micros", unit: "micros", title: "change" },
          { name: "change", unit: "share", title: "change in %" },
        ],
        rows: stepPairs(rows[0], rows[1]).map((pair): Row => {
          const a = pair.before?.span_micros ?? null;
          const b = pair.after?.span_micros ?? null;
          const both = typeof a === "number" && typeof b === "number";
          return {
            at: pair.at,
            step_before: pair.before?.step ?? null,
            step_after: pair.after?.step ?? null,
            before_micros: a,
            after_micros: b,
            delta_micros: both ? b - a : null,
            change: both && a > 0 ? (b - a) / a : null,
          };
        }),
        returned: Math.max(rows[0].length, rows[1].length),
        total: Math.max(before.total ?? 0, after.total ?? 0),
      },
      { label: "Steps of both profiles" },
    ),
  );
}

function tableOf(reply: Reply): Table | undefined {
  const { answer } = reply;
  if (!answer.columns || !answer.rows) return undefined;
  return withJudgement(answer as Table, answer.facts);
}

export async function drawCompare(page: Page) {
  const of = page.params.get("of") ?? "op";
  const command = of in COMPARED ? of : "op";
  const rest = othersOf(page);
  if (!page.params.has("base") && rest.length === 1) {
    // Only one can be meant.
    page.params.set("base", rest[0]);
    page.keep({ base: rest[0] }, false);
  }
  page.put(drawPair(page, command));
  const base = page.params.get("base") ?? "";
  if (base === "") {
    page.put(
      el("p", {
        class: "note",
        text:
          page.state.profiles.length > 1
            ? "Choose the profile to compare with."
            : "There is only one profile. Start with a folder, or with --base.",
      }),
    );
    return;
  }
  page.put(...verdict((await page.ask("overview")).answer));
  if (command === "steps") {
    await drawSteps(page, base);
    return;
  }
  const depth =
    command === "op" ? "1000000" : takes(page, command, "max_depth") ? "4" : "";
  const { params } = page;
  const question = (query: { sort: string; find: string; from: number }) => ({
    max_depth: params.get("max_depth") ?? depth,
    sort: query.sort,
    find: query.find,
    from: query.from === 0 ? "" : String(query.from),
    count: String(ROWS),
  });
  const query = {
    sort: params.get("sort") ?? "",
    find: params.get("find") ?? "",
    from: Number(params.get("from") ?? 0),
  };
  const reply = await page.ask(command, question(query));
  const table = tableOf(reply);
  const { facts } = reply.answer;
  page.put(...noteList(reply.notes));
  if (table === undefined) return;
  const stat = statistic(table.columns);
  if (stat === "micros")
    page.put(
      el("p", {
        class: "lead",
        text:
          `Sum of op times of a step: ${micros(number(facts.total_micros_before))} ` +
          `before, ${micros(number(facts.total_micros_after))} after. ` +
          `${number(facts.unchanged_rows)} rows are unchanged and not shown.`,
      }),
    );
  page.put(
    tableView(
      {
        table,
        rows: reply.rows,
        query,
        id: "search",
        fetch: async (q) => {
          const next = await page.ask(command, question(q));
          return { table: tableOf(next) ?? table, rows: next.rows };
        },
        keep: (q, push) =>
          page.keep(
            {
              sort: q.sort,
              find: q.find,
              from: q.from === 0 ? "" : String(q.from),
            },
            push,
          ),
      },
      { label: "Changes", dim: (row) => row.judgement === "within noise" },
    ),
  );
}
