// Sums of events: of all, or within a range of time.
//
// A sum adds durations; a union is the time in which at least one of them ran.
// Both leave out events of lanes that repeat others. In a range, only the part
// of an event inside the range counts.

import { Figures } from "./decode";
import { intersect, Intervals, length, merge } from "./intervals";
import { Model } from "./model";
import { firstAfter } from "./rows";

export interface Range {
  from: number;
  to: number;
  lanes?: ReadonlySet<number>; // without it, all lanes
}

export interface Total {
  key: number;
  count: number;
  time: number; // sum
  self: number; // the sum without nested events
  least: number;
  most: number;
  longest: number; // the event
}

// Calls `visit` for each event of counted lanes in the range, with its part.
export function visitRange(
  model: Model,
  range: Range | undefined,
  visit: (event: number, start: number, end: number) => void,
  lanes: (lane: number) => boolean = (l) =>
    model.lanes[l].lane.counted && (range?.lanes?.has(l) ?? true),
) {
  const { start, duration } = model.data;
  const source = { start, duration, chosen: undefined };
  for (const lane of model.lanes) {
    if (!lanes(lane.index)) continue;
    for (const row of lane.rows) {
      if (!range) {
        for (const e of row.events) visit(e, start[e], start[e] + duration[e]);
        continue;
      }
      for (
        let i = firstAfter(row, source, range.from);
        i < row.events.length;
        ++i
      ) {
        const e = row.events[i];
        if (start[e] >= range.to) break;
        visit(
          e,
          Math.max(start[e], range.from),
          Math.min(start[e] + duration[e], range.to),
        );
      }
    }
  }
}

// The event that contains each event, among those of the lanes of the range. -1:
// there is none.
function containers(model: Model, range?: Range): (event: number) => number {
  const { parent, laneOf } = model;
  const lanes = range?.lanes;
  if (!lanes) return (event) => parent[event];
  return (event) => {
    let at = parent[event];
    while (at >= 0 && !lanes.has(laneOf[at])) at = parent[at];
    return at;
  };
}

// Groups events by `keyOf`, which returns -1 … size - 1, largest self time
// first; with `onlyChosen`, only the events that search and filters choose.
export function totals(
  model: Model,
  keyOf: (event: number) => number,
  size: number,
  range?: Range,
  onlyChosen = false,
): Total[] {
  const { duration } = model.data;
  const { chosen } = model;
  const containerOf = containers(model, range);
  const counts = new Float64Array(size + 1);
  const sum = new Float64Array(size + 1);
  const self = new Float64Array(size + 1);
  const least = new Float64Array(size + 1).fill(Infinity);
  const longest = new Int32Array(size + 1).fill(-1);
  visitRange(model, range, (e, from, to) => {
    const inside = containerOf(e);
    if (inside >= 0 && (!onlyChosen || !chosen || chosen[inside])) {
      self[keyOf(inside) + 1] -= to - from;
    }
    if (onlyChosen && chosen && !chosen[e]) return;
    const key = keyOf(e) + 1;
    ++counts[key];
    sum[key] += to - from;
    self[key] += to - from;
    const d = duration[e];
    if (d < least[key]) least[key] = d;
    if (longest[key] < 0 || d > duration[longest[key]]) longest[key] = e;
  });
  const groups: Total[] = [];
  for (let k = 0; k <= size; ++k) {
    if (counts[k] === 0) continue;
    groups.push({
      key: k - 1,
      count: counts[k],
      time: sum[k],
      self: self[k],
      least: least[k],
      most: duration[longest[k]],
      longest: longest[k],
    });
  }
  return groups.sort((a, b) => b.self - a.self || a.key - b.key);
}

export interface PlacedTotal extends Total {
  accelerator: boolean;
}

// The same, but work of accelerators and of hosts apart: a call and the kernel
// that it starts are not one sum. Accelerators come first.
export function placedTotals(
  model: Model,
  keyOf: (event: number) => number,
  size: number,
  range?: Range,
  onlyChosen = false,
): PlacedTotal[] {
  const { devices } = model.data.head;
  const isAccelerator = model.lanes.map(({ lane }) =>
    Number(devices[lane.device]?.accelerator ?? false),
  );
  const list = totals(
    model,
    // -1 is a key, too.
    (e) => 2 * (keyOf(e) + 1) + isAccelerator[model.laneOf[e]],
    2 * (size + 1),
    range,
    onlyChosen,
  ).map((t) => ({
    ...t,
    key: (t.key >> 1) - 1,
    accelerator: t.key % 2 === 1,
  }));
  return list.sort((a, b) => Number(b.accelerator) - Number(a.accelerator));
}

// The self time of accelerators and of hosts, for shares that are of one kind.
export function placedSums(list: PlacedTotal[]): {
  accelerator: number;
  host: number;
} {
  const of = (accelerator: boolean) =>
    list
      .filter((t) => t.accelerator === accelerator)
      .reduce((sum, t) => sum + t.self, 0);
  return { accelerator: of(true), host: of(false) };
}

