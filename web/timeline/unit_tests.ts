// Tests the parts of the timeline page that need no screen.

import { isLight, mix, pixel } from "../shared/pixels";
import { close, equal, random, test } from "../shared/testing";
import {
  BadQuery,
  chosenEvents,
  nextChosen,
  NO_FILTER,
  rankOf,
  words,
} from "./choose";
import { Colors } from "./colors";
import { fromBase64, gunzip, Varints } from "./decode";
import { intersect, length, merge, union } from "./intervals";
import { Layout } from "./layout";
import { levelOf, ownersAt } from "./levels";
import { makeModel } from "./make_model";
import { newSampled, packRows, sample, summarize } from "./rows";
import { figuresOf, linkSums, totals, treeOf } from "./sums";
import { placeOf } from "./findings";
import { formatLink, parseLink, View } from "./view";

test("numbers of columns", () => {
  const numbers = new Varints(
    Uint8Array.from([
      0, 127, 0x80, 1, 3, 4, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f,
    ]),
  );
  equal(numbers.next(), 0);
  equal(numbers.next(), 127);
  equal(numbers.next(), 128);
  equal(numbers.signed(), -2);
  equal(numbers.signed(), 2);
  equal(numbers.id(), -1);
  equal(numbers.next(), 2 ** 53 - 1);
  equal(numbers.done, true);
});

test("a compressed column", async () => {
  // Compressed here, so that it is correct for each version of zlib.
  const source = new Blob([Uint8Array.from([1, 2, 3])]).stream();
  const known = globalThis as unknown as {
    CompressionStream: new (
      format: string,
    ) => ReadableWritablePair<Uint8Array, Uint8Array>;
  };
  const zipped = new Uint8Array(
    await new Response(
      source.pipeThrough(new known.CompressionStream("gzip")),
    ).arrayBuffer(),
  );
  const encoded = btoa(String.fromCharCode(...zipped));
  equal(await gunzip(fromBase64(encoded)), [1, 2, 3]);
});

test("unions of intervals", () => {
  const u = union(
    Float64Array.from([5, 0, 8, 20, 3]),
    Float64Array.from([9, 2, 8, 30, 6]),
  );
  equal(u, [0, 2, 3, 9, 20, 30]);
  equal(length(u), 18);
  equal(
    merge(Float64Array.from([0, 4]), Float64Array.from([2, 6, 8, 9])),
    [0, 6, 8, 9],
  );
  equal(
    intersect(Float64Array.from([0, 4, 6, 10]), Float64Array.from([3, 8])),
    [3, 4, 6, 8],
  );
});

test("events of a row do not overlap, and no row is wasted", () => {
  const next = random(7);
  const size = 2000;
  const start = Float64Array.from({ length: size }, () =>
    Math.floor(next() * 5000),
  ).sort();
  const duration = Float64Array.from({ length: size }, () =>
    Math.floor(next() * 60),
  );
  const rowOf = new Uint32Array(size);
  const rows = packRows(start, duration, 0, size, rowOf);
  equal(
    rows.reduce((sum, r) => sum + r.events.length, 0),
    size,
  );
  let most = 0;
  for (const row of rows) {
    for (let i = 1; i < row.events.length; ++i) {
      const [a, b] = [row.events[i - 1], row.events[i]];
      equal(start[a] + Math.max(duration[a], 1) <= start[b], true);
    }
  }
  for (let e = 0; e < size; ++e) {
    let open = 0;
    for (let o = 0; o <= e; ++o) {
      if (start[o] + Math.max(duration[o], 1) > start[e]) ++open;
    }
    most = Math.max(most, open);
  }
  equal(rows.length, most);
});

test("nested events look like a flame graph", () => {
  const rowOf = new Uint32Array(4);
  packRows(
    Float64Array.from([0, 0, 2, 10]),
    Float64Array.from([10, 5, 2, 1]),
    0,
    4,
    rowOf,
  );
  equal(rowOf, [0, 1, 2, 0]);
});

