// Search and filters, which choose events.
//
// The words of a search must all be in the name, type, node or tensor of an
// event, in any case. A prefix limits a word to one property: type:, name:,
// scope:, device:, lane:, kind:, step:, tensor:, from:, to:; dur>10us and
// dur<1ms compare the duration. /…/ is a regular expression. A minus before a
// word excludes its matches.

import { parseTime } from "../shared/format";
import { Model } from "./model";

export interface Filter {
  type: string; // "": all
  scope: string; // a path; "": all
  device: number; // -1: all
  kind: string; // "": all
  min: number; // ticks
  max: number; // Infinity: no limit
}

export const NO_FILTER: Filter = {
  type: "",
  scope: "",
  device: -1,
  kind: "",
  min: 0,
  max: Infinity,
};

export function isEmpty(f: Filter): boolean {
  return (
    f.type === "" &&
    f.scope === "" &&
    f.device < 0 &&
    f.kind === "" &&
    f.min <= 0 &&
    f.max === Infinity
  );
}

type Test = (event: number) => boolean;

export class BadQuery extends Error {}

function textTest(body: string): (text: string) => boolean {
  if (body.length > 1 && body.startsWith("/")) {
    const end = body.lastIndexOf("/");
    const pattern = end > 0 ? body.slice(1, end) : body.slice(1);
    let expression: RegExp;
    try {
      expression = new RegExp(pattern, "iu");
    } catch (error) {
      throw new BadQuery(
        `not a regular expression: ${(error as Error).message}`,
      );
    }
    return (text) => expression.test(text);
  }
  const wanted = body.toLowerCase();
  return (text) => text.toLowerCase().includes(wanted);
}

// Remembers the answer for each id, so that each text is tested once.
function byId(
  test: (text: string) => boolean,
  text: (id: number) => string,
): (id: number) => boolean {
  const known = new Map<number, boolean>();
  return (id) => {
    let answer = known.get(id);
    if (answer === undefined) {
      answer = test(text(id));
      known.set(id, answer);
    }
    return answer;
  };
}

function wordTest(model: Model, word: string): Test {
  const { data } = model;
  const duration = /^dur(?:ation)?(<=|>=|<|>)(.+)$/.exec(word);
  if (duration) {
    const limit = parseTime(duration[2], model.perMicro);
    if (limit === undefined) {
      throw new BadQuery(`not a duration: ${duration[2]}; write dur>10us`);
    }
    const least = duration[1].startsWith(">");
    const equal = duration[1].endsWith("=");
    return (e) => {
      const d = data.duration[e];
      return d === limit ? equal : d > limit === least;
    };
  }
  const part =
    /^(type|name|scope|device|lane|kind|step|tensor|from|to):(.*)$/s.exec(word);
  const test = textTest(part ? part[2] : word);
  const known = byId(test, (id) => model.text(id));
  const laneTest = (text: (lane: number) => string): Test => {
    const ofLane = byId(test, text);
    return (e) => ofLane(model.laneOf[e]);
  };
  switch (part?.[1]) {
    case "type":
      return (e) => known(data.entryOp[data.entry[e]]);
    case "name":
      return (e) => known(data.entryName[data.entry[e]]);
    case "scope": {
      const ofScope = byId(test, (id) => model.pathOf(id));
      return (e) => ofScope(data.entryScope[data.entry[e]]);
    }
    case "device":
      return laneTest((l) => model.deviceName(model.lanes[l].lane.device));
    case "lane":
      return laneTest((l) => model.laneName(l));
    case "kind":
      return laneTest((l) => model.lanes[l].lane.kind);
    case "step":
      return (e) =>
        data.step[e] >= 0 &&
        String(data.head.stepNumbers[data.step[e]]) === part?.[2];
    case "tensor":
    case "from":
    case "to": {
      const key = part[1] as "tensor" | "from" | "to";
      return (e) => {
        const moved = model.transfer(e);
        return moved !== undefined && moved[key] >= 0 && known(moved[key]);
      };
    }
    default: {
      const ofEntry = byId(
        (id) => id !== "" && test(id),
        (entry) => entryText(model, entry),
      );
      return (e) => {
        if (ofEntry(data.entry[e])) return true;
        const moved = model.transfer(e);
        return moved !== undefined && moved.tensor >= 0 && known(moved.tensor);
      };
    }
  }
}

