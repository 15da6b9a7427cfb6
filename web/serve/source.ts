// A file of source with the time of its lines in the margin, or the list of the
// files.

import { el, scroller } from "../shared/dom";
import { micros, showable } from "../shared/format";
import { Row } from "./client";
import { noteList } from "./notes";
import { link, number, Page, stepNote } from "./page";

const MOST_FILES = 200;

export interface SourceFile {
  name: string;
  total: number;
  line: number; // with the most time of its own
  self: number;
}

// "train.py:26:dense (gradient)" is line 26 of train.py.
export function frameOf(
  name: string,
): { file: string; line: number } | undefined {
  const match = /^(.+):(\d+):/.exec(name);
  return match ? { file: match[1], line: Number(match[2]) } : undefined;
}

// The files of a code view: the time below each, and its heaviest line.
export function filesOf(rows: Row[]): SourceFile[] {
  const files = new Map<string, SourceFile>();
  for (const row of rows) {
    const frame = frameOf(String(row.name));
    if (!frame) continue;
    const file = files.get(frame.file) ?? {
      name: frame.file,
      total: 0,
      line: frame.line,
      self: -1,
    };
    const total = number(row.total_micros);
    const self = number(row.self_micros);
    file.total = Math.max(file.total, total);
    if (self > file.self) {
      file.self = self;
      file.line = frame.line;
    }
    files.set(frame.file, file);
  }
  return [...files.values()].sort((a, b) => b.total - a.total);
}

const FILE_HEADINGS = {
  file: "A file with lines that made operations.",
  time: "The operations that its lines or what they called made.",
  "heaviest line": "The line of the file with the most time.",
};

async function drawFiles(page: Page) {
  const { answer } = await page.ask("code", {
    order_by: "micros",
    max_depth: "1000",
    count: "10000",
  });
  const files = filesOf(answer.rows ?? []);
  if (files.length === 0) {
    page.put(
      el("p", {
        class: "note",
        text: `No lines of source were recorded. ${page.view.empty}`,
      }),
    );
    return;
  }
  page.put(
    el(
      "table",
      { label: "Files" },
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          ...Object.entries(FILE_HEADINGS).map(([text, help], i) =>
            el("th", {
              text,
              title: help,
              class: i === 1 ? "right" : "",
              attributes: { scope: "col" },
            }),
          ),
        ),
      ),
      el(
        "tbody",
        {},
        ...files.slice(0, MOST_FILES).map((file) =>
          el(
            "tr",
            {},
            el(
              "td",
              { class: "text" },
              link(
                showable(file.name),
                page.address("source", { argument: file.name }),
              ),
            ),
            el("td", { class: "right", text: micros(file.total) }),
            el(
              "td",
              {},
              link(
                `line ${file.line}`,
                page.address("source", {
                  argument: `${file.name}:${file.line}`,
                }),
              ),
            ),
          ),
        ),
      ),
    ),
  );
  if (files.length > MOST_FILES)
    page.put(
      el("p", {
        class: "faint",
        text: `and ${files.length - MOST_FILES} more files with less time`,
      }),
    );
}

export async function drawSource(page: Page) {
  const wanted = page.params.get("argument") ?? "";
  page.put(stepNote(page));
  if (wanted === "") {
    await drawFiles(page);
    return;
  }
  const chosen = Number(/:(\d+)$/.exec(wanted)?.[1] ?? 0);
  // The whole file, not only the lines around one.
  const { answer, notes } = await page.ask("list", {
    argument: wanted.replace(/:\d+$/, ""),
    count: "10000",
  });
  const rows = answer.rows ?? [];
  const most = Math.max(...rows.map((r) => number(r.self_micros)), 1);
  const hasText = rows.some((r) => r.source !== null);
  page.put(
    el(
      "p",
      { class: "row" },
      el("strong", { text: showable(String(answer.facts.file ?? wanted)) }),
      link("All files", page.address("source", { argument: "" })),
    ),
    ...noteList(notes),
  );
  if (!hasText)
    page.put(
      el("p", {
        class: "note",
        text:
          "The text of the file is not shown: the server reads source only " +
          "below the folders that it was started with, tfprof serve " +
          "-source_path DIR.",
      }),
    );
  const body = el("tbody");
  for (const row of rows) {
    const line = number(row.line);
    const self = number(row.self_micros);
    const total = number(row.total_micros);
    const isChosen = line === chosen;
    const bar = el("i");
    bar.style.width = `${(100 * self) / most}%`;
    const made = el(
      "tr",
      { class: isChosen ? "chosen" : "" },
      el("td", { class: "right", text: self > 0 ? micros(self) : "" }),
      el("td", { class: "right", text: total > 0 ? micros(total) : "" }),
      el("td", {}, self > 0 && el("span", { class: "bar" }, bar)),
      el("td", { class: "right faint", text: String(line) }),
      el("td", {
        class: "mono code",
        text: row.source === null ? "" : showable(String(row.source)),
      }),
    );
    if (isChosen) {
      made.setAttribute("aria-current", "true");
      requestAnimationFrame(() => made.scrollIntoView({ block: "center" }));
    }
    body.append(made);
  }
  page.put(
    scroller(
      `Lines of ${showable(wanted)}`,
      el(
        "table",
        { class: "listing", label: `Lines of ${showable(wanted)}` },
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            ...(
              [
                ["self", "The operations that this line made."],
                [
                  "total",
                  "The operations that this line or what it called made.",
                ],
                ["", ""],
                ["line", ""],
                ["source", ""],
              ] as const
            ).map(([text, help]) =>
              el("th", {
                text,
                title: help,
                class: text === "source" ? "" : "right",
                attributes: { scope: "col" },
              }),
            ),
          ),
        ),
        body,
      ),
    ),
  );
}