test("a picture has the busy share of each pixel, at all zooms", () => {
  const next = random(3);
  const size = 5000;
  const start = new Float64Array(size);
  const duration = new Float64Array(size);
  let at = 0;
  for (let e = 0; e < size; ++e) {
    at += Math.floor(next() * (e % 100 === 0 ? 5000 : 6));
    start[e] = at;
    duration[e] = Math.floor(next() * (e % 37 === 0 ? 300 : 5));
    at += Math.max(duration[e], 1);
  }
  const chosen = Uint8Array.from({ length: size }, () =>
    next() < 0.3 ? 1 : 0,
  );
  for (const mask of [undefined, chosen]) {
    const [row] = packRows(start, duration, 0, size, new Uint32Array(size));
    summarize(row, duration, mask);
    for (const [from, to] of [
      [0, at],
      [at / 3, at / 2],
      [100, 700],
      [-50, 9],
    ]) {
      const width = 400;
      const perPixel = (to - from) / width;
      const out = newSampled(width);
      sample(
        row,
        { start, duration, chosen: mask },
        from,
        perPixel,
        out,
        Infinity,
        () => undefined,
      );
      const hit = new Float64Array(width);
      const rest = new Float64Array(width);
      for (let e = 0; e < size; ++e) {
        const end = start[e] + duration[e];
        for (
          let x = Math.max(0, Math.floor((start[e] - from) / perPixel));
          x < width && from + x * perPixel < end;
          ++x
        ) {
          const part =
            Math.min(end, from + (x + 1) * perPixel) -
            Math.max(start[e], from + x * perPixel);
          if (part <= 0) continue;
          if (mask && !mask[e]) rest[x] += part / perPixel;
          else hit[x] += part / perPixel;
        }
      }
      for (let x = 0; x < width; ++x) {
        close(out.hit[x], hit[x], 1e-3);
        close(out.rest[x], rest[x], 1e-3);
        if (hit[x] > 1e-6) equal(mask ? mask[out.top[x]] : 1, 1);
      }
    }
  }
});

test("a row tells of wide events", () => {
  const start = Float64Array.from([10, 50]);
  const duration = Float64Array.from([30, 1]);
  const [row] = packRows(start, duration, 0, 2, new Uint32Array(2));
  const seen: number[][] = [];
  sample(
    row,
    { start, duration, chosen: undefined },
    20,
    1,
    newSampled(100),
    4,
    (e, x0, x1) => seen.push([e, x0, x1]),
  );
  equal(seen, [[0, -10, 20]]);
});

test("a view stays inside, and has a history", () => {
  const view = new View(1000);
  view.zoom(0.5, 500);
  equal([view.from, view.to], [250, 750]);
  view.settle();
  view.pan(10000);
  equal(view.to, 1020);
  view.settle();
  equal(view.undo(), true);
  equal([view.from, view.to], [250, 750]);
  equal(view.undo(), true);
  equal([view.from, view.to], [0, 1000]);
  equal(view.undo(), false);
  equal(view.redo(), true);
  equal([view.from, view.to], [250, 750]);
});

test("a link says what is shown", () => {
  const link = {
    from: 1.5,
    to: 99,
    y: 12,
    event: 7,
    range: [3, 4] as [number, number],
    query: "a&b #/x/",
    color: "kind",
    tab: "ops",
  };
  equal(parseLink(formatLink(link)), {
    from: 1.5,
    to: 99,
    range: [3, 4],
    y: 12,
    event: 7,
    query: "a&b #/x/",
    color: "kind",
    tab: "ops",
  });
  equal(parseLink("#t=9..1&e=x&r=1").from, undefined);
  equal(parseLink("#t=9..1&e=x&r=1").range, undefined);
});

test("a finding about a wait is at the longest event that it names", () => {
  const at = (start: number, duration: number, name: string) => ({
    lane: 0,
    start,
    duration,
    name,
  });
  const model = makeModel(
    [{ device: 0, kind: "compute" }],
    [
      at(0, 100, "kernel"),
      at(100, 5, "load.py:3:next"),
      at(110, 7, "load.py:3:next"),
      at(120, 9, "a/aten::mm"),
      at(130, 50, "aten::mm"),
      at(190, 60, "host"),
    ],
  );
  const { label } = model.data.head.devices[0];
  const of = (text: string) => placeOf(model, label, text);
  equal(of(`${label}: waits while the host reads: load.py:3:next 7ms`), 2);
  // Not the op at its end, and no word of the sentence.
  equal(of("most of the host's time is a/aten::mm (9ms)"), 3);
  equal(of("aten::mmm and xaten::mm"), 0);
  equal(placeOf(model, "nothing", "nothing"), undefined);
});

