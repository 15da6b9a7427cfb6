// Tests which lanes are shown, and sums of a range that is limited to lanes.

import { close, equal, random, test } from "../shared/testing";
import { hits } from "./found";
import { formatKeys, LaneChoice, parseKeys, sortKeys } from "./lanes";
import { Layout } from "./layout";
import { levelIn, levelOf } from "./levels";
import { makeModel } from "./make_model";
import { Samples } from "./samples";
import { figuresOf, linkSums, totals, treeOf } from "./sums";
import { formatLink, parseLink } from "./view";

const LANES = [
  { device: 0, kind: "compute" as const },
  { device: 0, kind: "communication" as const },
  { device: 1, kind: "compute" as const },
  { device: 1, kind: "copy" as const, counted: false },
];
const EVENTS = [
  { lane: 0, start: 0, duration: 100, name: "net/a", op: "MatMul" },
  { lane: 1, start: 50, duration: 100, name: "AllReduce" },
  { lane: 2, start: 20, duration: 60, name: "net/a", op: "MatMul" },
  { lane: 3, start: 0, duration: 400, name: "net/a", op: "MatMul" },
];

function labels(layout: Layout): string[] {
  return layout.items.map((i) => i.label);
}

test("keys of lanes as a short text", () => {
  equal(formatKeys(["l3", "l4", "l5", "c1", "l9"]), "l3-5.c1.l9");
  equal(formatKeys([]), "");
  equal(formatKeys(sortKeys(["l10", "c0", "l2", "l1"])), "c0.l1-2.l10");
  const sizes = { l: 12, c: 2 };
  equal(parseKeys("l3-5.c1.l9", sizes), ["l3", "l4", "l5", "c1", "l9"]);
  // What is not on the page, or is no key, is left out.
  equal(parseKeys("l11-999999999999.c2.x1.l-1.l5-3.l0", sizes), ["l11", "l0"]);
  equal(parseKeys("", sizes), []);
});

test("a link has the state of the lanes", () => {
  const link = {
    range: [3, 4] as [number, number],
    rangeLanes: "l2-3",
    pinned: "l1",
    hidden: "c0.l7",
    closed: "",
    laneFilter: "gpu stream",
    names: 300,
  };
  const read = parseLink(formatLink(link));
  equal({ ...link, ...read }, { ...read, ...link });
  // Nothing is closed, which is not the same as no word about it.
  equal(parseLink(formatLink(link)).closed, "");
  equal(parseLink(formatLink({})).closed, undefined);
  equal(parseLink(formatLink({ rangeLanes: "l2" })).rangeLanes, undefined);
});

test("pinned lanes are first, hidden ones are nowhere, and all are counted", () => {
  const layout = new Layout(makeModel(LANES, EVENTS));
  const counts = () => [layout.all, layout.shown, layout.filtered];
  equal(labels(layout), [
    "gpu:0",
    "lane 0",
    "lane 1",
    "gpu:1",
    "lane 2",
    "lane 3",
  ]);
  equal(counts(), [4, 4, 0]);
  layout.choice.pin("l2");
  layout.update();
  equal(labels(layout), [
    "gpu:1 · lane 2",
    "gpu:0",
    "lane 0",
    "lane 1",
    "gpu:1",
    "lane 3",
  ]);
  equal(layout.items[0].pinned, true);
  // The line of the device has all of its lanes that count.
  equal(layout.items[4].lanes, [2]);
  equal(layout.items[1].y, layout.pinnedHeight);
  equal(counts(), [4, 4, 0]);
  layout.choice.hide(["l2", "l3"]);
  layout.update();
  equal(labels(layout), ["gpu:0", "lane 0", "lane 1"]);
  equal(layout.pinnedHeight, 0);
  equal(counts(), [4, 2, 0]);
  // A closed device has only what is not hidden.
  layout.choice.hide(["l0"]);
  layout.toggle("d0");
  equal(
    layout.items.map((i) => [i.label, i.lanes]),
    [["gpu:0", [1]]],
  );
  equal(layout.leavesOf(layout.items[0]), ["l1"]);
  layout.choice.show(["l0", "l2", "l3"]);
  layout.setAll(true);
  equal(counts(), [4, 4, 0]);
  equal(labels(layout).length, 6);
});