function entryText(model: Model, entry: number): string {
  const { data } = model;
  const name = model.text(data.entryName[entry]);
  const op = model.text(data.entryOp[entry]);
  const node = model.text(data.entryNode[entry]);
  return `${op}\n${name}\n${node}`;
}

// Blanks separate words, except inside /…/ and "…".
export function words(query: string): string[] {
  const found: string[] = [];
  const pattern =
    /-?(?:[a-z]+:)?(?:\/(?:[^\/\\]|\\.)*(?:\/|$)(?=\s|$)|"[^"]*"?|[^\s"]+)/giy;
  for (let at = 0; at < query.length; ) {
    if (/\s/.test(query[at])) {
      ++at;
      continue;
    }
    pattern.lastIndex = at;
    const match = pattern.exec(query);
    const word = match ? match[0] : query.slice(at).split(/\s/)[0];
    found.push(word);
    at += Math.max(1, word.length);
  }
  return found;
}

function tests(model: Model, query: string): Test[] {
  return words(query).map((word) => {
    const negative = word.length > 1 && word.startsWith("-");
    const body = (negative ? word.slice(1) : word).replace(
      /^((?:[a-z]+:)?)"([^"]*)"?$/i,
      "$1$2",
    );
    const test = wordTest(model, body);
    return negative ? (e: number) => !test(e) : test;
  });
}

function filterTests(model: Model, filter: Filter): Test[] {
  const { data } = model;
  const list: Test[] = [];
  if (filter.type !== "") {
    list.push((e) => model.opOf(e) === filter.type);
  }
  if (filter.scope !== "") {
    const inside = byId(
      (path) => path === filter.scope || path.startsWith(filter.scope + "/"),
      (scope) => model.pathOf(scope),
    );
    list.push((e) => inside(data.entryScope[data.entry[e]]));
  }
  if (filter.device >= 0) {
    list.push((e) => model.laneHead(e).device === filter.device);
  }
  if (filter.kind !== "")
    list.push((e) => model.laneHead(e).kind === filter.kind);
  if (filter.min > 0) list.push((e) => data.duration[e] >= filter.min);
  if (filter.max < Infinity) list.push((e) => data.duration[e] <= filter.max);
  return list;
}

// The choice for each event; undefined: all are chosen. Throws BadQuery.
export function chosenEvents(
  model: Model,
  query: string,
  filter: Filter,
): Uint8Array | undefined {
  const all = [...filterTests(model, filter), ...tests(model, query)];
  if (all.length === 0) return undefined;
  const chosen = new Uint8Array(model.size);
  for (let e = 0; e < model.size; ++e) {
    chosen[e] = all.every((test) => test(e)) ? 1 : 0;
  }
  return chosen;
}

// The next chosen event after `from` in order of time, wrapping around; with
// `back`, the previous one. -1: none is chosen.
export function nextChosen(model: Model, from: number, back: boolean): number {
  const { start } = model.data;
  const before = (a: number, b: number) =>
    start[a] < start[b] || (start[a] === start[b] && a < b);
  let best = -1;
  let edge = -1; // the first or the last chosen one
  for (let e = 0; e < model.size; ++e) {
    if (model.chosen && !model.chosen[e]) continue;
    if (edge < 0 || (back ? before(edge, e) : before(e, edge))) edge = e;
    if (from < 0 || e === from) continue;
    if (back ? !before(e, from) : !before(from, e)) continue;
    if (best < 0 || (back ? before(best, e) : before(e, best))) best = e;
  }
  return best < 0 ? edge : best;
}

// The position of an event among the chosen ones, from 1.
export function rankOf(model: Model, event: number): number {
  const { start } = model.data;
  let rank = 1;
  for (let e = 0; e < model.size; ++e) {
    if (model.chosen && !model.chosen[e]) continue;
    if (start[e] < start[event] || (start[e] === start[event] && e < event)) {
      ++rank;
    }
  }
  return rank;
}
