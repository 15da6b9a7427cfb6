// What costs most in a step: the cause and what to do, the account of each
// device, and the way from the step down to the code.

import { el } from "../shared/dom";
import { showable } from "../shared/format";
import { accounts } from "./account";
import { Answer } from "./client";
import { grid } from "./grid";

export function explanation(answer: Answer): HTMLElement[] {
  const { facts } = answer;
  const tables = answer.tables ?? {};
  const text = (name: string) => showable(String(facts[name] ?? ""));
  const parts: HTMLElement[] = [];
  if (text("why") !== "")
    parts.push(el("p", { class: "note", text: text("why") }));
  // Another step that takes much longer.
  if (text("odd_step") !== "")
    parts.push(el("p", { class: "note", text: `Also: ${text("odd_step")}` }));
  if (text("cause") !== "") {
    parts.push(
      el(
        "article",
        { class: "finding warning" },
        el("p", {}, el("strong", { text: text("cause") })),
        text("do") !== "" && el("p", { text: text("do") }),
      ),
    );
  }
  if (tables.account?.rows.length) {
    parts.push(
      el("h2", { text: "Where the wall time goes" }),
      ...accounts(tables.account),
    );
  }
  if (tables.explain?.rows.length) {
    parts.push(
      el("h2", { text: "From the step to the code" }),
      grid(tables.explain, { label: "From the step to the code" }),
    );
  }
  return parts;
}
