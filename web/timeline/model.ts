// The model of the page: the data, the lanes as rows, and the chosen events.
//
// An event is a number; events are sorted by lane, then start. Texts are made
// showable when they are read.

import { showable } from "../shared/format";
import { Data, Kind, Lane } from "./decode";
import { packRows, Row, summarize } from "./rows";

export interface LaneRows {
  lane: Lane;
  index: number;
  first: number; // event
  last: number; // one past the last event
  rows: Row[];
}

const LAUNCH = 0; // the kind of a link from a launch to its work

export const KINDS: Kind[] = [
  "compute",
  "communication",
  "copy",
  "launch",
  "annotation",
  "other",
];

export class Model {
  readonly lanes: LaneRows[] = [];
  readonly laneOf: Uint32Array; // by event
  readonly rowOf: Uint32Array;
  readonly perMicro: number;
  readonly size: number;
  chosen: Uint8Array | undefined; // by event; undefined: all are
  numChosen: number;
  private readonly shown: Array<string | undefined>;
  private byEntry: Uint32Array | undefined;
  private entryFirst: Uint32Array | undefined;
  private entryOfNode: Map<number, number[]> | undefined;
  private readonly transferOf = new Map<number, number>();
  private linksTo: Uint32Array | undefined;
  private nodeIds: Map<string, number> | undefined;
  private parents: Int32Array | undefined;
  private self: Float64Array | undefined;
  private childFirst: Uint32Array | undefined;
  private childList: Uint32Array | undefined;

  constructor(readonly data: Data) {
    const { head } = data;
    this.size = data.start.length;
    this.numChosen = this.size;
    this.perMicro = head.ticksPerMicro;
    this.laneOf = new Uint32Array(this.size);
    this.rowOf = new Uint32Array(this.size);
    this.shown = new Array(data.strings.length);
    let first = 0;
    head.lanes.forEach((lane, index) => {
      const last = first + lane.events;
      this.laneOf.fill(index, first, last);
      const rows = packRows(data.start, data.duration, first, last, this.rowOf);
      this.lanes.push({ lane, index, first, last, rows });
      first = last;
    });
    data.transfers.forEach((t, i) => this.transferOf.set(t.event, i));
    this.summarize();
  }

  // ---- texts

  text(id: number): string {
    if (id < 0 || id >= this.shown.length) return "";
    return (this.shown[id] ??= showable(this.data.strings[id]));
  }
  nameOf(event: number): string {
    return this.text(this.data.entryName[this.data.entry[event]]);
  }
  opOf(event: number): string {
    return this.text(this.data.entryOp[this.data.entry[event]]);
  }
  nodeOf(event: number): string {
    return this.text(this.data.entryNode[this.data.entry[event]]);
  }
  // The text of a bar. The tensor distinguishes transfers with the same name.
  labelOf(event: number): string {
    const name = this.nameOf(event);
    const op = this.opOf(event);
    const moved = this.transfer(event);
    if (moved && moved.tensor >= 0) return `${name} ${this.text(moved.tensor)}`;
    if (op === "" || op === name || name.includes(op)) return name;
    return `${op} · ${name}`;
  }
  pathOf(scope: number): string {
    const { scopes } = this.data;
    const parts: string[] = [];
    for (; scope > 0; scope = scopes.parent[scope]) {
      parts.push(this.text(scopes.name[scope]));
    }
    return parts.reverse().join("/");
  }
  laneName(index: number): string {
    return showable(this.data.head.lanes[index].name);
  }
  deviceName(index: number): string {
    const device = this.data.head.devices[index];
    const process = showable(this.data.head.processes[device.process]);
    const label = showable(device.label);
    return this.data.head.processes.length > 1 ? `${process} ${label}` : label;
  }
  stepName(index: number): string {
    return index < 0 ? "no step" : `step ${this.data.head.stepNumbers[index]}`;
  }

  // ---- relations

