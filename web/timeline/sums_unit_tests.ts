// Tests that work of accelerators and of hosts is summed apart.

import { equal, test } from "../shared/testing";
import { makeModel } from "./make_model";
import { placedSums, placedTotals } from "./sums";

test("a call and the kernel that it starts are two sums", () => {
  const model = makeModel(
    [
      { device: 0, kind: "compute" as const },
      { device: 1, kind: "compute" as const },
    ],
    [
      { lane: 0, start: 0, duration: 60, name: "a", op: "all_reduce", step: 0 },
      { lane: 0, start: 90, duration: 900, name: "b", op: "wait", step: 0 },
      {
        lane: 1,
        start: 50,
        duration: 177,
        name: "k",
        op: "all_reduce",
        step: 0,
      },
    ],
  );
  const { devices } = model.data.head;
  devices[0] = { ...devices[0], accelerator: false };
  devices[1] = { ...devices[1], accelerator: true };
  const list = placedTotals(
    model,
    (e) => model.data.entryOp[model.data.entry[e]],
    model.data.strings.length,
  );
  equal(
    list.map((t) => [model.text(t.key), t.accelerator, t.count, t.time]),
    [
      ["all_reduce", true, 1, 177],
      ["wait", false, 1, 900],
      ["all_reduce", false, 1, 60],
    ],
  );
  equal(placedSums(list), { accelerator: 177, host: 960 });
  // An event without a key is counted, too.
  equal(
    placedTotals(model, () => -1, 1).map((t) => [t.key, t.accelerator]),
    [
      [-1, true],
      [-1, false],
    ],
  );
});
