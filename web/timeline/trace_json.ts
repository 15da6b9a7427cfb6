// Events as a trace in Chrome's JSON, which Perfetto, chrome://tracing and tfprof
// open.
//
// A device is a process of the trace, a lane a thread of it. Perfetto wants the
// events of a thread to nest, so a lane whose events overlap otherwise becomes
// several threads. Steps, counters, and links between events are written, too.

import { showable } from "../shared/format";
import { eventsOfLane, Extent } from "./extent";
import { levelOf } from "./levels";
import { Model } from "./model";
import { Range } from "./sums";

const PIECE = 1 << 20; // characters

// Sorts events into tracks in which each pair of events is disjoint, or one is
// inside the other. An event goes into the first track that can have it.
export class Tracks {
  private readonly open: number[][] = []; // by track, the ends of open events

  // Events must come in order of start, longer ones first.
  place(start: number, end: number): number {
    for (let t = 0; ; ++t) {
      const ends = (this.open[t] ??= []);
      while (ends.length > 0 && ends[ends.length - 1] <= start) ends.pop();
      if (ends.length > 0 && ends[ends.length - 1] < end) continue;
      ends.push(end);
      return t;
    }
  }
}

function fieldsOf(model: Model, e: number): Record<string, string | number> {
  const { data } = model;
  const fields: Record<string, string | number> = {};
  const set = (name: string, text: string) => {
    if (text !== "") fields[name] = text;
  };
  const name = model.nameOf(e);
  if (model.opOf(e) !== name) set("type", model.opOf(e));
  if (model.nodeOf(e) !== name) set("node", model.nodeOf(e));
  set("scope", model.pathOf(data.entryScope[data.entry[e]]));
  if (data.step[e] >= 0) fields.step = data.head.stepNumbers[data.step[e]];
  for (const [key, value] of data.details[data.detail[e]] ?? []) {
    set(model.text(key), model.text(value));
  }
  return fields;
}

const KINDS_OF_LINKS = ["launch", "transfer", "gradient", "data"];

// Names a process or a thread of the trace.
function naming(what: string, pid: number, tid: number, name: string) {
  return { ph: "M", name: what, pid, tid, args: { name } };
}

function* recordsOf(model: Model, extent: Extent): Generator<object> {
  const { data, perMicro } = model;
  const { range } = extent;
  const micros = (ticks: number) => ticks / perMicro;
  const linked = new Set([...data.linkFrom, ...data.linkTo]);
  const placed = new Map<number, [number, number]>(); // pid and tid of an event
  const named = new Set<number>();
  let threads = 0;
  for (const { index, lane } of model.lanes) {
    const events = eventsOfLane(model, extent, index);
    if (events.length === 0) continue;
    const pid = lane.device + 1;
    if (!named.has(pid)) {
      yield naming("process_name", pid, 0, model.deviceName(lane.device));
      named.add(pid);
    }
    const tracks = new Tracks();
    const tids: number[] = [];
    for (const e of events) {
      const track = tracks.place(data.start[e], model.end(e));
      if (track === tids.length) {
        const tid = ++threads;
        tids.push(tid);
        const more = track > 0 ? ` (${track + 1})` : "";
        yield naming("thread_name", pid, tid, model.laneName(index) + more);
        const args = { sort_index: tid };
        yield { ph: "M", name: "thread_sort_index", pid, tid, args };
      }
      const tid = tids[track];
      if (linked.has(e)) placed.set(e, [pid, tid]);
      yield {
        ph: "X",
        name: model.nameOf(e),
        cat: lane.kind,
        pid,
        tid,
        ts: micros(data.start[e]),
        dur: micros(data.duration[e]),
        args: fieldsOf(model, e),
      };
    }
  }
  for (let i = 0; i < data.linkFrom.length; ++i) {
    const from = placed.get(data.linkFrom[i]);
    const to = placed.get(data.linkTo[i]);
    if (!from || !to) continue; // an end of the arrow is not in the file
    const name = KINDS_OF_LINKS[data.linkKind[i]] ?? "link";
    for (const [ph, [pid, tid], event] of [
      ["s", from, data.linkFrom[i]],
      ["f", to, data.linkTo[i]],
    ] as const) {
      const ts = micros(data.start[event]);
      yield { ph, bp: "e", name, cat: "link", id: i + 1, pid, tid, ts };
    }
  }
  yield* stepRecords(model, range);
  if (!range?.lanes) yield* counterRecords(model, range);
}

// Steps are a process of their own.
function* stepRecords(model: Model, range?: Range): Generator<object> {
  const { steps, head } = model.data;
  const pid = head.devices.length + 1;
  const shown = steps.filter(
    (s) => !range || (s.start < range.to && s.end > range.from),
  );
  if (shown.length > 0) yield naming("process_name", pid, 0, "steps");
  const named = new Set<number>();
  for (const { number, process, start, end } of shown) {
    const tid = process + 2; // -1: of all processes
    if (!named.has(tid)) {
      const of = process < 0 ? "all" : showable(head.processes[process]);
      yield naming("thread_name", pid, tid, of);
      named.add(tid);
    }
    const ts = start / model.perMicro;
    const dur = (end - start) / model.perMicro;
    yield { ph: "X", name: `step ${number}`, cat: "step", pid, tid, ts, dur };
  }
}

function* counterRecords(model: Model, range?: Range): Generator<object> {
  const { head } = model.data;
  for (let c = 0; c < head.counters.length; ++c) {
    const counter = head.counters[c];
    const device =
      counter.device >= 0
        ? counter.device
        : head.devices.findIndex((d) => d.process === counter.process);
    const { time, value } = levelOf(model, c);
    for (let i = 0; i < time.length; ++i) {
      if (range && time[i] >= range.to) break;
      // The last sample before the range has the value at its start.
      const before = range !== undefined && time[i] < range.from;
      if (before && i + 1 < time.length && time[i + 1] <= range.from) continue;
      yield {
        ph: "C",
        name: showable(counter.name) || "counter",
        pid: device + 1,
        tid: 0,
        ts: (before ? range.from : time[i]) / model.perMicro,
        args: { [counter.unit || "value"]: value[i] },
      };
    }
  }
}

// The file in pieces. Times are microseconds from the first event of the page.
export function* traceJsonOf(model: Model, extent: Extent): Generator<string> {
  const { origin, title } = model.data.head;
  let piece = '{"displayTimeUnit":"ns","traceEvents":[';
  let separator = "\n";
  for (const record of recordsOf(model, extent)) {
    piece += separator + JSON.stringify(record);
    separator = ",\n";
    if (piece.length < PIECE) continue;
    yield piece;
    piece = "";
  }
  const about = { origin, page: showable(title), events: extent.name };
  yield `${piece}\n],"otherData":${JSON.stringify(about)}}\n`;
}
