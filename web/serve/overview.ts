// The first page: what costs most and what to do, where the wall time of a step
// went on each device, the steps, the other findings, then the numbers.

import { el } from "../shared/dom";
import {
  count,
  counted,
  micros,
  readable,
  sentence,
  showable,
  unbroken,
} from "../shared/format";
import { accounts } from "./account";
import { Answer, Row, Value } from "./client";
import { finding, noteStacks, operationNames } from "./findings";
import { grid, shown } from "./grid";
import { noteList } from "./notes";
import { chosenStep, commandAddress, link, meanNote, Page } from "./page";
import { opLinks, opQuestion } from "./row_links";
import { stepChart } from "./step_chart";
import { VIEWS } from "./views";

const OPS = "8";

// With a base: what changed, and because of what.
export function verdict(answer: Answer): HTMLElement[] {
  const { base_text, base_because, base_verdict } = answer.facts;
  if (!base_text) return [];
  const because = base_because ? `, because of ${base_because}` : "";
  return [
    el(
      "article",
      { class: `finding verdict ${base_verdict}` },
      el("p", { text: sentence(readable(`${base_text}${because}`)) }),
    ),
  ];
}

// The line of source to which the explanation of a step leads.
async function lineOf(page: Page, step: string): Promise<string> {
  const reply = await page.ask("explain", { step });
  const rows = reply.answer.tables?.explain?.rows ?? [];
  return String(rows.find((row) => row.part === "line")?.name ?? "");
}

function headline(page: Page, answer: Answer, ops: string[]): HTMLElement {
  const { facts } = answer;
  const worst = answer.tables?.problems?.rows[0];
  const lacking = Number(facts.checkers_lacking ?? 0);
  const judged = Number(facts.checkers ?? 0) - lacking;
  if (worst === undefined) {
    const rest =
      lacking > 0 ? `; ${lacking} others cannot judge this file` : "";
    return el(
      "article",
      { class: "finding headline" },
      el("p", { text: `No problem found by ${judged} checkers${rest}.` }),
      el(
        "p",
        { class: "row links" },
        link("What all checkers say", page.address("advice")),
      ),
    );
  }
  const source = el("p", { class: "source" });
  const card = finding(page, worst, ops, [source]);
  card.classList.add("headline");
  const step = /^step (-?\d+)$/.exec(String(worst.subject ?? ""))?.[1];
  if (step !== undefined && page.facts.timed) {
    lineOf(page, step)
      .then((line) => {
        if (line === "") return;
        const place = /^(.*?:\d+):/.exec(line)?.[1] ?? line;
        source.append(
          "Line of source: ",
          link(showable(line), page.address("source", { argument: place })),
        );
      })
      // The page is there without this line.
      .catch(() => undefined);
  }
  return card;
}

