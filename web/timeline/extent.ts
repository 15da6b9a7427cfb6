// Which events a file gets: all, those of the view, of a range, or those found.

import { Model } from "./model";
import { Range } from "./sums";

export interface Extent {
  name: string; // "the selected range"
  range?: Range;
  onlyChosen: boolean; // only what search and filters have found
}

// The events of a lane that are in the range, also if only a part of them is, by
// start. Lanes that repeat others have events, too.
export function eventsOfLane(
  model: Model,
  { range, onlyChosen }: Extent,
  lane: number,
): number[] {
  const found: number[] = [];
  if (range?.lanes && !range.lanes.has(lane)) return found;
  const { start } = model.data;
  const { first, last } = model.lanes[lane];
  const chosen = onlyChosen ? model.chosen : undefined;
  for (let e = first; e < last; ++e) {
    if (range && start[e] >= range.to) break;
    if (range && start[e] < range.from && model.end(e) <= range.from) continue;
    if (!chosen || chosen[e]) found.push(e);
  }
  return found;
}

// The part of an event that is in the range, in ticks.
export function insideOf(model: Model, event: number, range?: Range): number {
  const start = model.data.start[event];
  const end = model.end(event);
  return range
    ? Math.round(Math.min(end, range.to) - Math.max(start, range.from))
    : end - start;
}

export function sizeOf(model: Model, extent: Extent): number {
  if (!extent.range) return extent.onlyChosen ? model.numChosen : model.size;
  return model.lanes.reduce(
    (sum, { index }) => sum + eventsOfLane(model, extent, index).length,
    0,
  );
}
