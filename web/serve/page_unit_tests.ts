// Tests what the pages compute before they draw.

import { accountColors } from "../shared/account_bar";
import { close, equal, test } from "../shared/testing";
import { ColumnInfo, Row, Table } from "./client";
import { stepPairs, withJudgement } from "./compare";
import { partsOf, pathText, seen } from "./critical_path";
import { sliceKind } from "./devices";
import { noteStacks, operationIn, sourceLines } from "./findings";
import { blocks, shadeOf } from "./flame";
import { commandAddress, Page, timelineAddress, words } from "./page";
import { ownerOf, shareOf, shortNames } from "./grid";
import { heat, heatLevel } from "./ranks";
import { decades, roof } from "./roofline";
import { exactly, lineOfFrame, opQuestion } from "./row_links";
import { lackText, noteTexts } from "./notes";
import { filesOf } from "./source";
import { median, stepBars } from "./step_chart";
import { cut } from "./table_view";
import { checkersInWords } from "./tables";
import { heading, meaning, setGlossary } from "./words";

const tableOf = (columns: ColumnInfo[], rows: Row[]): Table => ({
  columns,
  rows,
  returned: rows.length,
  total: rows.length,
});

const aPage = (address: string, accelerator = false): Page =>
  ({
    profile: "a b.pb",
    params: new URLSearchParams(address),
    facts: { steps: [], timed: true, accelerator },
    address: (path: string, query: Record<string, string> = {}) =>
      `/${path}?${new URLSearchParams(query)}`,
  }) as unknown as Page;

test("a heading is explained by the terms in it, long ones first", () => {
  setGlossary([
    { word: "wall", meaning: "W." },
    { word: "of wall", meaning: "OW." },
    { word: "host-bound", meaning: "H." },
  ]);
  const of = (name: string, title?: string) =>
    meaning({ name, unit: "micros", title });
  equal(heading({ name: "self_cpu_micros", unit: "micros" }), "self cpu");
  equal(of("wall_share", "of wall"), "of wall: OW.");
  equal(of("host_bound_micros"), "host-bound: H.");
  // The title has no term, so the name of the column is tried.
  equal(of("wall_micros", "length"), "wall: W.");
  equal(of("wallet"), "");
  setGlossary([]);
});

test("a finding leads to the code of the operation that it names first", () => {
  const ops = ["aten::add", "aten::mm", "aten::m", "Mat.Mul"];
  equal(
    operationIn("gpu:0: idle for 9% because: aten::mm 1ms, aten::add", ops),
    "aten::mm",
  );
  equal(
    operationIn("most of it is Model_0/Block_7/aten::mm (2ms)", ops),
    "aten::mm",
  );
  equal(operationIn("MatxMul takes 3ms", ops), undefined);
});

test("the coverage of files of a run is one sentence", () => {
  equal(
    noteTexts([
      "run graph coverage: 0.04",
      "run graph coverage: 12 more files, not listed",
      "run graph coverage: 0.06",
      "x.pb: 3 bytes are damaged",
      "Missing call stacks. Skip CodeChecker",
    ]),
    [
      "6 % of the nodes of the graph ran in what was recorded; initializers " +
        "and savers do not run in a step.",
      "x.pb: 3 bytes are damaged",
    ],
  );
});

test("what a profile lacks is said without commands", () => {
  equal(
    lackText("no step has a time. Try: op -order_by micros"),
    "No step has a time.",
  );
  equal(lackText("x.pb has no steps"), "x.pb has no steps.");
});

test("checkers have names in words", () => {
  const { rows } = checkersInWords(
    tableOf(
      [],
      [
        {
          checker: "ShortKernelChecker",
          lacked: "Missing call stacks for ShortKernelChecker",
          not_judged: null,
        },
      ],
    ),
  );
  equal(rows[0], {
    checker: "short kernel",
    lacked: "Missing call stacks",
    not_judged: null,
  });
});

test("a share is beside the numbers that it is of", () => {
  const names = new Set(["idle_micros", "peak"]);
  equal(ownerOf("idle_share", names), "idle_micros");
  equal(ownerOf("peak_share", names), "peak");
  equal(ownerOf("busy_share", names), undefined);
  equal(ownerOf("peak", names), undefined);
  const row = { idle_micros: 3, idle_share: 0.5, step: 7, step_share: null };
  equal(shareOf("idle_micros", row), 0.5);
  equal(shareOf("step", row), undefined);
  equal(shareOf("runs", { runs: 4 }), undefined);
});

