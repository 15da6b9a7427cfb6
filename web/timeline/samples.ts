// The pictures of rows, kept from frame to frame. A view that moves keeps its
// scale, so only the pixels that come into it are sampled.
//
// Pixels are numbered from time 0, so that those of two frames are the same: a
// picture is off by half a pixel at most.

import { Model } from "./model";
import { newSampled, sample, Sampled } from "./rows";

// Beyond that, numbers of pixels have no room for fractions.
const MOST_PIXELS = 2 ** 40;
// The same scale, as far as numbers tell.
const SAME = 1e-9;

export interface Picture {
  sampled: Sampled;
  wide: Set<number>; // the events with at least `widePixels`
}

interface Kept extends Picture {
  first: number; // the number of its first pixel
}

export class Samples {
  private before = new Map<string, Kept>();
  private now = new Map<string, Kept>();
  private first = 0;
  private width = 0;
  private chosen: Uint8Array | undefined;
  from = 0; // the time of the first pixel
  perPixel = 1;

  constructor(
    private readonly model: Model,
    private readonly widePixels: number,
  ) {}

  // Begins a frame. What the frame before did not ask for is forgotten.
  begin(from: number, perPixel: number, width: number) {
    const { chosen } = this.model;
    this.before = this.now;
    this.now = new Map();
    if (
      Math.abs(perPixel - this.perPixel) > SAME * perPixel ||
      width !== this.width ||
      chosen !== this.chosen
    ) {
      this.before.clear();
      this.perPixel = perPixel;
      this.width = width;
      this.chosen = chosen;
    }
    this.first = Math.round(from / this.perPixel);
    if (Math.abs(this.first) > MOST_PIXELS) {
      this.before.clear();
      this.from = from;
    } else {
      this.from = this.first * this.perPixel;
    }
  }

  // The picture of rows, which are pairs of a lane and a row of it, on top of
  // each other.
  of(rows: Array<[number, number]>): Picture {
    const key = rows.join();
    const known = this.now.get(key);
    if (known) return known;
    const old = this.before.get(key);
    const moved = old ? this.first - old.first : this.width;
    const kept: Kept =
      old && Math.abs(moved) < this.width
        ? old
        : {
            first: this.first,
            sampled: newSampled(this.width),
            wide: new Set(),
          };
    if (kept === old) {
      this.move(old, moved);
      if (moved > 0) this.add(kept, rows, this.width - moved, this.width);
      if (moved < 0) this.add(kept, rows, 0, -moved);
    } else {
      this.add(kept, rows, 0, this.width);
    }
    this.now.set(key, kept);
    return kept;
  }

  private move(kept: Kept, by: number) {
    kept.first = this.first;
    if (by === 0) return;
    const { hit, rest, top } = kept.sampled;
    const { start, duration } = this.model.data;
    const [from, to] = by > 0 ? [this.width - by, this.width] : [0, -by];
    for (const pixels of [hit, rest, top]) {
      if (by > 0) pixels.copyWithin(0, by);
      else pixels.copyWithin(-by, 0);
      pixels.fill(pixels === top ? -1 : 0, from, to);
    }
    // Of what ends in the first pixel, no edge is seen.
    const begin = this.from + this.perPixel;
    const end = this.from + this.width * this.perPixel;
    for (const e of kept.wide)
      if (start[e] >= end || start[e] + duration[e] <= begin)
        kept.wide.delete(e);
  }

  private add(
    { sampled, wide }: Kept,
    rows: Array<[number, number]>,
    first: number,
    last: number,
  ) {
    const { start, duration } = this.model.data;
    const part: Sampled = {
      hit: sampled.hit.subarray(first, last),
      rest: sampled.rest.subarray(first, last),
      top: sampled.top.subarray(first, last),
    };
    for (const [lane, row] of rows) {
      sample(
        this.model.lanes[lane].rows[row],
        { start, duration, chosen: this.model.chosen },
        this.from + first * this.perPixel,
        this.perPixel,
        part,
        this.widePixels,
        (e) => wide.add(e),
      );
    }
  }
}