// The times in which one of the lanes had an event.
function unionOf(
  model: Model,
  range: Range,
  lanes: (lane: number) => boolean,
): Intervals {
  const { start, duration } = model.data;
  let sets: Intervals[] = [];
  for (const { index, first, last } of model.lanes) {
    if (!lanes(index)) continue;
    // Events of a lane are in order of start.
    const set: number[] = [];
    let end = -Infinity;
    for (let e = first; e < last && start[e] < range.to; ++e) {
      const to = Math.min(start[e] + duration[e], range.to);
      const from = Math.max(start[e], range.from);
      if (to <= from || to <= end) continue;
      if (from <= end) set[set.length - 1] = to;
      else set.push(from, to);
      end = to;
    }
    sets.push(Float64Array.from(set));
  }
  // Merges pairs, so that many lanes take n log n.
  while (sets.length > 1) {
    const merged: Intervals[] = [];
    for (let i = 0; i < sets.length; i += 2) {
      merged.push(i + 1 < sets.length ? merge(sets[i], sets[i + 1]) : sets[i]);
    }
    sets = merged;
  }
  return sets[0] ?? new Float64Array(0);
}

// The activity of a device in a range, as unions.
export function figuresOf(model: Model, device: number, range: Range): Figures {
  const of = (kind: string) =>
    unionOf(model, range, (l) => {
      const { lane } = model.lanes[l];
      return (
        lane.counted &&
        lane.device === device &&
        lane.kind === kind &&
        (range.lanes?.has(l) ?? true)
      );
    });
  const compute = of("compute");
  const communication = of("communication");
  const copies = of("copy");
  const moving = merge(communication, copies);
  const busy = length(merge(compute, moving));
  const span = Math.max(0, range.to - range.from);
  return {
    span,
    busy,
    compute: length(compute),
    communication: length(communication),
    copies: length(copies),
    overlap: length(intersect(compute, communication)),
    exposed: length(communication) - length(intersect(communication, compute)),
    idle: span - busy,
    causes: [],
  };
}

export interface LinkSum {
  from: number; // strings; -1: not recorded
  to: number;
  count: number;
  bytes: number;
  known: number; // the number with known bytes
  time: number; // the sum for these
  allTime: number;
  events: number[];
}

// Transfers by source and destination.
export function linkSums(model: Model, range?: Range): LinkSum[] {
  const sums = new Map<string, LinkSum>();
  for (const moved of model.data.transfers) {
    const lane = model.laneHead(moved.event);
    if (!lane.counted) continue;
    if (range?.lanes && !range.lanes.has(model.laneOf[moved.event])) continue;
    const start = model.data.start[moved.event];
    if (range && (start >= range.to || model.end(moved.event) <= range.from)) {
      continue;
    }
    const key = `${moved.from} ${moved.to}`;
    let sum = sums.get(key);
    if (!sum) {
      sum = {
        from: moved.from,
        to: moved.to,
        count: 0,
        bytes: 0,
        known: 0,
        time: 0,
        allTime: 0,
        events: [],
      };
      sums.set(key, sum);
    }
    ++sum.count;
    sum.allTime += model.data.duration[moved.event];
    if (moved.bytes >= 0) {
      sum.bytes += moved.bytes;
      ++sum.known;
      sum.time += model.data.duration[moved.event];
    }
    sum.events.push(moved.event);
  }
  return [...sums.values()].sort(
    (a, b) => b.bytes - a.bytes || b.allTime - a.allTime,
  );
}

export interface ScopeNode {
  id: number; // in the tree; 0: the root
  total: number;
  self: number;
  count: number;
  children: ScopeNode[];
}

// The tree of scopes, or of call stacks, with the time of counted events.
export function treeOf(
  model: Model,
  kind: "scopes" | "stacks",
  range?: Range,
): ScopeNode {
  const { data } = model;
  const tree = data[kind];
  const of = kind === "scopes" ? data.entryScope : data.entryStack;
  const nodes = new Map<number, ScopeNode>();
  const node = (id: number): ScopeNode => {
    let known = nodes.get(id);
    if (!known) {
      known = { id, total: 0, self: 0, count: 0, children: [] };
      nodes.set(id, known);
    }
    return known;
  };
  const root = node(0);
  const { chosen } = model;
  const containerOf = containers(model, range);
  visitRange(model, range, (e, from, to) => {
    if (chosen && !chosen[e]) return;
    const at = node(of[data.entry[e]]);
    at.self += to - from;
    ++at.count;
    // An event inside another one counts once.
    const inside = containerOf(e);
    if (inside < 0 || (chosen && !chosen[inside])) return;
    node(of[data.entry[inside]]).self -= to - from;
  });
  // Parents come before children in the file, so ids may be added backwards.
  for (const id of [...nodes.keys()]) {
    for (let at = id; at > 0; at = tree.parent[at]) node(at);
  }
  const order = [...nodes.values()].sort((a, b) => b.id - a.id);
  for (const n of order) {
    n.total += n.self;
    if (n.id === 0) continue;
    const parent = node(tree.parent[n.id]);
    parent.total += n.total;
    parent.count += n.count;
    parent.children.push(n);
  }
  for (const n of order) n.children.sort((a, b) => b.total - a.total);
  return root;
}
