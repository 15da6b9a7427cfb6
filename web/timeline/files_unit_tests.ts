// Tests the files that the page saves.

import { close, equal, random, test } from "../shared/testing";
import { csvOf } from "./csv";
import { eventsOfLane, sizeOf } from "./extent";
import { makeModel } from "./make_model";
import { Tracks, traceJsonOf } from "./trace_json";

const LANES = [
  { device: 0, kind: "compute" as const },
  { device: 1, kind: "copy" as const, counted: false },
];
const EVENTS = [
  { lane: 0, start: 0, duration: 1500, name: "a", op: "MatMul", step: 0 },
  { lane: 0, start: 500, duration: 2000, name: '=b,"x"', step: 1 },
  { lane: 0, start: 3000, duration: 0, name: "instant" },
  { lane: 1, start: 100, duration: 50, name: "copy" },
];
const ALL = { name: "everything", onlyChosen: false };

interface Traced {
  ph: string;
  name: string;
  pid: number;
  tid: number;
  ts: number;
  dur: number;
  args: Record<string, string>;
}

function traced(pieces: Iterable<string>): Traced[] {
  return JSON.parse([...pieces].join("")).traceEvents;
}

test("a file has the events of a range, in whole", () => {
  const model = makeModel(LANES, EVENTS);
  const of = (from: number, to: number, lanes?: number[]) => {
    const range = { from, to, lanes: lanes && new Set(lanes) };
    return [0, 1].flatMap((l) => eventsOfLane(model, { ...ALL, range }, l));
  };
  equal(of(0, 4000), [0, 1, 2, 3]);
  equal(of(0, 4000, [1]), [3]);
  equal(of(1500, 2000), [1]);
  equal(of(150, 500), [0]);
  equal(of(3000, 3001), [2]);
  equal(sizeOf(model, ALL), 4);
  model.choose(Uint8Array.from([1, 0, 0, 1]));
  equal(sizeOf(model, { ...ALL, onlyChosen: true }), 2);
  equal(sizeOf(model, ALL), 4);
});

test("a table has exact times, and no formulas", () => {
  const model = makeModel(LANES, EVENTS);
  const range = { from: 1000, to: 2000 };
  const lines = [...csvOf(model, { ...ALL, range })].join("").split("\r\n");
  equal(lines, [
    "start_ns,duration_ns,inside_ns,self_ns,name,type,node,scope,device,lane," +
      "kind,step,in_sums",
    "0,1500,500,1500,a,MatMul,a,,gpu:0,lane 0,compute,0,1",
    `500,2000,1000,2000,"'=b,""x""","'=b,""x""","'=b,""x""",,gpu:0,lane 0,` +
      "compute,1,1",
    "",
  ]);
});

test("tracks have no events that cross", () => {
  const next = random(9);
  const events = Array.from({ length: 400 }, () => ({
    start: Math.floor(next() * 1000),
    duration: Math.floor(next() * 40),
  })).sort((a, b) => a.start - b.start || b.duration - a.duration);
  const tracks = new Tracks();
  const placed = events.map(({ start, duration }) => ({
    start,
    end: start + duration,
    track: tracks.place(start, start + duration),
  }));
  let pairs = 0;
  placed.forEach((a, i) => {
    for (const b of placed.slice(i + 1)) {
      if (a.track !== b.track) continue;
      ++pairs;
      equal(b.start >= a.end || b.end <= a.end, true);
    }
  });
  equal(pairs > 1000, true);
  // What nests takes one track.
  const nest = new Tracks();
  equal([nest.place(0, 10), nest.place(0, 5), nest.place(5, 10)], [0, 0, 0]);
  equal([nest.place(6, 12), nest.place(10, 11)], [1, 0]);
});

test("a trace has all events, links, steps and counters", () => {
  const model = makeModel(LANES, EVENTS, { links: [[0, 3, 0]] });
  model.data.steps.push({
    number: 7,
    process: 0,
    name: -1,
    start: 0,
    end: 2500,
  });
  model.data.head.counters.push({
    device: 0,
    process: 0,
    name: "memory",
    unit: "bytes",
    change: true,
    samples: 3,
  });
  model.data.samples.push({
    time: Float64Array.from([0, 1000, 2000]),
    value: Float64Array.from([10, 5, -15]),
    event: Int32Array.from([-1, -1, -1]),
  });
  const all = traced(traceJsonOf(model, ALL));
  const events = all.filter((e) => e.ph === "X");
  equal(
    events.map((e) => [e.name, e.ts, e.dur]),
    [
      ["a", 0, 1.5],
      ['=b,"x"', 0.5, 2],
      ["instant", 3, 0],
      ["copy", 0.1, 0.05],
      ["step 7", 0, 2.5],
    ],
  );
  // The first two overlap, so they are on two threads of one process.
  equal(events[0].pid, events[1].pid);
  equal(events[0].tid === events[1].tid, false);
  equal(
    all.filter((e) => e.name === "thread_name").map((e) => e.args.name),
    ["lane 0", "lane 0 (2)", "lane 1", "worker"],
  );
  equal(
    all.filter((e) => "sf".includes(e.ph)).map((e) => [e.pid, e.tid]),
    [
      [events[0].pid, events[0].tid],
      [events[3].pid, events[3].tid],
    ],
  );
  const levels = (trace: Traced[]) =>
    trace.filter((e) => e.ph === "C").map((e) => [e.ts, e.args.bytes]);
  equal(levels(all), [
    [0, 10],
    [1, 15],
    [2, 0],
  ]);
  // A range begins with the level that it has there.
  const range = { from: 1500, to: 9000 };
  equal(levels(traced(traceJsonOf(model, { ...ALL, range }))), [
    [1.5, 15],
    [2, 0],
  ]);
  // A link needs both ends; lanes alone have no counters.
  const lanes = new Set([0]);
  const limited = traced(
    traceJsonOf(model, { ...ALL, range: { from: 0, to: 9000, lanes } }),
  );
  equal(limited.filter((e) => "sfC".includes(e.ph)).length, 0);
  equal(limited.filter((e) => e.ph === "X").length, 4);
});

test("a large file comes in pieces", () => {
  const size = 20000;
  const model = makeModel(
    [LANES[0]],
    Array.from({ length: size }, (_, i) => ({
      lane: 0,
      start: 10 * i,
      duration: 9,
      name: "a_rather_long_name_of_an_operation",
    })),
  );
  const pieces = [...traceJsonOf(model, ALL)];
  equal(pieces.length > 1, true);
  const events = traced(pieces).filter((e) => e.ph === "X");
  equal(events.length, size);
  close(
    events.reduce((sum, e) => sum + e.dur, 0),
    (9 * size) / 1000,
    1e-6,
  );
  equal([...csvOf(model, ALL)].join("").split("\r\n").length, size + 2);
});
