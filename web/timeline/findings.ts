// Finds the place of an advisor's finding on the timeline.
//
// The subject of a finding is a step, an op, a node or a device: the longest
// event of the subject is its place. What a device waits for is not on it: of
// those findings it is the longest event of what the text names first.

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

// undefined: nothing on the page has the name of the subject, or one of those in
// the text.
export function placeOf(
  model: Model,
  subject: string,
  text = "",
): number | undefined {
  const { data } = model;
  if (subject === "") return undefined;
  const longest = (is: (event: number) => boolean) => {
    let best: number | undefined;
    for (let e = 0; e < model.size; ++e) {
      if (!model.laneHead(e).counted || !is(e)) continue;
      if (best === undefined || data.duration[e] > data.duration[best])
        best = e;
    }
    return best;
  };
  const step = /^step (-?\d+)/.exec(subject);
  if (step) {
    const at = data.head.stepNumbers.indexOf(Number(step[1]));
    return at < 0 ? undefined : longest((e) => data.step[e] === at);
  }
  const longestOf = (id: number) =>
    longest((e) => {
      const entry = data.entry[e];
      return (
        data.entryOp[entry] === id ||
        data.entryNode[entry] === id ||
        data.entryName[entry] === id
      );
    });
  const own = longestOf(data.strings.indexOf(subject));
  if (own !== undefined) return own;
  const named = namedIn(model, text);
  const place = named === undefined ? undefined : longestOf(named);
  if (place !== undefined) return place;
  const device = data.head.devices.findIndex(
    (d) =>
      subject === d.label ||
      subject === d.name ||
      d.name.startsWith(subject + " (") ||
      subject.endsWith(" " + d.label),
  );
  return device < 0
    ? undefined
    : longest((e) => model.laneHead(e).device === device);
}
