// Elements of the page. Texts are set as text and never as HTML.

type Child = Node | string | undefined | false;

interface Props {
  class?: string;
  text?: string;
  title?: string;
  role?: string;
  label?: string; // for screen readers
  click?: (event: MouseEvent) => void;
  attributes?: Record<string, string>;
}

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  props: Props = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (props.class) element.className = props.class;
  if (props.text !== undefined) element.textContent = props.text;
  if (props.title) element.title = props.title;
  if (props.role) element.setAttribute("role", props.role);
  if (props.label) element.setAttribute("aria-label", props.label);
  for (const [name, value] of Object.entries(props.attributes ?? {})) {
    element.setAttribute(name, value);
  }
  if (props.click)
    element.addEventListener("click", props.click as EventListener);
  for (const child of children) if (child) element.append(child);
  return element;
}

export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no element ${id}`);
  return found as T;
}

export function button(
  text: string,
  click: () => void,
  title = "",
  className = "",
): HTMLButtonElement {
  const made = el("button", { text, title, class: className, click });
  made.type = "button";
  return made;
}

// A place for a table that may be wider than the page. Keys scroll it: if it has
// no control that they reach, it is one itself.
export function scroller(label: string, inner: HTMLElement): HTMLElement {
  const made = el("div", { class: "scroll" }, inner);
  if (inner.querySelector("a, button, input") === null) {
    made.tabIndex = 0;
    made.setAttribute("role", "group");
    made.setAttribute("aria-label", label);
  }
  return made;
}

export interface Cell {
  text: string;
  number?: number; // the sort key; by default the text
  bar?: number; // 0 to 1
  title?: string;
  color?: string;
}

export interface Column {
  title: string;
  help?: string;
  right?: boolean;
  line?: boolean; // never breaks
}

export const MAX_ROWS = 400;

// An order that the caller makes: it gets the column of a heading, and shows
// other rows.
interface OutsideOrder {
  down: boolean;
  choose: (column: number, down: boolean) => void;
}

// A table that is sorted by its headings. `pick` gets the row that a click or
// Enter chooses.
export function table(
  label: string,
  columns: Column[],
  rows: Cell[][],
  pick?: (row: number) => void,
  sorted = -1,
  outside?: OutsideOrder,
): HTMLElement {
  const body = el("tbody");
  let by = sorted;
  let down = outside?.down ?? true;
  const heads = columns.map((column, c) => {
    const head = el("th", {
      title: column.help,
      class: column.right ? "right" : "",
      attributes: { scope: "col" },
    });
    const sort = button(column.title, () => {
      down = by === c ? !down : true;
      by = c;
      if (outside) outside.choose(by, down);
      else fill();
    });
    head.append(sort);
    return head;
  });
  const fill = () => {
    heads.forEach((head, c) => {
      if (c === by) {
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
      } else {
        head.removeAttribute("aria-sort");
      }
    });
    const order = rows.map((_, i) => i);
    if (by >= 0 && !outside) {
      const value = (i: number) => rows[i][by].number ?? rows[i][by].text;
      order.sort((a, b) => {
        const x = value(a);
        const y = value(b);
        const less = x < y ? -1 : x > y ? 1 : a - b;
        return down === (typeof x === "number") ? -less : less;
      });
    }
    body.replaceChildren();
    for (const i of order.slice(0, MAX_ROWS)) {
      const line = el("tr");
      rows[i].forEach((cell, c) => {
        const made = el("td", {
          class: columns[c].right
            ? "right"
            : columns[c].line
              ? "line-cell"
              : "",
          title: cell.title,
        });
        if (cell.color) {
          made.append(swatch(cell.color));
        }
        made.append(cell.text);
        if (cell.bar !== undefined) {
          const bar = el("span", { class: "bar" });
          const full = el("i");
          full.style.width = `${Math.round(cell.bar * 100)}%`;
          bar.append(full);
          made.append(bar);
        }
        line.append(made);
      });
      if (pick) {
        line.tabIndex = 0;
        line.className = "pick";
        line.addEventListener("click", () => pick(i));
        line.addEventListener("keydown", (event) => {
          if (event.key !== "Enter") return;
          event.preventDefault();
          pick(i);
        });
      }
      body.append(line);
    }
    if (order.length > MAX_ROWS) {
      const more = el("td", {
        text: `${order.length - MAX_ROWS} more rows`,
        class: "faint",
      });
      more.colSpan = columns.length;
      body.append(el("tr", {}, more));
    }
  };
  fill();
  const caption = el("caption", { text: label, class: "hidden" });
  return el(
    "table",
    {},
    caption,
    el("thead", {}, el("tr", {}, ...heads)),
    body,
  );
}

// A small square of a colour. A script sets the style, because the content
// security policy does not allow style attributes.
export function swatch(color: string): HTMLElement {
  const made = el("span", { class: "swatch" });
  made.style.background = color;
  return made;
}
