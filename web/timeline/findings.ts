// Finds the place of an advisor's finding on the timeline.
//
// The subject of a finding is a step, an op, a node or a device: the longest
// event of the subject is its place. What a device waits for is not on it: of
// those findings it is the longest event of what the text names first.

import { Lane } from "./decode";
import { Model } from "./model";

// Words of a sentence, which may be names of events too.
const WORD = /^[a-z]*$/;
const LETTER = /[\w/:.]/;

// The first event name in a sentence, the longest of several at one place, as the
// number of its text.
export function namedIn(model: Model, text: string): number | undefined {
  const { strings, entryOp, entryNode, entryName } = model.data;
  let best: { id: number; at: number; length: number } | undefined;
  for (const id of new Set([...entryOp, ...entryNode, ...entryName])) {
    const name = strings[id];
    if (name === undefined || WORD.test(name)) continue;
    const at = text.indexOf(name);
    if (at < 0 || (at > 0 && LETTER.test(text[at - 1]))) continue;
    const after = text[at + name.length];
    if (after !== undefined && /[\w/]/.test(after)) continue;
    if (
      best === undefined ||
      at < best.at ||
      (at === best.at && name.length > best.length)
    )
      best = { id, at, length: name.length };
  }
  return best?.id;
}

// Looks at all events that count.
function eachCounted(model: Model, look: (event: number, lane: Lane) => void) {
  for (const { lane, rows } of model.lanes) {
    if (!lane.counted) continue;
    for (const { events } of rows) for (const e of events) look(e, lane);
  }
}

// The longest event of each entry; -1: none counts. It is looked for once, for all
// findings of a page.
const longestOfModel = new WeakMap<Model, Int32Array>();

function longestByEntry(model: Model): Int32Array {
  const known = longestOfModel.get(model);
  if (known) return known;
  const { entry, duration, entryOp } = model.data;
  const best = new Int32Array(entryOp.length).fill(-1);
  eachCounted(model, (e) => {
    const of = best[entry[e]];
    if (of < 0 || duration[e] > duration[of]) best[entry[e]] = e;
  });
  longestOfModel.set(model, best);
  return best;
}

// undefined: nothing on the page has the name of the subject, or one of those in
// the text.
export function placeOf(
  model: Model,
  subject: string,
  text = "",
): number | undefined {
  const { data } = model;
  const { duration } = data;
  if (subject === "") return undefined;
  let best: number | undefined;
  const add = (e: number) => {
    if (best === undefined || duration[e] > duration[best]) best = e;
  };
  const step = /^step (-?\d+)/.exec(subject);
  if (step) {
    const at = data.head.stepNumbers.indexOf(Number(step[1]));
    if (at < 0) return undefined;
    eachCounted(model, (e) => {
      if (data.step[e] === at) add(e);
    });
    return best;
  }
  for (const id of [data.strings.indexOf(subject), namedIn(model, text)]) {
    if (id === undefined || id < 0) continue;
    longestByEntry(model).forEach((e, entry) => {
      const is =
        data.entryOp[entry] === id ||
        data.entryNode[entry] === id ||
        data.entryName[entry] === id;
      if (is && e >= 0) add(e);
    });
    if (best !== undefined) return best;
  }
  const device = data.head.devices.findIndex(
    (d) =>
      subject === d.label ||
      subject === d.name ||
      d.name.startsWith(subject + " (") ||
      subject.endsWith(" " + d.label),
  );
  if (device < 0) return undefined;
  eachCounted(model, (e, lane) => {
    if (lane.device === device) add(e);
  });
  return best;
}