const LANES = [
  { device: 0, kind: "compute" as const },
  { device: 0, kind: "communication" as const },
  { device: 0, kind: "compute" as const, counted: false },
];
const EVENTS = [
  { lane: 0, start: 0, duration: 100, name: "net/a", op: "MatMul", step: 0 },
  { lane: 0, start: 100, duration: 50, name: "net/b", op: "Add", step: 0 },
  { lane: 0, start: 300, duration: 100, name: "net/a", op: "MatMul", step: 1 },
  { lane: 1, start: 50, duration: 100, name: "RecvTensor", step: 0 },
  { lane: 2, start: 0, duration: 400, name: "net/a", op: "MatMul" },
];

test("sums leave out lanes that repeat others, and cut events at the edges", () => {
  const model = makeModel(LANES, EVENTS);
  const of = (range?: { from: number; to: number }) =>
    totals(
      model,
      (e) => model.data.entryOp[model.data.entry[e]],
      model.data.strings.length,
      range,
    ).map((t) => [model.text(t.key), t.count, t.time]);
  equal(of(), [
    ["MatMul", 2, 200],
    ["RecvTensor", 1, 100],
    ["Add", 1, 50],
  ]);
  equal(of({ from: 60, to: 120 }), [
    ["RecvTensor", 1, 60],
    ["MatMul", 1, 40],
    ["Add", 1, 20],
  ]);
});

test("what a device did is unions", () => {
  const model = makeModel(LANES, EVENTS);
  equal(figuresOf(model, 0, { from: 0, to: 400 }), {
    span: 400,
    busy: 250,
    compute: 250,
    communication: 100,
    copies: 0,
    overlap: 100,
    exposed: 0,
    idle: 150,
    causes: [],
  });
  equal(figuresOf(model, 0, { from: 140, to: 200 }).exposed, 0);
});

test("unions of many lanes are those of a naive model", () => {
  const next = random(11);
  const lanes = Array.from({ length: 7 }, (_, i) => ({
    device: 0,
    kind: (i % 2 ? "communication" : "compute") as "compute",
  }));
  for (let round = 0; round < 20; ++round) {
    const events = lanes.flatMap((_, lane) =>
      Array.from({ length: 9 }, () => ({
        lane,
        start: Math.floor(next() * 300),
        duration: Math.floor(next() * 30),
        name: "op",
      })).sort((a, b) => a.start - b.start || b.duration - a.duration),
    );
    const model = makeModel(lanes, events);
    const from = Math.floor(next() * 150);
    const to = from + 1 + Math.floor(next() * 200);
    const busy = { compute: 0, communication: 0, overlap: 0, any: 0 };
    for (let t = from; t < to; ++t) {
      const is = (kind: string) =>
        events.some(
          (e) =>
            lanes[e.lane].kind === kind &&
            e.start <= t &&
            t < e.start + e.duration,
        );
      const computes = is("compute");
      const moves = is("communication");
      busy.compute += Number(computes);
      busy.communication += Number(moves);
      busy.overlap += Number(computes && moves);
      busy.any += Number(computes || moves);
    }
    const f = figuresOf(model, 0, { from, to });
    equal(
      [f.compute, f.communication, f.overlap, f.busy, f.exposed, f.idle],
      [
        busy.compute,
        busy.communication,
        busy.overlap,
        busy.any,
        busy.communication - busy.overlap,
        to - from - busy.any,
      ],
    );
  }
});

test("self time is without the events inside, where lanes nest", () => {
  const events = [
    { lane: 0, start: 0, duration: 100, name: "outer" },
    { lane: 0, start: 10, duration: 30, name: "inner" },
    { lane: 0, start: 20, duration: 5, name: "leaf" },
    { lane: 0, start: 60, duration: 30, name: "inner" },
  ];
  const selfOf = (nested: boolean) => {
    const model = makeModel([LANES[0]], events, { nested });
    return totals(
      model,
      (e) => model.data.entryName[model.data.entry[e]],
      model.data.strings.length,
    ).map((t) => [model.text(t.key), t.time, t.self]);
  };
  equal(selfOf(true), [
    ["inner", 60, 55],
    ["outer", 100, 40],
    ["leaf", 5, 5],
  ]);
  equal(selfOf(false), [
    ["outer", 100, 100],
    ["inner", 60, 60],
    ["leaf", 5, 5],
  ]);
});

