// Rows: the events of a lane, packed so that no two of a row overlap, and a
// summary of each row in levels, so that the time to draw any part depends on
// its pixels and not on its events.
//
// An event goes into the first row that is free when it starts. Events are
// sorted by start, longer ones first, so that nested events look like a flame
// graph.

export const FAN = 8; // events, or blocks, in a block of the next level
const FAN_BITS = 3;
const LEAST_BLOCKS = 4 * FAN; // fewer have no level above them
// A block of many events that is at most this part of a pixel is not divided at
// the pixel's edge.
const FINE = 1 / 16;

// Where the blocks of a level are in time. One array after the other is read much
// faster than the times of events here and there.
export interface Span {
  start: Float64Array; // of the first event
  end: Float64Array; // of the last one
}

export interface Level {
  hit: Float32Array; // the time of chosen events in the block
  rest: Float32Array; // the time of the others
  top: Uint32Array; // the longest one, chosen events before others
}

export interface Row {
  events: Uint32Array; // sorted by start
  levels: Level[]; // level k has blocks of FAN^(k+1) events
  spans: Span[]; // of the levels
}

// Finds the first of `ends` that is at most `start`, with a tree of minimums.
class FreeRows {
  private size = 1;
  private least = new Float64Array([0, Infinity]);
  rows = 0;

  take(start: number, end: number): number {
    let node = 1;
    if (!(this.least[1] <= start)) {
      if (this.rows === this.size) this.grow();
      node = this.size + this.rows++;
    } else {
      while (node < this.size) {
        node = this.least[2 * node] <= start ? 2 * node : 2 * node + 1;
      }
    }
    const row = node - this.size;
    this.least[node] = end;
    for (node >>= 1; node >= 1; node >>= 1) {
      this.least[node] = Math.min(
        this.least[2 * node],
        this.least[2 * node + 1],
      );
    }
    return row;
  }

  private grow() {
    const old = this.least;
    const oldSize = this.size;
    this.size *= 2;
    this.least = new Float64Array(2 * this.size).fill(Infinity);
    this.least.set(old.subarray(oldSize, 2 * oldSize), this.size);
    for (let n = this.size - 1; n >= 1; --n) {
      this.least[n] = Math.min(this.least[2 * n], this.least[2 * n + 1]);
    }
  }
}

// Packs the events first … last - 1 into rows. Sets rowOf of each event.
export function packRows(
  start: Float64Array,
  duration: Float64Array,
  first: number,
  last: number,
  rowOf: Uint32Array,
): Row[] {
  const free = new FreeRows();
  const sizes: number[] = [];
  for (let e = first; e < last; ++e) {
    // An event without a length takes a tick, so that two do not overlap.
    const end = start[e] + (duration[e] > 0 ? duration[e] : 1);
    const row = free.take(start[e], end);
    rowOf[e] = row;
    sizes[row] = (sizes[row] ?? 0) + 1;
  }
  const rows = sizes.map((size) => ({
    events: new Uint32Array(size),
    levels: [] as Level[],
    spans: [] as Span[],
  }));
  const used = new Uint32Array(rows.length);
  for (let e = first; e < last; ++e) {
    rows[rowOf[e]].events[used[rowOf[e]]++] = e;
  }
  for (const row of rows) row.spans = spansOf(row.events, start, duration);
  return rows;
}

function spansOf(
  events: Uint32Array,
  start: Float64Array,
  duration: Float64Array,
): Span[] {
  const spans: Span[] = [];
  let size = events.length;
  for (let step = FAN; size > LEAST_BLOCKS; step *= FAN) {
    size = Math.ceil(size / FAN);
    const span = { start: new Float64Array(size), end: new Float64Array(size) };
    for (let b = 0; b < size; ++b) {
      const last = events[Math.min((b + 1) * step, events.length) - 1];
      span.start[b] = start[events[b * step]];
      span.end[b] = start[last] + duration[last];
    }
    spans.push(span);
  }
  return spans;
}

// Fills the levels of a row. `chosen` is by event; undefined: all are chosen.
export function summarize(
  row: Row,
  duration: Float64Array,
  chosen: Uint8Array | undefined,
) {
  row.levels = [];
  let size = row.events.length;
  for (let level = 0; size > LEAST_BLOCKS; ++level) {
    const blocks = Math.ceil(size / FAN);
    const hit = new Float32Array(blocks);
    const rest = new Float32Array(blocks);
    const top = new Uint32Array(blocks);
    const below: Level | undefined = row.levels[level - 1];
    for (let b = 0; b < blocks; ++b) {
      let best = -1;
      let longest = -1;
      for (let i = b * FAN; i < Math.min(size, (b + 1) * FAN); ++i) {
        const e = below ? below.top[i] : row.events[i];
        const is = chosen === undefined || chosen[e] === 1;
        if (below) {
          hit[b] += below.hit[i];
          rest[b] += below.rest[i];
        } else if (is) {
          hit[b] += duration[e];
        } else {
          rest[b] += duration[e];
        }
        const score = is ? duration[e] : duration[e] - 1e300;
        if (best < 0 || score > longest) {
          best = e;
          longest = score;
        }
      }
      top[b] = best;
    }
    row.levels.push({ hit, rest, top });
    size = blocks;
  }
}

