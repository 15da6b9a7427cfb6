// The options of a command as fields, made from the program's own option table.

import { el } from "../shared/dom";
import { Catalog, OptionInfo } from "./client";

const words = (name: string) => name.replace(/_/g, " ");

function fieldOf(
  option: OptionInfo,
  value: string,
  usual: string, // without a value
  change: (value: string) => void,
) {
  const isBool = option.kind === "boolean";
  const choices = isBool ? ["true", "false"] : option.choices;
  // A list is typed as text: elements separated by commas.
  if (choices.length === 0 || option.kind === "list") {
    const input = el("input", { attributes: { autocomplete: "off" } });
    input.value = value;
    input.placeholder = usual || option.value;
    input.addEventListener("change", () => change(input.value));
    return input;
  }
  const select = el("select");
  for (const choice of ["", ...choices]) {
    const item = el("option", {
      text: choice === "" ? `default (${usual || "none"})` : choice,
    });
    item.value = choice;
    select.append(item);
  }
  select.value = value;
  select.addEventListener("change", () => change(select.value));
  return select;
}

// `defaults` are those of the page, which may differ from the command's.
// `change` gets the name of an option and its new value; "" is the default.
export function optionsForm(
  catalog: Catalog,
  command: string,
  query: URLSearchParams,
  defaults: Record<string, string>,
  change: (name: string, value: string) => void,
): HTMLElement {
  const names = new Set(
    catalog.commands.find((c) => c.name === command)?.options,
  );
  const fields = catalog.options.filter((o) => names.has(o.name));
  const given = fields.filter((o) => query.has(o.name));
  const box = el(
    "details",
    { class: "options" },
    el("summary", {
      text:
        given.length === 0
          ? "Options"
          : `Options: ${given
              .map((o) => `${words(o.name)} ${query.get(o.name)}`)
              .join(", ")}`,
    }),
    el(
      "div",
      { class: "fields" },
      ...fields.map((option) => {
        const field = fieldOf(
          option,
          query.get(option.name) ?? "",
          defaults[option.name] ?? option.default,
          (value) => change(option.name, value),
        );
        return el(
          "label",
          { title: `${option.name}: ${option.help}` },
          words(option.name),
          field,
        );
      }),
    ),
  );
  box.id = "options";
  return box;
}