test("a launch is inside of the op of its thread", () => {
  const model = makeModel(
    [
      { device: 0, kind: "compute", thread: 3 },
      { device: 0, kind: "launch", thread: 3 },
      { device: 0, kind: "launch", thread: 4 },
    ],
    [
      { lane: 0, start: 0, duration: 100, name: "op" },
      { lane: 1, start: 10, duration: 30, name: "launch" },
      { lane: 2, start: 50, duration: 30, name: "launch" },
    ],
    { nested: true },
  );
  equal(model.parent, [-1, 0, -1]);
});

test("scopes have the time of what is in them", () => {
  const model = makeModel(LANES, EVENTS);
  const root = treeOf(model, "scopes");
  equal(root.total, 350);
  equal(
    root.children.map((c) => [model.pathOf(c.id), c.total, c.count]),
    [["net", 250, 3]],
  );
});

test("transfers by source and destination", () => {
  const model = makeModel(LANES, EVENTS, {
    transfers: [{ event: 3, bytes: 4096, tensor: 0, from: 1, to: 2 }],
  });
  equal(
    linkSums(model).map((s) => [s.bytes, s.count, s.time, s.events]),
    [[4096, 1, 100, [3]]],
  );
  equal(linkSums(model, { from: 200, to: 300 }), []);
});

test("a search has words", () => {
  equal(words("a  type:B /x y/ -c"), ["a", "type:B", "/x y/", "-c"]);
  equal(words('scope:"a b"/c name:/^q/'), ['scope:"a b"', "/c", "name:/^q/"]);
});

test("search and filters choose events", () => {
  const model = makeModel(LANES, EVENTS);
  const found = (query: string, filter = {}) => {
    const chosen = chosenEvents(model, query, { ...NO_FILTER, ...filter });
    return chosen
      ? Array.from(chosen).flatMap((c, e) => (c ? [e] : []))
      : "all";
  };
  equal(found(""), "all");
  equal(found("matmul"), [0, 2, 4]);
  equal(found("type:/^Add$/"), [1]);
  equal(found("-matmul -add"), [3]);
  equal(found("dur>=100ns kind:compute"), [0, 2, 4]);
  equal(found("dur<100ns"), [1]);
  equal(found("scope:net step:1"), [2]);
  equal(found("", { kind: "communication" }), [3]);
  equal(found("", { scope: "net", min: 60, max: 100 }), [0, 2]);
  equal(found('type:"MatMul" lane:"lane 2"'), [4]);
  let refused = "";
  try {
    found("/(/");
  } catch (error) {
    refused = error instanceof BadQuery ? "bad query" : "other";
  }
  equal(refused, "bad query");
});

test("next and previous go around the end, in the order of time", () => {
  const model = makeModel(LANES, EVENTS);
  model.choose(chosenEvents(model, "-type:MatMul", NO_FILTER));
  equal(nextChosen(model, -1, false), 3);
  equal(nextChosen(model, 3, false), 1);
  equal(nextChosen(model, 1, false), 3);
  equal(nextChosen(model, 3, true), 1);
  equal(rankOf(model, 1), 2);
  equal(model.numChosen, 2);
});

test("calls have parents, children and the work that they launched", () => {
  // op(0..100) calls launch(10..20) and inner(30..60), which calls launch(40..50)
  const model = makeModel(
    [LANES[0]],
    [
      { lane: 0, start: 0, duration: 100, name: "op" },
      { lane: 0, start: 10, duration: 10, name: "launch" },
      { lane: 0, start: 30, duration: 30, name: "inner" },
      { lane: 0, start: 40, duration: 10, name: "launch" },
      { lane: 0, start: 200, duration: 10, name: "other" },
    ],
    { nested: true, links: [[1, 4, 0]] },
  );
  equal(Array.from(model.childrenOf(0)), [1, 2]);
  equal(Array.from(model.childrenOf(2)), [3]);
  equal(Array.from(model.childrenOf(4)), []);
  equal(model.parent[3], 2);
  equal(model.launchedBy(0, 10), [[1, 4]]);
  equal(model.launchedBy(2, 10), []);
  equal(model.launchedBy(0, 0), []);
});

