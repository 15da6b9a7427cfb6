// The findings of checkers as cards: the worst first, each with what to do.

import { el } from "../shared/dom";
import { showableLines } from "../shared/format";
import { Table } from "./client";

export function findings(table: Table): HTMLElement[] {
  return table.rows.map((row) => {
    const severity = String(row.severity);
    const text = (name: string) => showableLines(String(row[name] ?? ""));
    return el(
      "article",
      { class: `finding ${severity}` },
      el(
        "p",
        {},
        el("span", { class: "severity", text: severity }),
        el("strong", { text: text("rule").replace(/_/g, " ") }),
      ),
      el("p", { text: text("text") }),
      text("advice") !== "" && el("p", { text: text("advice") }),
      text("evidence") !== "" &&
        el("p", { class: "faint" }, el("code", { text: text("evidence") })),
    );
  });
}
