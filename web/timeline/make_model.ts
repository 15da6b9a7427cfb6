// For unit tests: a model made by hand.

import { Data, Head, Kind } from "./decode";
import { Model } from "./model";

export interface TestEvent {
  lane: number;
  start: number;
  duration: number;
  name: string;
  op?: string;
  step?: number;
}

export interface TestLane {
  device: number;
  kind: Kind;
  counted?: boolean;
  thread?: number;
}

// Events must be sorted by lane, start, and descending duration.
export function makeModel(
  lanes: TestLane[],
  events: TestEvent[],
  more: {
    nested?: boolean;
    transfers?: Data["transfers"];
    inputs?: Record<string, string[]>;
    // [from, to, kind], ascending `from`
    links?: Array<[number, number, number]>;
  } = {},
): Model {
  const strings: string[] = [];
  const intern = (text: string) => {
    const known = strings.indexOf(text);
    return known >= 0 ? known : strings.push(text) - 1;
  };
  const keys: string[] = [];
  const entryOf = events.map((e) => {
    const key = `${e.op ?? e.name}\n${e.name}`;
    const known = keys.indexOf(key);
    return known >= 0 ? known : keys.push(key) - 1;
  });
  const parts = keys.map((key) => key.split("\n"));
  const scopePath: string[] = [""];
  const scopeOf = (name: string) => {
    const path = name.includes("/") ? name.slice(0, name.lastIndexOf("/")) : "";
    const known = scopePath.indexOf(path);
    return known >= 0 ? known : scopePath.push(path) - 1;
  };
  const entryScope = Uint32Array.from(parts.map((p) => scopeOf(p[1])));
  const inputFirst = new Uint32Array(keys.length + 1);
  const inputs: number[] = [];
  parts.forEach(([, name], i) => {
    for (const input of more.inputs?.[name] ?? []) inputs.push(intern(input));
    inputFirst[i + 1] = inputs.length;
  });
  const devices = Math.max(...lanes.map((l) => l.device)) + 1;
  const span = Math.max(...events.map((e) => e.start + e.duration));
  const head: Head = {
    format: 1,
    title: "test",
    program: "test",
    nested: more.nested ?? false,
    ticksPerMicro: 1000,
    origin: "0",
    span,
    accountStep: -1,
    notes: [],
    counts: {},
    processes: ["worker"],
    devices: Array.from({ length: devices }, (_, d) => ({
      process: 0,
      label: `gpu:${d}`,
      name: `gpu:${d}`,
      accelerator: true,
    })),
    lanes: lanes.map((l, i) => ({
      device: l.device,
      name: `lane ${i}`,
      kind: l.kind,
      counted: l.counted ?? true,
      thread: l.thread ?? -1,
      events: events.filter((e) => e.lane === i).length,
    })),
    stepNumbers: [0, 1],
    counters: [],
    findings: [],
  };
  const scopes = scopePath.map((path) => intern(path));
  const data: Data = {
    head,
    strings,
    start: Float64Array.from(events.map((e) => e.start)),
    duration: Float64Array.from(events.map((e) => e.duration)),
    entry: Uint32Array.from(entryOf),
    step: Int32Array.from(events.map((e) => e.step ?? -1)),
    detail: new Uint32Array(events.length),
    entryName: Int32Array.from(parts.map((p) => intern(p[1]))),
    entryOp: Int32Array.from(parts.map((p) => intern(p[0]))),
    entryNode: Int32Array.from(parts.map((p) => intern(p[1]))),
    entryScope,
    entryStack: new Uint32Array(keys.length),
    inputFirst,
    inputs: Int32Array.from(inputs),
    scopes: {
      parent: new Uint32Array(scopes.length),
      name: Int32Array.from(scopes),
      file: new Int32Array(scopes.length).fill(-1),
      line: new Int32Array(scopes.length),
    },
    stacks: {
      parent: new Uint32Array(1),
      name: new Int32Array(1).fill(-1),
      file: new Int32Array(1).fill(-1),
      line: new Int32Array(1),
    },
    steps: [],
    transfers: more.transfers ?? [],
    linkFrom: Uint32Array.from((more.links ?? []).map((l) => l[0])),
    linkTo: Uint32Array.from((more.links ?? []).map((l) => l[1])),
    linkKind: Uint8Array.from((more.links ?? []).map((l) => l[2])),
    path: new Map(),
    details: [[]],
    samples: [],
  };
  return new Model(data);
}
