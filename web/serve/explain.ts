// What costs most in a step: the cause and what to do, the account of each
// device, and the way from the step down to the code.

import { el } from "../shared/dom";
import { readable, sentence } from "../shared/format";
import { accounts } from "./account";
import { Row, Table } from "./client";
import { sourceLines, sourceLink } from "./findings";
import { grid } from "./grid";
import { noteList } from "./notes";
import {
  commandAddress,
  link,
  number,
  Page,
  stepNote,
  timelineAddress,
} from "./page";
import { lineOfFrame } from "./row_links";
import { stepChart } from "./step_chart";

// The timeline finds steps, operations, nodes and devices by name.
const IN_TIMELINE = ["step", "device", "op", "node", "kernel"];

function rowLinks(page: Page, row: Row): HTMLElement[] {
  const part = String(row.part);
  const name = String(row.name);
  const links: HTMLElement[] = [];
  if (IN_TIMELINE.includes(part))
    links.push(link("timeline", timelineAddress(page, { subject: name })));
  const table = commandAddress(page, String(row.see ?? ""));
  if (table !== undefined) links.push(link("numbers", table));
  const line = part === "line" ? lineOfFrame(name) : undefined;
  if (line !== undefined)
    links.push(link("source", page.address("source", { argument: line })));
  return links;
}

// Sums over devices and threads have no share of one wall time if they are
// longer than it.
function withoutLargeShares(table: Table): Table {
  return {
    ...table,
    rows: table.rows.map((row) =>
      number(row.wall_share) > 1 ? { ...row, wall_share: null } : row,
    ),
  };
}

export async function drawExplain(page: Page) {
  const { answer, notes } = await page.ask("explain", {
    argument: page.params.get("argument") ?? "",
  });
  const { facts, tables = {} } = answer;
  const text = (name: string) => readable(String(facts[name] ?? ""));
  page.put(stepNote(page), ...noteList(notes));
  if (text("why") !== "")
    page.put(el("p", { class: "note", text: sentence(text("why")) }));
  if (text("cause") !== "") {
    const lines = sourceLines(String(facts.cause));
    const subject = (tables.account?.rows ?? [])
      .map((row) => String(row.device))
      .find((device) => String(facts.cause).startsWith(`${device}: `));
    page.put(
      el(
        "article",
        { class: "finding headline warning" },
        el(
          "p",
          {},
          el(
            "strong",
            // It would say "not recorded" twice.
            {
              text: sentence(text("cause")).replace(
                /; most of it nothing that was recorded [^;]*$/,
                "",
              ),
            },
          ),
        ),
        text("do") !== "" && el("p", { class: "do", text: text("do") }),
        el(
          "p",
          { class: "row links" },
          link(
            "In the timeline",
            timelineAddress(page, { subject, step: String(facts.step ?? "") }),
          ),
          ...lines.map((line) => sourceLink(page, line)),
        ),
      ),
    );
  }
  // Another step that takes much longer: "step 110 takes …: explain step 110".
  const odd = /^step (-?\d+)/.exec(text("odd_step"))?.[1];
  if (odd !== undefined) {
    page.put(
      el(
        "p",
        { class: "note" },
        `${sentence(text("odd_step")).replace(/: explain step .*$/, "")}. `,
        link(`Explain step ${odd}`, page.address("explain", { step: odd })),
      ),
    );
  }
  if (tables.account?.rows.length) {
    page.put(
      el("h2", { text: `Where the wall time of step ${facts.step} goes` }),
      ...accounts(tables.account),
    );
  }
  if (page.facts.steps.length > 1) {
    page.put(
      el("h2", { text: "Steps" }),
      stepChart(page.facts.steps, String(facts.step ?? ""), (step) =>
        page.change({ step }),
      ),
    );
  }
  if (tables.explain?.rows.length) {
    page.put(
      el("h2", { text: "From the step to the code" }),
      grid(withoutLargeShares(tables.explain), {
        label: "From the step to the code",
        hidden: (name) => name === "see",
        links: (row) => rowLinks(page, row),
      }),
    );
  }
}
