// Events as CSV, one a line.

import { eventsOfLane, Extent, insideOf } from "./extent";
import { Model } from "./model";

const COLUMNS = [
  "start_ns",
  "duration_ns",
  "inside_ns", // the part of the duration that is in the range
  "self_ns",
  "name",
  "type",
  "node",
  "scope",
  "device",
  "lane",
  "kind",
  "step",
  "in_sums", // 0: the lane repeats another one, or only names ranges
];
const PIECE = 1 << 20; // characters

// A spreadsheet would run a text that begins like a formula.
function field(text: string): string {
  const safe = /^[=+\-@]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
}

// The file in pieces, lane by lane.
export function* csvOf(model: Model, extent: Extent): Generator<string> {
  const { data, perMicro } = model;
  let piece = COLUMNS.join(",") + "\r\n";
  // Ticks are whole; a product of whole numbers keeps more digits than a
  // quotient.
  const nanos = (ticks: number) =>
    String(
      perMicro <= 1000 ? ticks * (1000 / perMicro) : ticks / (perMicro / 1000),
    );
  for (const { index, lane } of model.lanes) {
    const device = field(model.deviceName(lane.device));
    const name = field(model.laneName(index));
    for (const e of eventsOfLane(model, extent, index)) {
      piece +=
        [
          nanos(data.start[e]),
          nanos(data.duration[e]),
          nanos(insideOf(model, e, extent.range)),
          nanos(model.selfOf(e)),
          field(model.nameOf(e)),
          field(model.opOf(e)),
          field(model.nodeOf(e)),
          field(model.pathOf(data.entryScope[data.entry[e]])),
          device,
          name,
          lane.kind,
          data.step[e] < 0 ? "" : String(data.head.stepNumbers[data.step[e]]),
          lane.counted ? "1" : "0",
        ].join(",") + "\r\n";
      if (piece.length < PIECE) continue;
      yield piece;
      piece = "";
    }
  }
  yield piece;
}
