// The dialog that asks for traces of a run. The server says which rules there
// are, and what each needs (g3doc/live.md).

import { button, el } from "../../shared/dom";

export interface Rule {
  rule: string;
  label: string;
  // The field that an order must have; "": none.
  needs: string;
  // Other fields that it may have.
  takes: string[];
  of_a_row: boolean;
}

export interface Field {
  field: string;
  label: string;
  kind: "integer" | "number" | "integers";
  suggested: string;
}

export interface Rules {
  rules: Rule[];
  fields: Field[];
}

function valueOf(field: Field, text: string): unknown {
  if (field.kind !== "integers") return Number(text);
  return text
    .split(/[\s,]+/)
    .filter((word) => word !== "")
    .map(Number);
}

// The fields that a person fills in for a rule. The count of `at` is not asked:
// the server chooses one that no rank has reached.
export function fieldsOf(rule: Rule, fields: Field[]): Field[] {
  const names = rule.rule === "at" ? [] : [rule.needs, ...rule.takes];
  return fields.filter((field) => names.includes(field.field));
}

// A request without its client and row, from the texts of its fields.
export function asking(
  rule: Rule,
  fields: Field[],
  texts: string[],
  everywhere: boolean,
): Record<string, unknown> {
  const asked: Record<string, unknown> = { rule: rule.rule, everywhere };
  if (rule.rule === "at") asked.at = "next";
  fields.forEach((field, i) => {
    asked[field.field] = valueOf(field, texts[i]);
  });
  return asked;
}

// `ask` gets the request without its client and row.
export function askDialog(
  title: string,
  { rules, fields }: Rules,
  ranks: boolean,
  ask: (asked: object) => void,
): HTMLDialogElement {
  const dialog = el("dialog", { class: "ask", label: title });
  const choices = rules.filter((rule) => rule.of_a_row);
  const choice = el("select", { label: "What is traced" });
  for (const { rule, label } of choices) {
    const item = el("option", { text: label });
    item.value = rule;
    choice.append(item);
  }
  const chosen = () =>
    choices.find((r) => r.rule === choice.value) ?? choices[0];
  const rows = el("div");
  let shown: Field[] = [];
  let inputs: HTMLInputElement[] = [];
  const all = el("input", { attributes: { type: "checkbox" } });
  const allRow = el("label", { class: "pick" }, all, "on all ranks");
  allRow.hidden = !ranks;
  const draw = () => {
    const rule = chosen();
    shown = fieldsOf(rule, fields);
    inputs = shown.map((field) => {
      const type = field.kind === "integers" ? "text" : "number";
      const input = el("input", { attributes: { type, step: "any" } });
      input.value = field.suggested;
      return input;
    });
    rows.replaceChildren(
      ...shown.map((field, i) =>
        el("label", { class: "pick" }, `${field.label} `, inputs[i]),
      ),
    );
    all.checked = ranks && rule.rule === "at";
  };
  choice.addEventListener("change", draw);
  const send = () => {
    const texts = inputs.map((input) => input.value);
    dialog.close();
    ask(asking(chosen(), shown, texts, all.checked));
  };
  dialog.append(
    el("h2", { text: title }),
    choice,
    rows,
    allRow,
    el(
      "div",
      { class: "row" },
      button("Trace", send, "", "go"),
      button("Close", () => dialog.close()),
    ),
  );
  dialog.addEventListener("keydown", (event) => {
    if (event.key === "Enter") {
      event.preventDefault();
      send();
    }
  });
  dialog.addEventListener("close", () => dialog.remove());
  draw();
  return dialog;
}
