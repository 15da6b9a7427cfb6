// A table of an answer: columns formatted by their units, bars for shares, rows
// of a tree that open and close. The server sorts: a table here may be one page
// of a much longer one.

import { button, el, scroller } from "../shared/dom";
import {
  bytes,
  count,
  micros,
  perSecond,
  readable,
  showableLines,
} from "../shared/format";
import { ColumnInfo, Row, Table, Value } from "./client";
import { heading, meaning } from "./words";

export interface GridOptions {
  label: string;
  sort?: string; // "-self_micros"
  onSort?: (column: string) => void;
  // The address that a click on the first cell of a row opens.
  link?: (row: Row) => string | undefined;
  // Links to what other pages have about a row, in a column at the end.
  links?: (row: Row) => HTMLElement[];
  // These columns come first, in this order.
  first?: string[];
  // These come last.
  last?: string[];
  // Rows that matter less are paler.
  dim?: (row: Row) => boolean;
  // These columns are left out.
  hidden?: (name: string) => boolean;
}

// "57.53 T": as many digits as a person compares, with the prefixes of the rates
// beside it: "57.53B" would be bytes.
function large(value: number): string {
  return perSecond(value, "").replace("/s", "");
}

export function shown(value: Value, unit: string, name = ""): string {
  if (value === null || value === undefined) return "–";
  if (typeof value !== "number") return showableLines(String(value));
  if (name.endsWith("_per_second"))
    return perSecond(value, unit === "bytes" ? "B" : "FLOP");
  switch (unit) {
    case "micros":
      return micros(value);
    case "bytes":
      return bytes(value);
    case "share":
      return `${(value * 100).toFixed(1)} %`;
    case "count":
      return Math.abs(value) < 1e9 ? count(value) : large(value);
    default:
      return Number.isInteger(value)
        ? count(value)
        : String(Number(value.toPrecision(5)));
  }
}

// The root of a tree has no name of its own.
const ROOT = "_TFProfRoot";
// Columns of sentences, whose numbers are written as those beside them.
const SENTENCES =
  /^(text|most|why|advice|reason|lacked|looked_for|not_judged|description)$/;
// Words that need not be broken: of short ones all are seen.
const SHORT = 16;
// Moments of a step and differences of clocks, which no bar can show.
const PLACES = /^(start|end|at_least|at_most)_micros$/;

const isEmpty = (value: Value) => value === null || value === 0;

// The column beside whose numbers a share is shown: "idle_micros" has those of
// "idle_share".
export function ownerOf(name: string, names: Set<string>): string | undefined {
  const whole = name.replace(/_share$/, "");
  if (whole === name) return undefined;
  return [whole, `${whole}_micros`].find((owner) => names.has(owner));
}

// The share that is shown beside the number of a column.
export function shareOf(name: string, row: Row): number | undefined {
  const places = [`${name}_share`];
  if (name.endsWith("_micros")) places.push(name.replace(/_micros$/, "_share"));
  const share = places.map((place) => row[place]);
  return share.find((value): value is number => typeof value === "number");
}

// The columns with information, without the shares of other columns, which
// become their bars.
function visible(table: Table, options: GridOptions): ColumnInfo[] {
  const names = new Set(
    table.columns.filter((c) => c.unit !== "text").map((c) => c.name),
  );
  const first = options.first ?? [];
  const place = (column: ColumnInfo) => {
    const at = first.indexOf(column.name);
    const end = (options.last ?? []).indexOf(column.name);
    return at < 0 ? first.length + 1 + end : at;
  };
  const ordered = [...table.columns].sort((a, b) => place(a) - place(b));
  return ordered.filter((column) => {
    if (column.name === "depth" || options.hidden?.(column.name)) return false;
    if (column.unit === "share" && ownerOf(column.name, names)) return false;
    if (table.rows.length === 0) return true;
    // The number of a step or a row may be 0 everywhere and still identify it.
    const isAmount = column.unit === "micros" || column.unit === "bytes";
    return table.rows.some((row) =>
      isAmount ? !isEmpty(row[column.name]) : row[column.name] !== null,
    );
  });
}

function barOf(share: number): HTMLElement {
  const bar = el("span", { class: "bar" });
  const full = el("i");
  full.style.width = `${Math.round(Math.max(0, Math.min(1, share)) * 100)}%`;
  bar.append(full);
  return bar;
}

// Columns with the same unit share a scale, so that "before" and "after" can be
// compared. Rates have one of their own.
function scaleOf(column: ColumnInfo): string {
  return column.name.endsWith("_per_second") ? column.name : column.unit;
}

// The style of a name: of a long one without blanks, as those of kernels, lines
// are filled to their ends.
function nameClass(text: string): string {
  if (text.length <= SHORT) return "name short";
  return /::|</.test(text) ? "name code" : "name";
}

