// The pages that are one table of the server, such as operations, scopes and
// kernels, with the options of their command, and the graph.

import { button, el } from "../shared/dom";
import { showable } from "../shared/format";
import { Answer, Reply, Table, Value } from "./client";
import { drawing } from "./drawing";
import { findings, noteStacks } from "./findings";
import { optionsForm } from "./form";
import { grid, GridOptions } from "./grid";
import { noteList } from "./notes";
import { meanNote, Page, stepNote, takes } from "./page";
import {
  codeLinks,
  kernelLinks,
  opLinks,
  opQuestion,
  stepLinks,
} from "./row_links";
import { stepChart } from "./step_chart";
import { ROWS, TableQuery, tableView, wholeTable } from "./table_view";
import { plain } from "./words";

// The views whose numbers are means of the steps.
const MEANS = ["op", "scope", "code"];

// What a view asks for if the address does not say: of the parameters, only
// those that the command has.
function defaultsOf(page: Page): Record<string, string> {
  const { view } = page;
  const wanted: Record<string, string> =
    view.path === "op" || view.path === "scope" || view.path === "code"
      ? { ...opQuestion(page), ...view.defaults }
      : view.defaults;
  return Object.fromEntries(
    Object.entries(wanted).filter(
      ([name]) => name === "argument" || takes(page, view.command, name),
    ),
  );
}

// How the rows of a view look, and what they lead to.
function lookOf(page: Page): Partial<GridOptions> {
  switch (page.view.path) {
    case "op":
      return {
        links: (row) => opLinks(page, row),
        // The reference's running sum down the list, which no page needs.
        hidden: (name) => name.startsWith("cumulative"),
      };
    case "kernels":
      return {
        first: ["name", "sum_micros", "share", "count"],
        last: ["kind", "ops"],
        links: (row) => kernelLinks(page, row),
      };
    case "average":
      return { first: ["name"] };
    case "code":
      return { links: (row) => codeLinks(page, row) };
    case "steps":
      return {
        // What a person looks for is before the columns of many devices, and
        // `cause` is the key of what `part` says in words.
        first: [
          "step",
          "span_micros",
          "idle_micros",
          "idle_share",
          "avoidable_micros",
          "part",
        ],
        hidden: (name) =>
          name === "cause" ||
          (page.facts.accelerator && /^busy_micros_rank_.*_cpu_/.test(name)),
        links: (row) => stepLinks(page, row),
        link: (row) => page.address("op", { step: String(row.step) }),
      };
    default:
      return {};
  }
}

function mainTable(
  page: Page,
  reply: Reply,
  question: Record<string, string>,
): HTMLElement[] {
  const { answer } = reply;
  if (answer.columns === undefined || answer.rows === undefined) return [];
  const table = answer as Table;
  const query = tableQuery(page);
  return [
    tableView(
      {
        table,
        rows: reply.rows,
        query,
        id: "search",
        fetch: async (q) => {
          const next = await page.ask(page.view.command, {
            ...question,
            ...asked(q),
          });
          return { table: next.answer as Table, rows: next.rows };
        },
        keep: (q, push) => page.keep(asked(q), push),
      },
      { label: page.view.name, ...lookOf(page) },
    ),
  ];
}

function tableQuery(page: Page): TableQuery {
  return {
    sort: page.params.get("sort") ?? "",
    find: page.params.get("find") ?? "",
    from: Number(page.params.get("from") ?? 0),
  };
}

function asked(query: TableQuery): Record<string, string> {
  return {
    sort: query.sort,
    find: query.find,
    from: query.from === 0 ? "" : String(query.from),
  };
}

