// The table of traces: open, compare, name, pin, delete.

import { button, el } from "../../shared/dom";
import { bytes, count, showable } from "../../shared/format";
import { delta, duration, runName } from "./figures";
import { Run, runKey, Trace } from "./store";

const SHOWN = 200;

export interface TraceActions {
  mark: (trace: string, change: object) => void;
  remove: (trace: string) => void;
  compare: (trace: string, base: string) => void;
  // Opens a page about all traces.
  together: (page: string) => void;
}

const profileOf = (trace: Trace) => `traces/${trace.file}`;

export class TraceTable {
  readonly element = el("div");
  private chosen: string[] = [];
  private drawn = "";
  private all = false;

  constructor(private readonly actions: TraceActions) {}

  draw(
    traces: Trace[],
    rows: Map<string, Run>,
    client: string,
    frozen: boolean,
  ) {
    const list = traces
      .filter((t) => client === "" || t.client === client)
      .sort((a, b) => b.start_ns - a.start_ns);
    // A running run changes the medians; the table need not follow each change.
    const what = JSON.stringify([list, client, frozen, this.chosen, this.all]);
    if (what === this.drawn || this.element.querySelector("input:focus"))
      return;
    this.drawn = what;
    this.chosen = this.chosen.filter((id) => list.some((t) => t.id === id));
    const again = () => {
      this.drawn = "";
      this.draw(traces, rows, client, frozen);
    };
    const compare = button(
      "Compare two",
      () => {
        const [a, b] = this.chosen.map((id) => list.find((t) => t.id === id));
        if (!a || !b) return;
        const [older, newer] = a.start_ns < b.start_ns ? [a, b] : [b, a];
        this.actions.compare(profileOf(newer), profileOf(older));
      },
      "The newer one against the older one",
    );
    compare.disabled = this.chosen.length !== 2;
    const head = [
      "",
      "Trace",
      "Run",
      "Count",
      "Step",
      "Took",
      "to median",
      "Rank",
      "Asked by",
      "Size",
      "",
    ];
    // The page says above how to get one.
    if (list.length === 0) {
      this.element.replaceChildren();
      return;
    }
    const shown = this.all ? list : list.slice(0, SHOWN);
    const lines = shown.map((trace) => this.line(trace, rows, frozen, again));
    const more = list.length - shown.length;
    this.element.replaceChildren(
      el(
        "div",
        { class: "row" },
        compare,
        button(
          "All as steps",
          () => this.actions.together("steps"),
          "Every trace is a step of one profile",
        ),
        button(
          "Mean and variance",
          () => this.actions.together("average"),
          "The times of each operation over all traces",
        ),
        button(
          "Ranks",
          () => this.actions.together("ranks"),
          "Which rank the others wait for",
        ),
        el("span", { class: "faint", text: "newest first" }),
      ),
      el(
        "div",
        { class: "scroll" },
        el(
          "table",
          { label: "Traces" },
          el(
            "thead",
            {},
            el(
              "tr",
              {},
              ...head.map((text) =>
                el("th", { text, attributes: { scope: "col" } }),
              ),
            ),
          ),
          el("tbody", {}, ...lines),
        ),
      ),
    );
    if (more > 0) {
      this.element.append(
        button(`Show ${count(more)} more`, () => {
          this.all = true;
          again();
        }),
      );
    }
  }

  private line(
    trace: Trace,
    rows: Map<string, Run>,
    frozen: boolean,
    again: () => void,
  ): HTMLElement {
    const run = rows.get(runKey(trace.client, trace.row));
    const box = el("input", {
      label: `compare ${trace.id}`,
      attributes: { type: "checkbox" },
    });
    box.checked = this.chosen.includes(trace.id);
    box.addEventListener("change", () => {
      this.chosen = this.chosen.filter((id) => id !== trace.id);
      if (box.checked) this.chosen = [...this.chosen.slice(-1), trace.id];
      again();
    });
    const query = new URLSearchParams({ profile: profileOf(trace) });
    const open = el("a", {
      text: trace.name === "" ? trace.id : showable(trace.name),
      title: "Its contents, and where the time goes",
      attributes: { href: `/overview?${query}` },
    });
    const timeline = el("a", {
      text: "timeline",
      attributes: { href: `/timeline?${query}`, "data-leaves": "true" },
    });
    const pin = button(
      trace.pinned ? "Unpin" : "Pin",
      () => this.actions.mark(trace.id, { pinned: !trace.pinned }),
      "Pinned traces are not deleted for newer ones",
    );
    const rename = button("Name", () => {
      const field = el("input", {
        label: "The name of the trace",
        attributes: { type: "text" },
      });
      field.value = trace.name;
      field.addEventListener("keydown", (event) => {
        if (event.key === "Enter") {
          const name = field.value;
          field.blur();
          this.actions.mark(trace.id, { name });
        } else if (event.key === "Escape") {
          field.blur();
        }
      });
      field.addEventListener("blur", again);
      open.replaceWith(field);
      field.focus();
    });
    const remove = button("Delete", () => this.actions.remove(trace.id));
    remove.disabled = frozen || trace.pinned;
    pin.disabled = rename.disabled = frozen;
    const right = (text: string) => el("td", { class: "right", text });
    const row = el(
      "tr",
      { class: trace.pinned ? "pinned" : "" },
      el("td", {}, box),
      el("td", {}, open, " ", timeline),
      el("td", {
        class: "text",
        text: runName(trace.fetches),
        title: showable(trace.fetches),
      }),
      right(count(trace.count)),
      right(trace.step === null ? "–" : count(trace.step)),
      right(duration(trace.duration_ns)),
      right(delta(trace, run)),
      right(trace.rank === null ? "–" : String(trace.rank)),
      el("td", { text: trace.asked_by }),
      right(bytes(trace.bytes)),
      el(
        "td",
        {},
        el(
          "span",
          { class: "actions" },
          pin,
          rename,
          remove,
          el("a", {
            text: "file",
            title: "The record as it was received",
            attributes: {
              href: `/api/traces/${trace.id}/file`,
              "data-leaves": "true",
              download: "",
            },
          }),
        ),
      ),
    );
    row.dataset.trace = trace.id;
    return row;
  }
}