// A picture of a row: for each pixel, the shares of its time that are busy with
// chosen events and with others, and its longest event. -1: none.
export interface Sampled {
  hit: Float32Array;
  rest: Float32Array;
  top: Int32Array;
}

export function newSampled(width: number): Sampled {
  return {
    hit: new Float32Array(width),
    rest: new Float32Array(width),
    top: new Int32Array(width).fill(-1),
  };
}

export interface Source {
  start: Float64Array;
  duration: Float64Array;
  chosen: Uint8Array | undefined;
}

// The position of the first event of the row that ends after `time`.
export function firstAfter(row: Row, source: Source, time: number): number {
  let low = 0;
  let high = row.events.length;
  while (low < high) {
    const mid = (low + high) >> 1;
    const e = row.events[mid];
    if (source.start[e] + source.duration[e] > time) high = mid;
    else low = mid + 1;
  }
  // Includes instant events at `time` itself.
  while (low > 0 && source.start[row.events[low - 1]] >= time) --low;
  return low;
}

// Adds the row to `out`, whose pixels are `perPixel` ticks wide, starting at
// `from`. `wide` gets each event of at least `widePixels`.
export function sample(
  row: Row,
  source: Source,
  from: number,
  perPixel: number,
  out: Sampled,
  widePixels: number,
  wide: (event: number, x0: number, x1: number) => void,
) {
  const { start, duration, chosen } = source;
  const width = out.top.length;
  const events = row.events;
  const size = events.length;
  const until = from + perPixel * width;
  let best = -1; // the duration of out.top of the pixel `bestX`
  let bestX = -1;
  const put = (
    x: number,
    e: number,
    is: boolean,
    part: number,
    value: number,
  ) => {
    if (is) out.hit[x] += part;
    else out.rest[x] += part;
    const score = is ? value : value - 1e300;
    if (x !== bestX || out.top[x] < 0 || score > best) {
      if (x === bestX || out.top[x] < 0 || is) out.top[x] = e;
      best = score;
      bestX = x;
    }
  };
  const { levels, spans } = row;
  const fine = perPixel * FINE;
  for (let i = firstAfter(row, source, from); i < size; ) {
    const aligned = (i & (FAN - 1)) === 0 && spans.length > 0;
    const begin = aligned ? spans[0].start[i >> FAN_BITS] : start[events[i]];
    if (begin >= until) break;
    const x = Math.max(0, Math.floor((begin - from) / perPixel));
    const edge = from + (x + 1) * perPixel;
    // Finds the largest block that begins here and is inside this pixel.
    let level = -1;
    for (
      let k = 0, b = i >> FAN_BITS;
      aligned && k < spans.length;
      ++k, b >>= FAN_BITS
    ) {
      const end = spans[k].end[b];
      if (end > edge && (k === 0 || end - begin > fine)) break;
      level = k;
      if ((b & (FAN - 1)) !== 0) break;
    }
    if (level >= 0 && begin >= from) {
      const b = i >> (FAN_BITS * (level + 1));
      const of = levels[level];
      const top = of.top[b];
      const is = chosen === undefined || chosen[top] === 1;
      put(x, top, is, 0, duration[top]);
      out.hit[x] += of.hit[b] / perPixel;
      out.rest[x] += of.rest[b] / perPixel;
      i = (b + 1) << (FAN_BITS * (level + 1));
      continue;
    }
    const e = events[i++];
    const end = begin + duration[e];
    const is = chosen === undefined || chosen[e] === 1;
    if (end <= edge) {
      put(x, e, is, (end - Math.max(begin, from)) / perPixel, duration[e]);
      continue;
    }
    put(x, e, is, (edge - Math.max(begin, from)) / perPixel, duration[e]);
    const last = Math.min(width - 1, Math.floor((end - from) / perPixel));
    const full = end >= until ? width - 1 : last - 1;
    const column = is ? out.hit : out.rest;
    for (let p = x + 1; p <= full; ++p) {
      column[p] += 1;
      out.top[p] = e;
    }
    if (full < last) {
      put(
        last,
        e,
        is,
        (end - (from + last * perPixel)) / perPixel,
        duration[e],
      );
    }
    if ((end - begin) / perPixel >= widePixels) {
      wide(e, (begin - from) / perPixel, (end - from) / perPixel);
    }
  }
}
