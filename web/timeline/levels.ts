// The level of a counter over time, and the holders of memory at its peak.

import { Model } from "./model";

export interface Level {
  time: Float64Array;
  value: Float64Array;
  least: number;
  most: number;
  peak: number; // the sample
  // The index of the last sample at or before a time; -1 if there is none.
  indexAt(at: number): number;
}

export function levelOf(model: Model, counter: number): Level {
  const samples = model.data.samples[counter];
  const { change } = model.data.head.counters[counter];
  const value = new Float64Array(samples.value.length);
  let sum = 0;
  for (let i = 0; i < value.length; ++i) {
    sum = change ? sum + samples.value[i] : samples.value[i];
    value[i] = sum;
  }
  let least = Infinity;
  let most = -Infinity;
  let peak = 0;
  for (let i = 0; i < value.length; ++i) {
    least = Math.min(least, value[i]);
    if (value[i] > most) {
      most = value[i];
      peak = i;
    }
  }
  return {
    time: samples.time,
    value,
    least,
    most,
    peak,
    indexAt: (at) => {
      let low = 0;
      let high = samples.time.length;
      while (low < high) {
        const mid = (low + high) >> 1;
        if (samples.time[mid] <= at) low = mid + 1;
        else high = mid;
      }
      return low - 1;
    },
  };
}

// The samples between two times, and the least and the largest value there. The
// value that a sample before `from` has set is one of them.
export function levelIn(
  level: Level,
  from: number,
  to: number,
): { samples: number; least: number; most: number } {
  const before = level.indexAt(from);
  let samples = 0;
  let least = before < 0 ? Infinity : level.value[before];
  let most = before < 0 ? -Infinity : level.value[before];
  for (
    let i = before + 1;
    i < level.time.length && level.time[i] < to;
    ++i, ++samples
  ) {
    least = Math.min(least, level.value[i]);
    most = Math.max(most, level.value[i]);
  }
  return { samples, least, most };
}

export interface Owner {
  event: number;
  bytes: number;
}

// The events with positive changes up to the peak, largest first.
export function ownersAt(
  model: Model,
  counter: number,
  sample: number,
): Owner[] {
  const samples = model.data.samples[counter];
  if (!model.data.head.counters[counter].change) return [];
  const held = new Map<number, number>();
  for (let i = 0; i <= sample; ++i) {
    const event = samples.event[i];
    if (event < 0) continue;
    held.set(event, (held.get(event) ?? 0) + samples.value[i]);
  }
  return [...held]
    .filter(([, bytes]) => bytes > 0)
    .map(([event, bytes]) => ({ event, bytes }))
    .sort((a, b) => b.bytes - a.bytes || a.event - b.event);
}