  laneHead(event: number): Lane {
    return this.data.head.lanes[this.laneOf[event]];
  }
  end(event: number): number {
    return this.data.start[event] + this.data.duration[event];
  }
  transfer(event: number) {
    const index = this.transferOf.get(event);
    return index === undefined ? undefined : this.data.transfers[index];
  }
  stack(event: number): string[] {
    const { stacks } = this.data;
    const frames: string[] = [];
    for (
      let s = this.data.entryStack[this.data.entry[event]];
      s > 0;
      s = stacks.parent[s]
    ) {
      frames.push(this.frame(s));
    }
    return frames;
  }
  frame(stack: number): string {
    const { stacks } = this.data;
    const file = this.text(stacks.file[stack]);
    const line = stacks.line[stack] > 0 ? `:${stacks.line[stack]}` : "";
    return `${this.text(stacks.name[stack])} ${file}${line}`.trim();
  }
  // For each event, the event of the same thread that contains it; -1: none.
  // Only events of counted lanes have a parent, or are one.
  get parent(): Int32Array {
    if (this.parents) return this.parents;
    const parents = new Int32Array(this.size).fill(-1);
    this.parents = parents;
    if (!this.data.head.nested) return parents;
    const threads = new Map<number, LaneRows[]>();
    this.lanes.forEach((lane, i) => {
      if (!lane.lane.counted) return;
      const key = lane.lane.thread >= 0 ? lane.lane.thread : -1 - i;
      const known = threads.get(key);
      if (known) known.push(lane);
      else threads.set(key, [lane]);
    });
    for (const lanes of threads.values()) this.nest(lanes, parents);
    return parents;
  }
  private nest(lanes: LaneRows[], parents: Int32Array) {
    const { start, duration } = this.data;
    const size = lanes.reduce((sum, l) => sum + l.last - l.first, 0);
    // Each lane is sorted, so the next event is the first of some lane.
    const next = lanes.map((l) => l.first);
    const open = new Uint32Array(size);
    let depth = 0;
    for (let i = 0; i < size; ++i) {
      let best = -1;
      for (let l = 0; l < lanes.length; ++l) {
        const e = next[l];
        if (e === lanes[l].last) continue;
        const of = best < 0 ? -1 : next[best];
        if (
          best < 0 ||
          start[e] < start[of] ||
          (start[e] === start[of] && duration[e] > duration[of])
        ) {
          best = l;
        }
      }
      const e = next[best]++;
      while (depth > 0 && this.end(open[depth - 1]) <= start[e]) --depth;
      // An event that only overlaps another is not inside it.
      if (depth > 0 && this.end(open[depth - 1]) >= this.end(e)) {
        parents[e] = open[depth - 1];
      }
      open[depth++] = e;
    }
  }
  // The events directly inside an event, by start.
  childrenOf(event: number): Uint32Array {
    if (!this.childList || !this.childFirst) {
      const { parent } = this;
      const first = new Uint32Array(this.size + 1);
      for (const p of parent) if (p >= 0) ++first[p + 1];
      for (let i = 1; i < first.length; ++i) first[i] += first[i - 1];
      const next = first.slice();
      const list = new Uint32Array(first[this.size]);
      parent.forEach((p, e) => {
        if (p >= 0) list[next[p]++] = e;
      });
      const { start } = this.data;
      for (let i = 0; i < this.size; ++i) {
        if (first[i + 1] - first[i] < 2) continue;
        list
          .subarray(first[i], first[i + 1])
          .sort((a, b) => start[a] - start[b] || a - b);
      }
      this.childList = list;
      this.childFirst = first;
    }
    return this.childList.subarray(
      this.childFirst[event],
      this.childFirst[event + 1],
    );
  }
  // The duration of an event without the events inside of it.
  selfOf(event: number): number {
    if (!this.self) {
      const { parent } = this;
      const { duration } = this.data;
      const self = duration.slice();
      parent.forEach((p, e) => {
        if (p >= 0) self[p] -= duration[e];
      });
      this.self = self;
    }
    return this.self[event];
  }
  // The work that calls inside an event have launched: [call, work] of recorded
  // links, at most `most`. An event with very many calls is not searched whole.
  launchedBy(event: number, most: number): Array<[number, number]> {
    const MOST_SEARCHED = 20000;
    const found: Array<[number, number]> = [];
    const rest = [event];
    for (let n = 0; rest.length > 0 && n < MOST_SEARCHED; ++n) {
      const call = rest.pop() as number;
      for (const link of this.linksOf(call)) {
        if (!link.out || link.kind !== LAUNCH) continue;
        if (found.length === most) return found;
        found.push([call, link.event]);
      }
      const children = this.childrenOf(call);
      for (let i = children.length; i-- > 0; ) rest.push(children[i]);
    }
    return found;
  }
  // The events of an entry, sorted by start.
  eventsOf(entry: number): Uint32Array {
    if (!this.byEntry || !this.entryFirst) {
      const { entry: entries, start } = this.data;
      const first = new Uint32Array(this.data.entryName.length + 1);
      for (let e = 0; e < this.size; ++e) ++first[entries[e] + 1];
      for (let i = 1; i < first.length; ++i) first[i] += first[i - 1];
      const next = first.slice();
      const list = new Uint32Array(this.size);
      for (let e = 0; e < this.size; ++e) list[next[entries[e]]++] = e;
      for (let i = 0; i + 1 < first.length; ++i) {
        list
          .subarray(first[i], first[i + 1])
          .sort((a, b) => start[a] - start[b] || a - b);
      }
      this.byEntry = list;
      this.entryFirst = first;
    }
    return this.byEntry.subarray(
      this.entryFirst[entry],
      this.entryFirst[entry + 1],
    );
  }
  // The events that are linked from or to `event`.
  linksOf(event: number): Array<{ event: number; kind: number; out: boolean }> {
    const { linkFrom, linkTo, linkKind } = this.data;
    const found: Array<{ event: number; kind: number; out: boolean }> = [];
    let low = 0;
    let high = linkFrom.length;
    while (low < high) {
      const mid = (low + high) >> 1;
      if (linkFrom[mid] < event) low = mid + 1;
      else high = mid;
    }
    for (; low < linkFrom.length && linkFrom[low] === event; ++low) {
      found.push({ event: linkTo[low], kind: linkKind[low], out: true });
    }
    if (!this.linksTo) {
      this.linksTo = new Uint32Array(linkTo.length);
      for (let i = 0; i < linkTo.length; ++i) this.linksTo[i] = i;
      this.linksTo.sort((a, b) => linkTo[a] - linkTo[b]);
    }
    low = 0;
    high = linkTo.length;
    while (low < high) {
      const mid = (low + high) >> 1;
      if (linkTo[this.linksTo[mid]] < event) low = mid + 1;
      else high = mid;
    }
    for (; low < linkTo.length && linkTo[this.linksTo[low]] === event; ++low) {
      const link = this.linksTo[low];
      found.push({ event: linkFrom[link], kind: linkKind[link], out: false });
    }
    return found;
  }
  // The entries of each node, by name.
  private entriesOfNode(node: number): number[] {
    if (!this.entryOfNode) {
      this.entryOfNode = new Map();
      this.data.entryNode.forEach((of, entry) => {
        if (of < 0) return;
        const known = this.entryOfNode?.get(of);
        if (known) known.push(entry);
        else this.entryOfNode?.set(of, [entry]);
      });
    }
    return this.entryOfNode.get(node) ?? [];
  }
  // The nearest execution of `node` before `event` in the same step (after it,
  // if `after`); -1 if there is none.
  nearest(node: number, event: number, after: boolean): number {
    const { start, step } = this.data;
    let best = -1;
    for (const entry of this.entriesOfNode(node)) {
      for (const e of this.eventsOf(entry)) {
        if (e === event || step[e] !== step[event]) continue;
        if (after ? start[e] < start[event] : start[e] > start[event]) continue;
        if (
          best < 0 ||
          (after ? start[e] < start[best] : start[e] >= start[best])
        ) {
          best = e;
        }
      }
    }
    return best;
  }
  inputsOf(event: number): number[] {
    const entry = this.data.entry[event];
    return Array.from(
      this.data.inputs.subarray(
        this.data.inputFirst[entry],
        this.data.inputFirst[entry + 1],
      ),
    );
  }
  // The nodes that read the output of the node of `event`, as entries.
  readersOf(event: number): number[] {
    const moved = this.tensorNode(event);
    const node =
      moved >= 0 ? moved : this.data.entryNode[this.data.entry[event]];
    if (node < 0) return [];
    const readers: number[] = [];
    const seen = new Set<number>();
    for (let entry = 0; entry + 1 < this.data.inputFirst.length; ++entry) {
      for (
        let i = this.data.inputFirst[entry];
        i < this.data.inputFirst[entry + 1];
        ++i
      ) {
        if (this.data.inputs[i] !== node) continue;
        const reader = this.data.entryNode[entry];
        if (!seen.has(reader)) readers.push(reader);
        seen.add(reader);
        break;
      }
    }
    return readers;
  }