function tiles(answer: Answer): HTMLElement {
  const of = answer.facts;
  const wanted: Array<[string, Value | undefined, string]> = [
    ["framework", of.framework, "text"],
    ["wall time of a step (median)", of.median_wall_micros, "micros"],
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

// What to record so that the empty parts of this page fill.
function missing(page: Page, answer: Answer): HTMLElement | undefined {
  const lacks: string[] = [];
  if (!page.facts.timed)
    lacks.push(
      "No times: this is a graph, a memory snapshot, or sums. A trace has " +
        "them: record a step with torch.profiler, jax.profiler, tf.profiler " +
        "or tf.RunMetadata.",
    );
  else if (page.facts.steps.length === 0)
    lacks.push(
      "No steps: mark them in the program (torch.profiler's step(), " +
        "jax.profiler.StepTraceAnnotation, tf.profiler.experimental.Trace).",
    );
  if (page.facts.timed && !answer.tables?.account?.rows.length)
    lacks.push(
      "No account of the wall time: the file has sums of operations and not " +
        "when each ran. A trace has that.",
    );
  if (lacks.length === 0) return undefined;
  return el(
    "ul",
    { class: "note" },
    ...lacks.map((text) => el("li", { text })),
  );
}

// Of a file without times, the pages that have something.
function others(page: Page, next: Row[]): HTMLElement[] {
  const parts = next.flatMap((row) => {
    const address = commandAddress(page, String(row.next));
    const path = address?.slice(1).split("?")[0];
    const name = VIEWS.find((view) => view.path === path)?.name;
    return address === undefined || name === undefined
      ? []
      : [el("li", {}, link(name, address), `: ${readable(String(row.why))}`)];
  });
  return parts.length === 0
    ? []
    : [el("h2", { text: "What this file has" }), el("ul", {}, ...parts)];
}

async function operations(page: Page): Promise<HTMLElement[]> {
  const { answer } = await page.ask("op", {
    ...opQuestion(page),
    count: OPS,
  });
  if (!answer.columns || !answer.rows?.length) return [];
  const cost = page.facts.accelerator
    ? "self_accelerator_micros"
    : "self_cpu_micros";
  const rows = answer.rows.filter((row) => row[cost] !== 0);
  const table = {
    columns: answer.columns,
    rows,
    returned: rows.length,
    total: answer.total ?? rows.length,
  };
  const rest = table.total - table.rows.length;
  const by = page.facts.accelerator ? "accelerators" : "CPU";
  return [
    el("h2", { text: `Most expensive operations, by time on the ${by}` }),
    ...[meanNote(page) ?? []].flat(),
    grid(table, {
      label: "Most expensive operations",
      links: (row) => opLinks(page, row),
      hidden: (name) => name.startsWith("cumulative"),
    }),
    el(
      "p",
      { class: "faint" },
      rest > 0 ? `and ${count(rest)} more types. ` : "",
      link("All operations", page.address("op")),
    ),
  ];
}

function otherFindings(
  page: Page,
  ops: string[],
  answer: Answer,
  first?: Row,
): HTMLElement[] {
  const rows = (answer.tables?.findings?.rows ?? []).filter(
    (row) => row.text !== first?.text,
  );
  const problems = rows.filter((row) => row.severity !== "info");
  const notes = rows.length - problems.length;
  const lacking = (answer.tables?.checkers?.rows ?? []).filter(
    (row) => row.lacked !== null,
  ).length;
  const end = [
    notes > 0
      ? `${counted(notes, "note")} that ${notes === 1 ? "is" : "are"} no problem`
      : "",
    lacking > 0
      ? `${lacking} ${lacking === 1 ? "checker lacks" : "checkers lack"} a record`
      : "",
  ].filter((text) => text !== "");
  return [
    ...(problems.length > 0 ? [el("h2", { text: "Other findings" })] : []),
    el(
      "div",
      { class: "cards" },
      ...problems.map((row) => finding(page, row, ops)),
    ),
    ...(end.length > 0
      ? [
          el(
            "p",
            { class: "faint" },
            `${problems.length > 0 ? "And " : ""}${end.join("; ")}: `,
            link("all that the checkers say", page.address("advice")),
          ),
        ]
      : []),
  ];
}

export async function drawOverview(page: Page) {
  const [overview, advice] = await Promise.all([
    page.ask("overview"),
    page.ask("advise", { argument: "all", count: "100" }),
  ]);
  const { answer, notes } = overview;
  const { facts, tables = {} } = answer;
  const worst = tables.problems?.rows[0];
  noteStacks(page, advice.answer.tables?.checkers);
  const ops = await operationNames(page);
  page.put(
    ...verdict(answer),
    headline(page, answer, ops),
    missing(page, answer),
    ...noteList(notes),
  );
  const step = chosenStep(page);
  let account = tables.account;
  if (step !== "" && page.facts.timed) {
    account = (await page.ask("explain")).answer.tables?.account ?? account;
  }
  const row = page.facts.steps.find(
    (r) => String(r.step) === (step || String(facts.typical_step)),
  );
  if (account?.rows.length) {
    const wall = row ? `, ${micros(Number(row.span_micros))}` : "";
    page.put(
      el("h2", {
        text: unbroken(
          "Where the wall time goes: " +
            (step !== ""
              ? `step ${step}${wall}`
              : `step ${facts.typical_step}${wall}, a typical one`),
        ),
      }),
      ...accounts(account),
    );
  }
  if (page.facts.steps.length > 1) {
    page.put(
      el("h2", { text: "Steps" }),
      stepChart(page.facts.steps, step, (chosen) =>
        page.change({ step: chosen }),
      ),
    );
  }
  if (!page.facts.timed) page.put(...others(page, tables.next?.rows ?? []));
  page.put(tiles(answer));
  page.put(...otherFindings(page, ops, advice.answer, worst));
  if (page.facts.timed) page.put(...(await operations(page)));
  for (const [name, text] of [
    ["records", "Recorded beside operations"],
    ["inputs", "Files"],
  ]) {
    const table = tables[name];
    if (!table || table.rows.length === 0) continue;
    page.put(el("h2", { text }), grid(table, { label: text }));
  }
}
