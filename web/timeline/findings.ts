// Finds the place of an advisor's finding on the timeline.
//
// The subject of a finding is a step, an op, a node or a device: the longest
// event of the subject is its place.

import { Model } from "./model";

// undefined: nothing on the page has the name of the subject.
export function placeOf(model: Model, subject: string): number | undefined {
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
  const id = data.strings.indexOf(subject);
  if (id >= 0) {
    const best = longest((e) => {
      const entry = data.entry[e];
      return (
        data.entryOp[entry] === id ||
        data.entryNode[entry] === id ||
        data.entryName[entry] === id
      );
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
  return device < 0
    ? undefined
    : longest((e) => model.laneHead(e).device === device);
}