  // The node of the tensor "edge_8_NODE" or "NODE:0" that an event moves; -1 if
  // there is none.
  private tensorNode(event: number): number {
    const moved = this.transfer(event);
    if (!moved || moved.tensor < 0) return -1;
    if (!this.nodeIds) {
      this.nodeIds = new Map();
      for (const node of this.data.entryNode) {
        if (node >= 0) this.nodeIds.set(this.data.strings[node], node);
      }
    }
    const name = this.data.strings[moved.tensor]
      .replace(/^edge_\d+_/, "")
      .replace(/:\d+$/, "");
    return this.nodeIds.get(name) ?? -1;
  }
  // The execution that made the tensor that `event` moves: the last one of its
  // node that ended in the same step before `event` did. -1 if it is not on the
  // page.
  producerOf(event: number): number {
    const node = this.tensorNode(event);
    let best = -1;
    if (node < 0) return best;
    for (const entry of this.entriesOfNode(node)) {
      for (const e of this.eventsOf(entry)) {
        if (this.data.step[e] !== this.data.step[event]) continue;
        if (this.end(e) > this.end(event)) continue;
        if (best < 0 || this.end(e) > this.end(best)) best = e;
      }
    }
    return best;
  }

  // ---- the chosen events

  choose(chosen: Uint8Array | undefined) {
    this.chosen = chosen;
    this.numChosen = this.size;
    if (chosen) {
      this.numChosen = 0;
      for (let e = 0; e < chosen.length; ++e) this.numChosen += chosen[e];
    }
    this.summarize();
  }
  private summarize() {
    for (const { rows } of this.lanes) {
      for (const row of rows) summarize(row, this.data.duration, this.chosen);
    }
  }
}