test("the critical path does not contradict the wall time of its step", () => {
  const text = (span: number, path: number, wall?: number) =>
    pathText("3", span, path, wall);
  equal(text(1000, 900, 1000).includes("wall time"), false);
  equal(text(1000, 900).includes("wall time"), false);
  equal(
    text(1000, 900, 2000).includes("(its wall time is 2.00\u00a0ms)"),
    true,
  );
  equal(text(1000, 900).includes("does not say"), false);
  equal(text(1000, 90).includes("does not say"), true);
});

test("segments that no pixel shows are not drawn", () => {
  const segments = Array.from({ length: 1000 }, (_, i) => ({
    start_micros: i,
    micros: 1,
  }));
  equal(seen(segments, 0.05).length, 100);
  equal(seen(segments, 1).length, 1000);
});

test("kinds of the critical path have the colours of the timeline", () => {
  const parts = partsOf(
    tableOf(
      [],
      ["launch", "copy", "transfer", "wait"].map((kind) => ({
        kind,
        micros: 2,
        share: 0.25,
        segments: kind === "copy" ? 1 : 2,
      })),
    ),
  );
  equal(
    parts.map((part) => part.kind),
    ["launches", "copies", "communication", "unknown"],
  );
  equal(parts[1].text.endsWith("in 1 segment"), true);
  equal(parts[0].text.endsWith("in 2 segments"), true);
});

test("names of a tree leave out what is above them", () => {
  equal(
    shortNames(
      ["root", "a", "a/b", "a/b/c", "a/bc", "d/e"],
      [0, 1, 2, 3, 2, 1],
    ),
    ["root", "a", "b", "c", "bc", "d/e"],
  );
});

test("a whole table is searched and sorted as the server does it", () => {
  const rows: Row[] = [
    { name: "MatMul", micros: 3 },
    { name: "Relu", micros: null },
    { name: "matrix", micros: 7 },
  ];
  const table = tableOf([], rows);
  const names = (sort: string, find: string) =>
    cut(table, { sort, find, from: 0 }).table.rows.map((r) => r.name);
  equal(names("", "MAT"), ["MatMul", "matrix"]);
  equal(names("-micros", ""), ["matrix", "MatMul", "Relu"]);
  equal(names("micros", ""), ["MatMul", "matrix", "Relu"]);
  equal(cut(table, { sort: "", find: "", from: 2 }).table.rows.length, 1);
  equal(cut(table, { sort: "", find: "x", from: 0 }).rows, 1);
});

test("the bar of many steps is the slowest of them", () => {
  const rows = [5, 9, 2, 4, null, 8].map((span_micros, step) => ({
    step,
    span_micros,
  }));
  equal(stepBars(rows, 3), [
    { step: "1", wall: 9, steps: 2 },
    { step: "3", wall: 4, steps: 2 },
    { step: "5", wall: 8, steps: 1 },
  ]);
  equal(stepBars(rows, 9).length, 5);
  equal(median([4, 1, 3]), 3);
  equal(median([4, 1]), 2.5);
  equal(median([]), 0);
});

test("a part has one colour on all devices", () => {
  const part = (name: string, kind: string) => ({
    name,
    kind,
    share: 0,
    text: "",
  });
  const colors = accountColors([
    part("slow launches", "idle"),
    part("waiting", "idle"),
    part("waiting", "idle"),
    part("slow launches", "idle"),
    part("not recorded", "unknown"),
  ]);
  equal(colors[0] === colors[3] && colors[1] === colors[2], true);
  equal(new Set(colors).size, 3);
});

test("a line of the shell is the address of its page", () => {
  equal(words("scope -a 'b c' \"d\""), ["scope", "-a", "b c", "d"]);
  const page = aPage("");
  equal(commandAddress(page, "explain step 10"), "/explain?step=10");
  equal(
    commandAddress(page, "scope -step 110 -select micros,occurrence"),
    "/scope?step=110&select=micros%2Coccurrence",
  );
  equal(
    commandAddress(page, "list train.py:7"),
    "/source?argument=train.py%3A7",
  );
  equal(commandAddress(page, "advise all"), "/advice?");
  equal(commandAddress(page, "show x"), undefined);
});

test("the timeline opens at a subject, in the chosen step", () => {
  equal(
    timelineAddress(aPage("step=3"), { subject: "step 3" }),
    "/timeline?profile=a+b.pb&step=3#s=step+3",
  );
  equal(
    timelineAddress(aPage(""), { search: "a&b" }),
    "/timeline?profile=a+b.pb#q=a%26b",
  );
});

test("operations are ordered by the time of accelerators if there are any", () => {
  equal(opQuestion(aPage("", true)).order_by, "accelerator_micros");
  equal(opQuestion(aPage("", false)).order_by, "cpu_micros");
  equal(exactly("a.b(c)"), "a\\.b\\(c\\)");
});

