// A table with a search as one types, headings that sort, and pages. The server
// sorts and searches long tables; a table that is here as a whole needs no
// server.

import { button, el } from "../shared/dom";
import { count } from "../shared/format";
import { Row, Table, Value } from "./client";
import { controlName, focusControl } from "./focus";
import { grid, GridOptions } from "./grid";

export const ROWS = 200;
// After the last key for so long, the search begins.
const REST_MS = 180;
// A shorter table needs no search.
const LEAST_ROWS = 12;

export interface TableQuery {
  sort: string; // "-self_micros"; "": its own order
  find: string;
  from: number;
}

export interface TablePart {
  table: Table;
  rows: number; // that pages can reach
}

export interface TableSource extends TablePart {
  query: TableQuery;
  // Asks the server. Without it, all rows are here.
  fetch?: (query: TableQuery) => Promise<TablePart>;
  // Writes the query into the address; a heading makes a step in the history.
  keep?: (query: TableQuery, push: boolean) => void;
  id?: string; // of the search field
}

const NONE: TableQuery = { sort: "", find: "", from: 0 };

function less(a: Value, b: Value): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0;
}

// What the server does with a long table. Missing values come last.
export function cut(table: Table, query: TableQuery): TablePart {
  const wanted = query.find.toLowerCase();
  let rows: Row[] = table.rows.filter(
    (row) =>
      wanted === "" ||
      Object.values(row).some(
        (v) => typeof v === "string" && v.toLowerCase().includes(wanted),
      ),
  );
  if (query.sort !== "") {
    const down = query.sort.startsWith("-");
    const name = query.sort.replace(/^-/, "");
    rows = [...rows].sort((a, b) => {
      const none = Number(a[name] === null) - Number(b[name] === null);
      if (none !== 0 || a[name] === null) return none;
      return down ? less(b[name], a[name]) : less(a[name], b[name]);
    });
  }
  const part = rows.slice(query.from, query.from + ROWS);
  return { table: { ...table, rows: part }, rows: rows.length };
}

export function tableView(
  source: TableSource,
  options: GridOptions,
): HTMLElement {
  let query = source.query;
  let part: TablePart = source;
  let asked = 0;
  let timer = 0;
  const body = el("div");
  const said = el("span", { class: "faint", role: "status" });
  const search = el("input", {
    label: `Search in the table ${options.label}`,
    attributes: { type: "search", placeholder: "Search (/)" },
  });
  if (source.id) search.id = source.id;
  search.value = query.find;
  const fetch =
    source.fetch ?? ((q: TableQuery) => Promise.resolve(cut(source.table, q)));
  const show = (changes: Partial<TableQuery>, push: boolean) => {
    query = { ...query, ...changes };
    document.body.dataset.ready = "false";
    source.keep?.(query, push);
    const number = ++asked;
    fetch(query)
      .then((found) => {
        if (number !== asked) return;
        part = found;
        draw();
      })
      .catch((error: Error) => {
        if (error.name !== "AbortError") said.textContent = error.message;
      })
      .finally(() => {
        if (number === asked) document.body.dataset.ready = "true";
      });
  };
  search.addEventListener("input", () => {
    document.body.dataset.ready = "false";
    window.clearTimeout(timer);
    timer = window.setTimeout(
      () => show({ find: search.value, from: 0 }, false),
      REST_MS,
    );
  });
  const earlier = button("Previous", () =>
    show({ from: Math.max(0, query.from - ROWS) }, true),
  );
  const later = button("Next", () => show({ from: query.from + ROWS }, true));
  const own = button("Own order", () => show({ sort: "", from: 0 }, true));
  const row = el("div", { class: "row" }, search, earlier, later, said, own);
  const draw = () => {
    const { table, rows } = part;
    const last = query.from + table.rows.length;
    earlier.hidden = later.hidden = rows <= ROWS && query.from === 0;
    earlier.disabled = query.from === 0;
    later.disabled = last >= rows;
    own.hidden = query.sort === "";
    search.hidden = query.find === "" && source.rows < LEAST_ROWS;
    said.textContent =
      rows === 0
        ? "no rows"
        : `rows ${count(query.from + 1)} to ${count(last)} of ${count(rows)}` +
          (table.total > rows ? ` (${count(table.total)} in all)` : "");
    row.hidden = search.hidden && rows <= LEAST_ROWS && own.hidden;
    const control = body.contains(document.activeElement)
      ? controlName(document.activeElement)
      : "";
    body.replaceChildren(
      grid(table, {
        ...options,
        sort: query.sort,
        onSort: (column) => show({ sort: column, from: 0 }, true),
      }),
    );
    focusControl(control, body);
  };
  draw();
  return el("div", { class: "table" }, row, body);
}

// A table that is here as a whole.
export function wholeTable(table: Table, options: GridOptions): HTMLElement {
  return tableView(
    {
      ...cut(table, NONE),
      query: NONE,
      fetch: (query) => Promise.resolve(cut(table, query)),
    },
    options,
  );
}
