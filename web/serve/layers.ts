// A layered layout: each box is in a row below the boxes that it reads from.
// Edges that close a cycle do not count for the order. There is no recursion: a
// chain may be as long as the picture has boxes.

export interface Placed {
  layer: number[];
  place: number[]; // in the layer, from the left
  layers: number[][];
}

// The edges that lead back to a box that the depth-first walk has not left.
function backEdges(size: number, out: number[][]): Set<string> {
  const back = new Set<string>();
  const state = new Uint8Array(size); // 1: entered, 2: left
  for (let root = 0; root < size; ++root) {
    if (state[root] !== 0) continue;
    const stack: Array<[number, number]> = [[root, 0]];
    state[root] = 1;
    while (stack.length > 0) {
      const top = stack[stack.length - 1];
      const [box, next] = top;
      if (next === out[box].length) {
        state[box] = 2;
        stack.pop();
        continue;
      }
      ++top[1];
      const to = out[box][next];
      if (state[to] === 1) back.add(`${box} ${to}`);
      if (state[to] === 0) {
        state[to] = 1;
        stack.push([to, 0]);
      }
    }
  }
  return back;
}

// `edges` are pairs of boxes, 0 to size - 1; no edge leads to its own box.
export function layers(size: number, edges: Array<[number, number]>): Placed {
  const all: number[][] = Array.from({ length: size }, () => []);
  for (const [from, to] of edges) all[from].push(to);
  const back = backEdges(size, all);
  const out: number[][] = Array.from({ length: size }, () => []);
  const into: number[][] = Array.from({ length: size }, () => []);
  for (const [from, to] of edges) {
    if (back.has(`${from} ${to}`)) continue;
    out[from].push(to);
    into[to].push(from);
  }
  // The longest path from a box without inputs.
  const layer = new Array<number>(size).fill(0);
  const waits = into.map((list) => list.length);
  const ready = waits.flatMap((count, box) => (count === 0 ? [box] : []));
  for (let at = 0; at < ready.length; ++at) {
    for (const to of out[ready[at]]) {
      layer[to] = Math.max(layer[to], layer[ready[at]] + 1);
      if (--waits[to] === 0) ready.push(to);
    }
  }
  // A box without inputs whose first reader is far down moves down to it:
  // variables and constants.
  for (let at = ready.length - 1; at >= 0; --at) {
    const box = ready[at];
    if (into[box].length > 0 || out[box].length === 0) continue;
    layer[box] = Math.min(...out[box].map((to) => layer[to])) - 1;
  }
  const rows: number[][] = [];
  for (let box = 0; box < size; ++box) (rows[layer[box]] ??= []).push(box);
  for (let i = 0; i < rows.length; ++i) rows[i] ??= [];
  const place = new Array<number>(size).fill(0);
  const number = (row: number[]) =>
    row.forEach((box, i) => {
      place[box] = i - (row.length - 1) / 2;
    });
  rows.forEach(number);
  // Moves each box below the middle of its inputs, then above the middle of its
  // readers.
  for (let sweep = 0; sweep < 4; ++sweep) {
    const near = sweep % 2 === 0 ? into : out;
    for (const row of sweep % 2 === 0 ? rows : [...rows].reverse()) {
      const middle = new Map(
        row.map((box) => {
          const list = near[box];
          const sum = list.reduce((s, other) => s + place[other], 0);
          return [box, list.length === 0 ? place[box] : sum / list.length];
        }),
      );
      row.sort((a, b) => (middle.get(a) ?? 0) - (middle.get(b) ?? 0) || a - b);
      number(row);
    }
  }
  return { layer, place, layers: rows };
}