test("the filter looks at names of lanes and devices", () => {
  const layout = new Layout(makeModel(LANES, EVENTS));
  const filtered = (filter: string) => {
    layout.choice.filter = filter;
    layout.update();
    return [labels(layout), layout.shown, layout.filtered];
  };
  equal(filtered("GPU:1"), [["gpu:1", "lane 2", "lane 3"], 2, 2]);
  equal(filtered("lane gpu:0 1"), [["gpu:0", "lane 1"], 1, 3]);
  equal(filtered("communication"), [["gpu:0", "lane 1"], 1, 3]);
  equal(filtered("no such lane"), [[], 0, 4]);
  // Pinned lanes stay, and a lane that is asked for is shown again.
  layout.choice.pin("l3");
  equal(filtered("gpu:0"), [
    ["gpu:1 · lane 3", "gpu:0", "lane 0", "lane 1"],
    3,
    1,
  ]);
  layout.reveal("l0");
  equal(layout.choice.filter, "gpu:0");
  layout.reveal("l2");
  equal(layout.choice.filter, "");
  layout.choice.hide(["l1"]);
  layout.reveal("l1");
  equal([layout.shown, layout.choice.hidden.size], [4, 0]);
});

test("all devices close and open at once", () => {
  const layout = new Layout(makeModel(LANES, EVENTS));
  layout.setAll(false);
  equal(
    layout.items.map((i) => [i.label, i.open]),
    [
      ["gpu:0", false],
      ["gpu:1", false],
    ],
  );
  equal(layout.shown, 4);
  layout.setAll(true);
  equal(
    layout.items.every((i) => i.open),
    true,
  );
});

test("counters of a process are below its devices", () => {
  const model = makeModel(LANES, EVENTS);
  for (const name of ["memory", "gpu:0 memory"]) {
    model.data.head.counters.push({
      device: -1,
      process: 0,
      name,
      unit: "bytes",
      change: false,
      samples: 0,
    });
  }
  const layout = new Layout(model);
  equal(labels(layout), [
    "gpu:0",
    "lane 0",
    "lane 1",
    "gpu:0 memory",
    "gpu:1",
    "lane 2",
    "lane 3",
    "memory",
  ]);
  equal([layout.all, layout.shown], [6, 6]);
  layout.choice.filter = "gpu:0 memory";
  layout.update();
  equal(labels(layout), ["gpu:0", "gpu:0 memory"]);
});

test("a choice pins, hides and shows", () => {
  const choice = new LaneChoice();
  choice.pin("l1");
  choice.pin("l0");
  equal(choice.pinned, ["l1", "l0"]);
  choice.hide(["l1"]);
  equal([choice.pinned, [...choice.hidden]], [["l0"], ["l1"]]);
  choice.pin("l1"); // shows it again
  equal([choice.pinned, [...choice.hidden]], [["l0", "l1"], []]);
  choice.pin("l0");
  equal(choice.pinned, ["l1"]);
  equal(choice.matches("anything"), true);
});

test("sums of a range of some lanes are of these lanes alone", () => {
  const model = makeModel(LANES, EVENTS, {
    transfers: [{ event: 1, bytes: 8, tensor: 0, from: 1, to: 2 }],
  });
  const range = { from: 0, to: 400 };
  const of = (lanes: number[]) => {
    const limited = { ...range, lanes: new Set(lanes) };
    return [
      totals(model, (e) => model.laneOf[e], model.lanes.length, limited).map(
        (t) => [t.key, t.time],
      ),
      treeOf(model, "scopes", limited).total,
      figuresOf(model, 0, limited).busy,
      linkSums(model, limited).length,
    ];
  };
  equal(of([0]), [[[0, 100]], 100, 100, 0]);
  equal(of([1]), [[[1, 100]], 100, 100, 1]);
  equal(of([0, 1, 2]), [
    [
      [0, 100],
      [1, 100],
      [2, 60],
    ],
    260,
    150,
    1,
  ]);
  // A lane that repeats another one is in no sum.
  equal(of([3]), [[], 0, 0, 0]);
});

