// The dialog that asks for traces of a run.

import { button, el } from "../../shared/dom";

interface Rule {
  rule: string;
  name: string;
  // The number or list that the rule needs: the field of the request, its
  // label, and its initial value.
  field?: string;
  label?: string;
  first?: string;
  limited?: boolean;
}

const RULES: Rule[] = [
  {
    rule: "next",
    name: "the next runs",
    field: "count",
    label: "how many",
    first: "1",
  },
  {
    rule: "for",
    name: "for some time",
    field: "seconds",
    label: "seconds",
    first: "10",
    limited: true,
  },
  {
    rule: "every",
    name: "every k-th run",
    field: "every",
    label: "k",
    first: "100",
    limited: true,
  },
  {
    rule: "steps",
    name: "these steps",
    field: "steps",
    label: "step numbers, with commas",
    first: "",
  },
  {
    rule: "slower",
    name: "after a run slower than x times the median",
    field: "slower",
    label: "x",
    first: "2",
    limited: true,
  },
  { rule: "at", name: "one count that no rank has reached" },
];

function valueOf(rule: Rule, text: string): unknown {
  if (rule.rule !== "steps") return Number(text);
  return text
    .split(/[\s,]+/)
    .filter((word) => word !== "")
    .map(Number);
}

// `ask` gets the request, except for its client and row.
export function askDialog(
  title: string,
  ranks: boolean,
  ask: (asked: object) => void,
): HTMLDialogElement {
  const dialog = el("dialog", { class: "ask", label: title });
  const rules = el("select", { label: "Which runs are traced" });
  for (const rule of RULES) {
    const item = el("option", { text: rule.name });
    item.value = rule.rule;
    rules.append(item);
  }
  const chosen = () => RULES.find((r) => r.rule === rules.value) ?? RULES[0];
  const value = el("input", { attributes: { type: "text" } });
  const label = el("span");
  const valueRow = el("label", { class: "pick" }, label, value);
  const limit = el("input", {
    attributes: { type: "number", min: "1", value: "20" },
  });
  const limitRow = el("label", { class: "pick" }, "at most, traces ", limit);
  const pause = el("input", {
    attributes: { type: "number", min: "0", value: "0" },
  });
  const pauseRow = el(
    "label",
    { class: "pick" },
    "pause between two, seconds ",
    pause,
  );
  const all = el("input", { attributes: { type: "checkbox" } });
  const allRow = el("label", { class: "pick" }, all, "on all ranks");
  allRow.hidden = !ranks;
  const draw = () => {
    const rule = chosen();
    valueRow.hidden = rule.field === undefined;
    label.textContent = `${rule.label ?? ""} `;
    value.value = rule.first ?? "";
    limitRow.hidden = !rule.limited;
    pauseRow.hidden = rule.rule !== "slower";
    all.checked = ranks && rule.rule === "at";
  };
  rules.addEventListener("change", draw);
  const send = () => {
    const rule = chosen();
    const asked: Record<string, unknown> = {
      rule: rule.rule,
      everywhere: all.checked,
    };
    if (rule.rule === "at") asked.at = "next";
    if (rule.field !== undefined)
      asked[rule.field] = valueOf(rule, value.value);
    if (rule.limited) asked.limit = Number(limit.value);
    if (rule.rule === "slower") asked.cool_down_seconds = Number(pause.value);
    dialog.close();
    ask(asked);
  };
  dialog.append(
    el("h2", { text: title }),
    rules,
    valueRow,
    limitRow,
    pauseRow,
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
