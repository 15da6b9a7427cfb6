// The visible part of the timeline: the range of time, and the scroll position.
// Views have a history, and the fragment of the page's address has the view.

export interface ViewState {
  from: number; // ticks
  to: number;
  y: number; // pixels
}

const MAX_HISTORY = 200;
// A pixel is never less than a thousandth of a tick.
const LEAST_SPAN = 4;

export class View {
  from: number;
  to: number;
  y = 0;
  private past: ViewState[] = [];
  private future: ViewState[] = [];
  private settled: ViewState;

  constructor(readonly span: number) {
    this.from = 0;
    this.to = Math.max(span, LEAST_SPAN);
    this.settled = this.state();
  }

  state(): ViewState {
    return { from: this.from, to: this.to, y: this.y };
  }

  // Limits both ends to the range of the profile, with a margin.
  set(from: number, to: number) {
    const margin = Math.max(this.span * 0.02, LEAST_SPAN);
    let size = Math.max(to - from, LEAST_SPAN);
    const most = Math.max(this.span, LEAST_SPAN) + 2 * margin;
    if (size > most) {
      from = -margin;
      size = most;
    }
    const first = -margin;
    const last = Math.max(this.span, LEAST_SPAN) + margin;
    if (from < first) from = first;
    if (from + size > last) from = last - size;
    this.from = from;
    this.to = from + size;
  }

  pan(ticks: number) {
    this.set(this.from + ticks, this.to + ticks);
  }

  // A `factor` below 1 shows less; the time `at` keeps its position.
  zoom(factor: number, at: number) {
    this.set(at - (at - this.from) * factor, at + (this.to - at) * factor);
  }

  // A movement has ended: the view before it can be restored.
  settle() {
    const now = this.state();
    const before = this.settled;
    if (before.from === now.from && before.to === now.to) {
      this.settled = now;
      return;
    }
    this.past.push(before);
    if (this.past.length > MAX_HISTORY) this.past.shift();
    this.future = [];
    this.settled = now;
  }
  get canUndo() {
    return this.past.length > 0;
  }
  get canRedo() {
    return this.future.length > 0;
  }
  undo(): boolean {
    return this.move(this.past, this.future);
  }
  redo(): boolean {
    return this.move(this.future, this.past);
  }
  private move(out: ViewState[], into: ViewState[]): boolean {
    const state = out.pop();
    if (!state) return false;
    into.push(this.state());
    Object.assign(this, state);
    this.settled = this.state();
    return true;
  }
}

// The state in the fragment of an address.
export interface Link {
  from?: number;
  to?: number;
  y?: number;
  event?: number;
  range?: [number, number];
  // Keys of lanes and counters as formatKeys() writes them; those of the range
  // are lanes alone.
  rangeLanes?: string;
  pinned?: string;
  hidden?: string;
  closed?: string;
  laneFilter?: string;
  names?: number; // the width of the column of names, in pixels
  query?: string;
  subject?: string; // a step, an operation, a node or a device
  rule?: string; // of the finding about the subject
  color?: string;
  tab?: string;
}

function numberOf(text: string | null): number | undefined {
  if (text === null || text === "") return undefined;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}

export function parseLink(fragment: string): Link {
  const fields = new URLSearchParams(fragment.replace(/^#/, ""));
  const link: Link = {};
  const pair = (key: string): [number, number] | undefined => {
    const parts = (fields.get(key) ?? "").split("..").map(numberOf);
    const [a, b] = parts;
    return parts.length === 2 && a !== undefined && b !== undefined && b > a
      ? [a, b]
      : undefined;
  };
  const time = pair("t");
  if (time) [link.from, link.to] = time;
  link.range = pair("r");
  link.y = numberOf(fields.get("y"));
  link.event = numberOf(fields.get("e"));
  const text = (key: string) => fields.get(key) ?? undefined;
  link.rangeLanes = text("in");
  link.pinned = text("pin");
  link.hidden = text("hide");
  link.closed = text("closed");
  link.laneFilter = text("lanes");
  link.names = numberOf(fields.get("names"));
  link.query = text("q");
  link.subject = text("s");
  link.rule = text("f");
  link.color = text("c");
  link.tab = text("p");
  return link;
}

export function formatLink(link: Link): string {
  const parts: string[] = [];
  const add = (key: string, value: string | number | undefined) => {
    if (value === undefined || value === "") return;
    parts.push(`${key}=${encodeURIComponent(String(value))}`);
  };
  const round = (value: number) => Math.round(value * 1000) / 1000;
  if (link.from !== undefined && link.to !== undefined) {
    add("t", `${round(link.from)}..${round(link.to)}`);
  }
  if (link.y) add("y", Math.round(link.y));
  add("e", link.event);
  if (link.range) add("r", `${round(link.range[0])}..${round(link.range[1])}`);
  if (link.range) add("in", link.rangeLanes);
  add("pin", link.pinned);
  add("hide", link.hidden);
  // All may be open.
  if (link.closed !== undefined) parts.push(`closed=${link.closed}`);
  add("lanes", link.laneFilter);
  add("names", link.names);
  add("q", link.query);
  add("c", link.color);
  add("p", link.tab);
  return "#" + parts.join("&");
}