test("the advice says whether a recording has call stacks", () => {
  const page = aPage("");
  noteStacks(page, tableOf([], [{ lacked: "Missing call stacks" }]));
  equal(page.facts.stacks, false);
  noteStacks(page, tableOf([], [{ lacked: null }]));
  equal(page.facts.stacks, true);
});

test("lines of source are found in texts and frames", () => {
  equal(sourceLines("in train.py:37 and lib/a.py:2, train.py:37"), [
    "train.py:37",
    "lib/a.py:2",
  ]);
  equal(lineOfFrame("train.py:26:dense (gradient)"), "train.py:26");
  equal(lineOfFrame("_TFProfRoot"), undefined);
  const row = (name: string, self_micros: number, total_micros: number) => ({
    name,
    self_micros,
    total_micros,
  });
  equal(
    filesOf([row("root", 0, 9), row("a.py:1:f", 0, 5), row("b.py:2:g", 1, 8)]),
    [
      { name: "b.py", total: 8, line: 2, self: 1 },
      { name: "a.py", total: 5, line: 1, self: 0 },
    ],
  );
});

test("a block of a flame graph fills the picture with what is below it", () => {
  const rows = [
    { depth: 0, name: "/", share: 1, start_share: 0 },
    { depth: 1, name: "a", share: 0.5, start_share: 0 },
    { depth: 2, name: "a1", share: 0.25, start_share: 0.25 },
    { depth: 1, name: "b", share: 0.5, start_share: 0.5 },
    { depth: 1, name: "thin", share: 0.0001, start_share: 0.9999 },
  ];
  equal(
    blocks(rows, 0).map((b) => b.row),
    [0, 1, 2, 3],
  );
  equal(blocks(rows, 1), [
    { row: 0, depth: 0, left: 0, width: 1 },
    { row: 1, depth: 1, left: 0, width: 1 },
    { row: 2, depth: 2, left: 0.5, width: 0.5 },
  ]);
  equal(shadeOf("MatMul"), shadeOf("MatMul"));
});

test("a heat map has the value of each rank and step", () => {
  const part = (step: string, rank: string, start: number, long: number) => ({
    step,
    rank,
    start_micros: start,
    duration_micros: long,
  });
  const parts = [part("1", "r0", 10, 4), part("1", "r1", 13, 9)];
  const map = heat(parts, "duration_micros");
  equal(
    [map.least, map.most, map.steps, map.ranks],
    [4, 9, ["1"], ["r0", "r1"]],
  );
  equal([heatLevel(4, map), heatLevel(9, map)], [0, 4]);
  equal([...heat(parts, "late").values.values()], [0, 3]);
  equal([...heat(parts, "own").values.values()], [4, 9]);
  // A difference of 1 % is not hot.
  const near = [part("1", "r0", 0, 100), part("1", "r1", 0, 101)];
  equal(heatLevel(101, heat(near, "duration_micros")), 0);
  // All equal: none is hot.
  equal(heatLevel(4, heat(parts.slice(0, 1), "duration_micros")), 0);
});

test("the roof is the memory up to the ridge, then the float operations", () => {
  const peak = { peak_flops_per_second: 100, peak_bytes_per_second: 10 };
  equal(
    [1, 10, 50].map((at) => roof(peak, at)),
    [10, 100, 100],
  );
  equal(decades([0.2, 0, 30]), { from: -1, to: 2 });
  equal(decades([10]), { from: 1, to: 2 });
  equal(decades([]), { from: 0, to: 1 });
});

test("a change says whether it is more than noise, and its part of all", () => {
  const table = tableOf(
    [{ name: "micros_delta", unit: "micros" }],
    [
      { micros_delta: -50, micros_noise: 10 },
      { micros_delta: 5, micros_noise: 10 },
      { micros_delta: 5, micros_noise: null },
    ],
  );
  const judged = withJudgement(table, { total_micros_before: 100 }).rows;
  equal(
    judged.map((r) => r.judgement),
    ["more than noise", "within noise", "not known"],
  );
  close(Number(judged[0].of_total), -0.5);
  equal(withJudgement(tableOf([], []), {}).columns, []);
});

test("steps of two profiles are compared by their place", () => {
  const pairs = stepPairs([{ step: 100 }], [{ step: 7 }, { step: 8 }]);
  equal(pairs, [
    { at: 1, before: { step: 100 }, after: { step: 7 } },
    { at: 2, before: undefined, after: { step: 8 } },
  ]);
});

test("a slice of a device has the colour of what takes most of it", () => {
  equal(
    sliceKind({ compute_micros: 1, communication_micros: 2, copy_micros: 0 })
      .name,
    "communicates",
  );
  equal(sliceKind({ compute_micros: 0 }).name, "computes");
});