test("self times of some lanes add up to the time that they are busy", () => {
  const lanes = [0, 1, 2].map((i) => ({
    device: 0,
    kind: (i === 1 ? "launch" : "compute") as "compute",
    thread: 5,
  }));
  const model = makeModel(
    lanes,
    [
      { lane: 0, start: 0, duration: 100, name: "op" },
      { lane: 1, start: 10, duration: 50, name: "launch" },
      { lane: 2, start: 20, duration: 30, name: "inner" },
    ],
    { nested: true },
  );
  const selfOf = (of?: number[]) =>
    totals(model, (e) => e, model.size, {
      from: 0,
      to: 100,
      lanes: of && new Set(of),
    })
      .sort((a, b) => a.key - b.key)
      .map((t) => [t.key, t.self]);
  equal(selfOf(), [
    [0, 50],
    [1, 20],
    [2, 30],
  ]);
  // Without the lane between, the inner event is directly inside of the op.
  equal(selfOf([0, 2]), [
    [0, 70],
    [2, 30],
  ]);
  equal(selfOf([1]), [[1, 50]]);
  equal(
    [0, 1, 2].map((e) => model.selfOf(e)),
    [50, 20, 30],
  );
});

test("the list of what was found is the first part of a sorted list", () => {
  const next = random(5);
  const model = makeModel(
    [LANES[0]],
    Array.from({ length: 500 }, (_, i) => ({
      lane: 0,
      start: 10 * i,
      duration: Math.floor(next() * 50),
      name: `op${Math.floor(next() * 9)}`,
    })),
  );
  model.choose(Uint8Array.from({ length: 500 }, (_, e) => (e % 3 ? 1 : 0)));
  const all = Array.from({ length: 500 }, (_, e) => e).filter((e) => e % 3);
  const { duration } = model.data;
  const sorted = [...all].sort((a, b) => duration[b] - duration[a] || a - b);
  for (const most of [1, 7, 100, 1000]) {
    equal(hits(model, "duration", true, most), sorted.slice(0, most));
    equal(hits(model, "start", false, most), all.slice(0, most));
    equal(
      hits(model, "name", false, most).map((e) => model.nameOf(e)),
      all
        .map((e) => model.nameOf(e))
        .sort()
        .slice(0, most),
    );
  }
});

test("the values of a counter in a pixel", () => {
  const model = makeModel([LANES[0]], [EVENTS[0]]);
  model.data.head.counters.push({
    device: 0,
    process: 0,
    name: "m",
    unit: "",
    change: false,
    samples: 3,
  });
  model.data.samples.push({
    time: Float64Array.from([10, 20, 30]),
    value: Float64Array.from([5, 1, 9]),
    event: Int32Array.from([-1, -1, -1]),
  });
  const level = levelOf(model, 0);
  equal(levelIn(level, 12, 14), { samples: 0, least: 5, most: 5 });
  equal(levelIn(level, 12, 31), { samples: 2, least: 1, most: 9 });
  equal(levelIn(level, 0, 15), { samples: 1, least: 5, most: 5 });
});

test("a moved picture is the one that is sampled anew", () => {
  const next = random(5);
  const lanes = [{ device: 0, kind: "compute" as const }];
  const events = Array.from({ length: 4000 }, () => ({
    lane: 0,
    start: Math.floor(next() * 1e6),
    duration: Math.floor(next() * (next() < 0.02 ? 60000 : 60)),
    name: "op",
  })).sort((a, b) => a.start - b.start || b.duration - a.duration);
  const model = makeModel(lanes, events);
  const rows: Array<[number, number]> = model.lanes[0].rows.map((_, r) => [
    0,
    r,
  ]);
  const width = 300;
  const moving = new Samples(model, 4);
  const { duration } = model.data;
  for (let round = 0, from = 1e5, scale = 700.3; round < 60; ++round) {
    if (round % 20 === 19) scale *= 0.37;
    from += Math.floor((next() - 0.5) * 80) * scale;
    moving.begin(from, scale * (1 + 1e-13 * next()), width);
    const still = new Samples(model, 4);
    still.begin(moving.from, moving.perPixel, width);
    const a = moving.of(rows);
    const b = still.of(rows);
    equal([...a.wide].sort(), [...b.wide].sort());
    for (let x = 0; x < width; ++x) {
      close(a.sampled.hit[x], b.sampled.hit[x], 0.13);
      const of = (top: number) => (top < 0 ? -1 : duration[top]);
      if (a.sampled.hit[x] > 0.2)
        close(of(a.sampled.top[x]), of(b.sampled.top[x]), 60);
    }
  }
});
