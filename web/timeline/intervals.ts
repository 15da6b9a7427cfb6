// Sets of times as sorted, disjoint intervals: [start, end, start, end, …].

export type Intervals = Float64Array;

// The union of [starts[i], ends[i]) in any order. Empty ones are left out.
export function union(starts: Float64Array, ends: Float64Array): Intervals {
  const size = starts.length;
  let ordered = true;
  for (let i = 1; i < size && ordered; ++i)
    ordered = starts[i - 1] <= starts[i];
  let order: Uint32Array | undefined;
  if (!ordered) {
    order = new Uint32Array(size);
    for (let i = 0; i < size; ++i) order[i] = i;
    order.sort((a, b) => starts[a] - starts[b]);
  }
  const result = new Float64Array(2 * size);
  let used = 0;
  for (let k = 0; k < size; ++k) {
    const i = order ? order[k] : k;
    if (ends[i] <= starts[i]) continue;
    if (used > 0 && starts[i] <= result[used - 1]) {
      if (ends[i] > result[used - 1]) result[used - 1] = ends[i];
    } else {
      result[used++] = starts[i];
      result[used++] = ends[i];
    }
  }
  return result.slice(0, used);
}

export function length(set: Intervals): number {
  let sum = 0;
  for (let i = 0; i < set.length; i += 2) sum += set[i + 1] - set[i];
  return sum;
}

export function merge(a: Intervals, b: Intervals): Intervals {
  const starts = new Float64Array((a.length + b.length) / 2);
  const ends = new Float64Array(starts.length);
  let n = 0;
  for (let i = 0, j = 0; i < a.length || j < b.length; ++n) {
    if (j >= b.length || (i < a.length && a[i] <= b[j])) {
      starts[n] = a[i];
      ends[n] = a[i + 1];
      i += 2;
    } else {
      starts[n] = b[j];
      ends[n] = b[j + 1];
      j += 2;
    }
  }
  return union(starts, ends);
}

export function intersect(a: Intervals, b: Intervals): Intervals {
  const result: number[] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const start = Math.max(a[i], b[j]);
    const end = Math.min(a[i + 1], b[j + 1]);
    if (end > start) result.push(start, end);
    if (a[i + 1] < b[j + 1]) i += 2;
    else j += 2;
  }
  return Float64Array.from(result);
}
