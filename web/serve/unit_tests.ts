// Tests the parts of the server's pages that need no screen.

import { equal, test } from "../shared/testing";
import { shown } from "./grid";
import { layers } from "./layers";
import { asking, fieldsOf, Rule } from "./live/ask_form";
import { delta, overhead, percent, runName, sparkPoints } from "./live/figures";
import {
  byteMarks,
  layerAt,
  moved,
  parseWindow,
  pointAt,
  stack,
  windowText,
  zoomed,
} from "./memory_map";
import { Live, mergeRows, Run, Trace } from "./live/store";

test("a box is below what it reads, and sources are near their readers", () => {
  // 0 -> 1 -> 2 and 3 -> 2; 2 -> 1 leads back.
  const placed = layers(4, [
    [0, 1],
    [1, 2],
    [3, 2],
    [2, 1],
  ]);
  equal(placed.layer, [0, 1, 2, 1]);
  equal(
    placed.layers.map((l) => l.length),
    [1, 2, 1],
  );
  equal(layers(0, []).layers, []);
});

test("a long chain is laid out without recursion", () => {
  const size = 20000;
  const chain = Array.from({ length: size - 1 }, (_, i): [number, number] => [
    i,
    i + 1,
  ]);
  equal(layers(size, chain).layer[size - 1], size - 1);
});

test("an order has the fields of its rule", () => {
  const rule = (name: string, needs: string, takes: string[] = []): Rule => ({
    rule: name,
    label: "",
    needs,
    takes,
    of_a_row: true,
  });
  const fields = [
    { field: "steps", label: "", kind: "integers" as const, suggested: "" },
    { field: "at", label: "", kind: "integer" as const, suggested: "" },
    { field: "slower", label: "", kind: "number" as const, suggested: "2" },
    { field: "limit", label: "", kind: "integer" as const, suggested: "20" },
  ];
  const asked = (r: Rule, texts: string[], everywhere = false) =>
    asking(r, fieldsOf(r, fields), texts, everywhere);
  equal(asked(rule("steps", "steps"), ["3, 7 9,"]), {
    rule: "steps",
    everywhere: false,
    steps: [3, 7, 9],
  });
  equal(asked(rule("slower", "slower", ["limit"]), ["1.5", "4"]), {
    rule: "slower",
    everywhere: false,
    slower: 1.5,
    limit: 4,
  });
  equal(asked(rule("at", "at"), [], true), {
    rule: "at",
    everywhere: true,
    at: "next",
  });
});

test("cells of the server's tables have their unit", () => {
  equal(shown(12345, "micros"), "12.35 ms");
  equal(shown(2.5, "micros"), "2.50 µs");
  equal(shown(null, "micros"), "–");
  equal(shown(0.25, "share"), "25.0 %");
  equal(shown(-0.005, "share"), "-0.5 %");
  equal(shown(4.1e9, "bytes", "copy_bytes_per_second"), "4.10 GB/s");
  equal(shown(2.827e11, "count", "flops_per_second"), "282.70 GFLOP/s");
  equal(shown("a\u202eb", "text"), "a‹U+202E›b");
});

const aRun = (more: Partial<Run>): Run => ({
  client: "c1",
  row: 0,
  fetches: "",
  feeds: [],
  kind: "",
  runs: 0,
  failed: 0,
  traces: 0,
  last_ns: null,
  mean_ns: null,
  p50_ns: null,
  p95_ns: null,
  p99_ns: null,
  traced_mean_ns: null,
  step: null,
  spark: [],
  ...more,
});

test("a chart of durations begins at 0 and uses its height", () => {
  equal(sparkPoints([], 90, 18), "");
  equal(sparkPoints([2, 4, 0], 90, 18), "0.0,9.0 45.0,0.0 90.0,18.0");
});

test("what tracing costs needs both kinds of run", () => {
  equal(overhead(aRun({ traced_mean_ns: 30 })), undefined);
  equal(overhead(aRun({ traced_mean_ns: 30, mean_ns: 20 })), 0.5);
  equal(percent(0.5), "+50 %");
  equal(percent(-0.012), "-1.2 %");
  const trace = { duration_ns: 15 } as Trace;
  equal(delta(trace, aRun({ p50_ns: 10 })), "+50 %");
  equal(delta(trace, undefined), "–");
});

test("a run is named by its tensors", () => {
  equal(runName("[<tf.Tensor 'loss:0' shape=()>]"), "loss:0");
  equal(runName("train_op"), "train_op");
  equal(runName("{'a': name: \"x\"}"), "a, x");
});

test("rows that did not change stay", () => {
  const reply = (since: number, rows: Run[]) => ({ since, rows }) as Live;
  let known = mergeRows(
    new Map(),
    reply(0, [aRun({ row: 0 }), aRun({ row: 1 })]),
  );
  known = mergeRows(known, reply(5, [aRun({ row: 1, runs: 7 })]));
  equal([...known.values()].map((r) => r.runs).join(), "0,7");
  known = mergeRows(known, reply(0, [aRun({ row: 2 })]));
  equal([...known.keys()].join(), "c1/2");
});

test("a zoom stays inside of the recording, and its text comes back", () => {
  const all = { from: 0, to: 1000, byTime: false };
  const half = zoomed(all, 1000, 0.25, 0.5);
  equal(half, { from: 125, to: 625, byTime: false });
  equal(zoomed(half, 1000, 0, 100), all);
  equal(zoomed(all, 1000, 0.5, 0.000001), {
    from: 498,
    to: 502,
    byTime: false,
  });
  equal(moved(half, 1000, 5), { from: 500, to: 1000, byTime: false });
  equal(windowText(half), "125:625");
  equal(parseWindow("125:625"), half);
  const time = { from: 1.5, to: 20, byTime: true };
  equal(windowText(time), "1500ns:20000ns");
  equal(parseWindow(windowText(time)), time);
  equal(parseWindow("1:2ns"), undefined);
});

test("the layers of a point are stacked from below", () => {
  const row = { layer_1_bytes: 5, layer_2_bytes: 0, other_bytes: 7 };
  equal(stack(row, 2), [5, 0, 7]);
  equal(
    [0, 4, 5, 11, 12].map((at) => layerAt([5, 0, 7], at)),
    [0, 0, 2, 2, -1],
  );
  const points = {
    columns: [],
    rows: [{ from_event: 0 }, { from_event: 4 }, { from_event: 8 }],
    returned: 3,
    total: 3,
  };
  const span = { from: 0, to: 10, byTime: false };
  equal(
    [0, 0.39, 0.4, 1].map((at) => pointAt(points, span, at)),
    [0, 0, 1, 2],
  );
});

test("the marks of bytes are round", () => {
  equal(
    byteMarks(4.5e6),
    [0, 1, 2, 3, 4].map((n) => n * 1e6),
  );
  equal(byteMarks(0), [0]);
});