// "SkewChecker" is "skew", also in what it lacks.
export function checkersInWords(table: Table): Table {
  const short = (value: Value) =>
    typeof value === "string"
      ? value.replace(/( for|\. Skip) \w+Checker$/gm, "")
      : value;
  return {
    ...table,
    rows: table.rows.map((row) => ({
      ...row,
      checker: String(row.checker)
        .replace(/Checker$/, "")
        .replace(/(?<=[a-z])(?=[A-Z])/g, " ")
        .toLowerCase(),
      lacked: short(row.lacked),
      not_judged: short(row.not_judged),
    })),
  };
}

async function otherTables(page: Page, answer: Answer): Promise<HTMLElement[]> {
  const parts: HTMLElement[] = [];
  if (answer.tables?.checkers) noteStacks(page, answer.tables.checkers);
  for (const [name, table] of Object.entries(answer.tables ?? {})) {
    if (table.rows.length === 0) continue;
    const label = plain(name);
    parts.push(el("h2", { text: label }));
    if (name === "checkers") {
      parts.push(wholeTable(checkersInWords(table), { label }));
      continue;
    }
    if (name === "findings" && table.columns.some((c) => c.name === "rule")) {
      parts.push(...(await findings(page, table)));
    } else {
      parts.push(
        table.total > table.rows.length
          ? grid(table, { label })
          : wholeTable(table, { label }),
      );
    }
  }
  return parts;
}

export async function drawTablePage(page: Page) {
  const { view, params } = page;
  const defaults = defaultsOf(page);
  page.put(
    optionsForm(page.catalog, view.command, params, defaults, (name, value) =>
      page.change({ [name]: value, from: "" }),
    ),
    takes(page, view.command, "step") && stepNote(page),
  );
  const question: Record<string, string> = { count: String(ROWS) };
  for (const [name, value] of [...Object.entries(defaults), ...params]) {
    if (
      name === "argument" ||
      name === "table" ||
      takes(page, view.command, name)
    )
      question[name] = value;
  }
  const reply = await page.ask(view.command, {
    ...question,
    ...asked(tableQuery(page)),
  });
  const { answer } = reply;
  page.put(...noteList(reply.notes));
  const tables = Object.values(answer.tables ?? {});
  const total = [answer, ...tables].reduce((n, t) => n + (t.total ?? 0), 0);
  if (total === 0 && view.empty !== undefined) {
    page.put(el("p", { class: "note", text: view.empty }));
    return;
  }
  if (view.path === "steps" && page.facts.steps.length > 1) {
    page.put(
      stepChart(page.facts.steps, params.get("step") ?? "", (step) =>
        page.change({ step }),
      ),
    );
  }
  page.put(
    MEANS.includes(view.path) && meanNote(page),
    ...mainTable(page, reply, question),
    ...(await otherTables(page, answer)),
  );
}

// Draws the graph, with buttons for the scopes that are open in it.
export async function drawGraphPage(page: Page) {
  const opened = page.params.getAll("open");
  const { answer, notes } = await page.ask("drawing", {});
  if (!answer.tables?.boxes.rows.length) {
    page.put(
      ...noteList(notes),
      el("p", {
        class: "note",
        text:
          "This file has no graph: no operation was recorded. A TensorFlow " +
          "graph and traces have them.",
      }),
    );
    return;
  }
  const row = el(
    "div",
    { class: "row" },
    ...opened.map((scope) =>
      button(
        `▾ ${showable(scope)}`,
        // Closes it and everything that is open in it.
        () =>
          page.show(
            "open",
            opened.filter((s) => s !== scope && !s.startsWith(`${scope}/`)),
          ),
        `close ${showable(scope)}`,
      ),
    ),
  );
  page.put(
    ...noteList(notes),
    (answer.tables?.boxes.rows.length ?? 0) > 1 &&
      !answer.tables?.edges.rows.length &&
      el("p", {
        class: "note",
        text:
          "The recording does not say which operation reads what another one " +
          "wrote, so nothing is connected. A TensorFlow graph and the HLO of " +
          "XPlane traces say so.",
      }),
    row,
    drawing(answer, (scope) => page.show("open", [...opened, scope])),
  );
}