test("inputs are found in the same step, before the event", () => {
  const events = [
    { lane: 0, start: 0, duration: 5, name: "x", step: 0 },
    { lane: 0, start: 10, duration: 5, name: "y", step: 0 },
    { lane: 0, start: 20, duration: 5, name: "x", step: 1 },
    { lane: 0, start: 30, duration: 5, name: "y", step: 1 },
  ];
  const model = makeModel([LANES[0]], events, { inputs: { y: ["x"] } });
  const [x] = model.inputsOf(3);
  equal(model.text(x), "x");
  equal(model.nearest(x, 3, false), 2);
  equal(model.nearest(x, 1, false), 0);
  equal(
    model.readersOf(0).map((n) => model.text(n)),
    ["y"],
  );
});

test("a transfer comes from the node of its tensor, and has its readers", () => {
  const events = [
    { lane: 0, start: 0, duration: 5, name: "w/read", step: 0 },
    { lane: 0, start: 50, duration: 5, name: "y", step: 0 },
    { lane: 1, start: 4, duration: 20, name: "RecvTensor", step: 0 },
  ];
  const model = makeModel(LANES.slice(0, 2), events, {
    inputs: { y: ["w/read"] },
    transfers: [{ event: 2, bytes: 1, tensor: 0, from: -1, to: -1 }],
  });
  const tensor = model.data.strings.push("edge_11_w/read") - 1;
  model.data.transfers[0].tensor = tensor;
  equal(model.producerOf(2), 0);
  equal(
    model.readersOf(2).map((n) => model.text(n)),
    ["y"],
  );
  equal(model.producerOf(1), -1);
});

test("memory at its peak belongs to the events that hold it", () => {
  const model = makeModel([LANES[0]], EVENTS.slice(0, 3));
  model.data.head.counters.push({
    device: 0,
    process: 0,
    name: "m",
    unit: "bytes",
    change: true,
    samples: 4,
  });
  model.data.samples.push({
    time: Float64Array.from([0, 10, 20, 30]),
    value: Float64Array.from([100, 50, -100, 20]),
    event: Int32Array.from([0, 1, 0, 2]),
  });
  const level = levelOf(model, 0);
  equal([level.most, level.peak, level.least], [150, 1, 50]);
  equal(level.indexAt(25), 2);
  equal(level.indexAt(-1), -1);
  equal(ownersAt(model, 0, level.peak), [
    { event: 0, bytes: 100 },
    { event: 1, bytes: 50 },
  ]);
});

test("lanes are grouped, and a closed device is one line", () => {
  const model = makeModel(LANES, EVENTS);
  const layout = new Layout(model);
  equal(
    layout.items.map((i) => i.kind),
    ["device", "lane", "lane", "lane"],
  );
  const { height } = layout;
  layout.toggle("d0");
  equal(
    layout.items.map((i) => [i.kind, i.open, i.lanes]),
    [["device", false, [0, 1]]],
  );
  equal(layout.height < height, true);
  layout.reveal("l1");
  equal(layout.itemOfLane(1)?.open, true);
  equal(layout.itemAt(0)?.kind, "device");
  equal(layout.itemAt(1e9), undefined);
});

test("colours tell types apart and stay the same", () => {
  const model = makeModel(LANES, EVENTS);
  const colors = new Colors(model);
  equal(colors.color(0), colors.color(2));
  equal(colors.color(0) === colors.color(1), false);
  equal(colors.legend[0].label, "MatMul");
  // The colour of a type is one of its kind of work.
  equal(colors.color(0), pixel("#0072b2"));
  equal(colors.color(3), pixel("#e69f00"));
  colors.set("kind");
  equal(colors.color(3), pixel("#e69f00"));
  colors.set("duration");
  equal(colors.legend.length, 5);
  equal(mix(pixel("#ffffff"), pixel("#000000"), 0.5), pixel("#808080"));
  equal([isLight(pixel("#ffffff")), isLight(pixel("#000000"))], [true, false]);
});