function cellOf(
  column: ColumnInfo,
  at: number, // its place
  row: Row,
  most: Map<string, number>,
) {
  const value = row[column.name];
  const isText = column.unit === "text";
  const text =
    value === ROOT
      ? "all"
      : isText && SENTENCES.test(column.name) && value !== null
        ? readable(String(value))
        : shown(value, column.unit, column.name);
  const kind = SENTENCES.test(column.name) ? "words" : nameClass(text);
  const cell = el(
    "td",
    { class: isText ? `text ${at > 0 ? "more" : ""}` : "right" },
    isText ? el("span", { class: kind, text }) : text,
  );
  // Nothing has no share: what is there is easier to see.
  if (value === 0 && most.has(scaleOf(column))) {
    cell.classList.add("faint");
    return cell;
  }
  if (PLACES.test(column.name)) return cell;
  const share = isText ? undefined : shareOf(column.name, row);
  if (share !== undefined) {
    cell.append(
      " ",
      el("span", { class: "faint", text: shown(share, "share") }),
      barOf(share),
    );
  } else if (typeof value === "number" && most.has(scaleOf(column))) {
    cell.append(barOf(Math.abs(value) / (most.get(scaleOf(column)) ?? 1)));
  }
  return cell;
}

// The names of a tree without the names above them, as those of scopes: a row is
// below the last one with less depth.
export function shortNames(names: string[], depths: number[]): string[] {
  const above: Array<{ depth: number; name: string }> = [];
  return names.map((name, i) => {
    while (above.length > 0 && above[above.length - 1].depth >= depths[i])
      above.pop();
    const parent = above[above.length - 1]?.name;
    above.push({ depth: depths[i], name });
    return parent !== undefined && name.startsWith(`${parent}/`)
      ? name.slice(parent.length + 1)
      : name;
  });
}

// Hides the rows of a tree while a row above them is closed.
function connectTree(lines: HTMLTableRowElement[], depths: number[]) {
  const closed = new Set<number>();
  const update = () => {
    let hiddenBelow = Infinity;
    lines.forEach((line, i) => {
      if (depths[i] <= hiddenBelow) hiddenBelow = Infinity;
      line.hidden = hiddenBelow !== Infinity;
      if (closed.has(i) && hiddenBelow === Infinity) hiddenBelow = depths[i];
    });
  };
  lines.forEach((line, i) => {
    const name = line.querySelector<HTMLElement>(".tree");
    if (!name) return;
    name.style.paddingLeft = `calc(${Math.min(depths[i], 24)} * var(--indent))`;
    const isParent = i + 1 < depths.length && depths[i + 1] > depths[i];
    const arrow = button(isParent ? "▾" : "", () => {
      if (!closed.delete(i)) closed.add(i);
      arrow.textContent = closed.has(i) ? "▸" : "▾";
      arrow.setAttribute("aria-expanded", String(!closed.has(i)));
      update();
    });
    if (isParent) {
      arrow.setAttribute("aria-expanded", "true");
      arrow.setAttribute("aria-label", "rows below");
    } else {
      arrow.disabled = true;
      arrow.tabIndex = -1;
      arrow.setAttribute("aria-hidden", "true");
    }
    name.prepend(arrow);
  });
}

export function grid(table: Table, options: GridOptions): HTMLElement {
  const columns = visible(table, options);
  const isTree = table.columns.some((c) => c.name === "depth");
  const most = new Map<string, number>();
  for (const column of columns) {
    if (column.unit !== "micros" && column.unit !== "bytes") continue;
    const scale = scaleOf(column);
    for (const row of table.rows) {
      const size = Math.abs(Number(row[column.name] ?? 0));
      if (size > (most.get(scale) ?? 0)) most.set(scale, size);
    }
  }
  const heads = columns.map((column) => {
    const head = el("th", {
      class: column.unit === "text" ? "" : "right",
      title: meaning(column),
      attributes: { scope: "col" },
    });
    const { onSort } = options;
    if (onSort) {
      const down = options.sort === `-${column.name}`;
      if (down || options.sort === column.name) {
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
      }
      head.append(
        button(heading(column), () =>
          onSort(
            down || (column.unit === "text" && options.sort !== column.name)
              ? column.name
              : `-${column.name}`,
          ),
        ),
      );
    } else {
      head.append(heading(column));
    }
    return head;
  });
  if (options.links) {
    heads.push(
      el("th", {
        text: "see",
        title: "What other pages have about the row.",
        attributes: { scope: "col" },
      }),
    );
  }
  const depths = table.rows.map((row) => Number(row.depth ?? 0));
  const first = columns[0]?.unit === "text" ? columns[0].name : "";
  const short = isTree
    ? shortNames(
        table.rows.map((row) => String(row[first] ?? "")),
        depths,
      )
    : [];
  const lines = table.rows.map((row, i) => {
    const line = el("tr", { class: options.dim?.(row) ? "dim" : "" });
    columns.forEach((column, c) => {
      const isShort = isTree && c === 0 && short[i] !== row[first];
      const cell = cellOf(
        column,
        c,
        isShort ? { ...row, [first]: short[i] } : row,
        most,
      );
      // The style cuts long texts.
      if (isShort) cell.title = showableLines(String(row[first]));
      else if (cell.textContent && cell.textContent.length > 60)
        cell.title = cell.textContent;
      if (c === 0) {
        const target = options.link?.(row);
        const name =
          target === undefined
            ? el("span", {}, ...cell.childNodes)
            : el("a", { attributes: { href: target } }, ...cell.childNodes);
        cell.replaceChildren(
          isTree ? el("span", { class: "tree" }, name) : name,
        );
      }
      line.append(cell);
    });
    if (options.links) {
      line.append(el("td", { class: "links" }, ...options.links(row)));
    }
    return line;
  });
  if (isTree) connectTree(lines, depths);
  const made = el(
    "table",
    { label: options.label },
    el("thead", {}, el("tr", {}, ...heads)),
    el("tbody", {}, ...lines),
  );
  return scroller(options.label, made);
}
