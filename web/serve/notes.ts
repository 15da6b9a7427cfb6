// The notes of an answer, which the program would print on stderr, as lines of a
// page.

import { el } from "../shared/dom";
import { readable, sentence } from "../shared/format";

// What the reference says of each file of run metadata, as a number.
const COVERAGE = /^run graph coverage: ([\d.]+)$/;
const MORE_COVERAGE = /^run graph coverage: /;
// The page of advice has a table of what checkers lack.
const SKIPPED = /^Missing .*(\. Skip| for) \w+Checker$/;

// Sentences for people. Each file's coverage has those of the files before it:
// the last one says it all.
export function noteTexts(notes: string[]): string[] {
  const shares = notes
    .map((note) => COVERAGE.exec(note)?.[1])
    .filter((share) => share !== undefined);
  const texts = notes
    .filter((note) => !MORE_COVERAGE.test(note) && !SKIPPED.test(note))
    .map((note) => sentence(readable(note)));
  if (shares.length > 0) {
    const percent = Math.round(100 * Number(shares[shares.length - 1]));
    texts.unshift(
      `${percent} % of the nodes of the graph ran in what was recorded; ` +
        "initializers and savers do not run in a step.",
    );
  }
  return texts;
}

// What a profile lacks, without the commands that a page cannot run.
export function lackText(message: string): string {
  const text = readable(message).replace(
    /[.:]? (Try: .*|\(status says .*)$/,
    "",
  );
  return `${sentence(text)}.`;
}

export function noteList(notes: string[]): HTMLElement[] {
  return noteTexts(notes).map((text) => el("p", { class: "note", text }));
}
