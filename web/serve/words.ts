// The words of the pages: headings as the terminal prints them, and what they
// mean, from the glossary of the program.

import { ColumnInfo, Term } from "./client";

let terms: Term[] = [];

// What headings mean that no command prints with another meaning.
export const OWN: Record<string, string> = {
  after: "Of this profile.",
  allocations: "How many allocations it holds then.",
  "at least": "The least that its clock can be behind the main one.",
  "at most": "The most that its clock can be behind the main one.",
  attempts: "How often the compiler began again.",
  bandwidth: "Bytes that were read and written, per second.",
  bytes: "How many bytes were read and written, or moved.",
  "called up to": "The number of the last collective that it called.",
  "came last": "How often the others waited for it.",
  change: "After, less before.",
  checker: "A rule that looks for one kind of problem.",
  clock: "Whose clock: each process has its own.",
  collectives: "How many collectives the ranks have in common.",
  compared: "How many of its collectives are compared with those of others.",
  "completed up to": "The number of the last collective that it completed.",
  count: "How often it ran.",
  delta: "After, less before.",
  description: "The name of the group.",
  device: "Where it ran: an accelerator, or the threads of a host.",
  devices: "How many devices are of this model.",
  duration: "From the start to the end of the step on this rank.",
  end: "When it ended, from the start of the step.",
  "end skew": "From the end of the first to the end of the last rank.",
  entries: "How many collectives its recording has.",
  file: "Where it is.",
  findings: "How much the checker found.",
  format: "What kind of file it is.",
  "freed in all": "Its allocations that were freed, in all of the recording.",
  from: "Where the limits are known from.",
  function: "The function that was compiled.",
  "graph nodes": "How many operations the compiled graph has.",
  group: "The ranks that call collectives together.",
  id: "The number of the frame, and how often it was compiled before.",
  "input sizes": "The shapes of the tensors that it was called with.",
  "is it noise?":
    "Whether the change is larger than the usual differences of the steps.",
  kind: "Whether it computes, communicates, copies, or launches work.",
  lacked: "What the checker misses in the recording.",
  length: "How long it took.",
  line: "The line of source.",
  lines: "The lines of source that called it.",
  longest: "The longest step of a rank.",
  "looked for": "What the checker looks for.",
  "made in all": "Its allocations, in all of the recording.",
  matched: "How many events were found on both clocks.",
  max: "The longest one.",
  mean: "The sum divided by the number of times.",
  "mean life": "How long its allocations lived, on average.",
  members: "How many ranks the group has.",
  min: "The shortest one.",
  "missing ranks": "The ranks that did not call it.",
  model: "The name of the accelerator.",
  "most of it": "What takes most of the part.",
  name: "What ran, or a part of the model.",
  node: "The operation of the graph.",
  noise: "By how much steps differ anyway.",
  "not judged because": "Why the checker does not apply to the recording.",
  number: "The number of the collective in its group.",
  of: "What recorded it.",
  op: "The type of the operation.",
  operation: "The type of the operation.",
  operations: "Float operations: additions and multiplications.",
  ops: "The operations that started it.",
  overwritten: "How many entries the recorder dropped to make room.",
  owner: "The line of the program that made the allocations.",
  part: "What the time went into.",
  path: "Where the file is.",
  "per second": "Bytes per second.",
  phase: "A part of the work of the compiler.",
  problem: "How the calls of the ranks differ.",
  rank: "A process of the run.",
  ranks: "How many processes ran the step.",
  rate: "Float operations per second.",
  reason: "Why it was compiled again.",
  shortest: "The shortest step of a rank.",
  slowest: "The rank that the others wait for.",
  "slowest in": "In how many steps the others wait for it.",
  start: "When it began, from the start of the step.",
  "start skew": "From the start of the first to the start of the last rank.",
  state: "How well the clock is known.",
  status: "Whether it is in both profiles, new, or gone.",
  step: "One pass of the program, such as a batch.",
  steps: "How many steps it ran.",
  sum: "All of its times added up.",
  summary: "What was recorded.",
  time: "How long it took.",
  "time before": "The time in the profile that is compared with.",
  times: "How often it was compiled.",
  unrated: "Time of runs whose float operations are unknown.",
  "waits in": "The collective that it has called and not completed.",
  "which is": "What the time beside it is.",
  width: "Between the least and the most: how well the clock is known.",
};

const folded = (text: string) =>
  ` ${text.toLowerCase().replace(/[-_/]/g, " ")} `;

// Long terms first: "of wall" explains more than "wall".
export function setGlossary(glossary: Term[]) {
  terms = [...glossary].sort((a, b) => b.word.length - a.word.length);
}

// "self_cpu_micros" is "self cpu".
export function plain(name: string): string {
  if (name === "micros" || name === "op_micros") return "time";
  return name.replace(/_micros$/, "").replace(/_/g, " ");
}

export function heading(column: ColumnInfo): string {
  return column.title ?? plain(column.name);
}

// The meaning of a heading: of each term in it, or of the name of its column.
// "": the glossary has nothing.
export function meaning(column: ColumnInfo): string {
  const parts: string[] = [];
  for (const words of [heading(column), plain(column.name)]) {
    let rest = folded(words);
    for (const term of terms) {
      const word = folded(term.word);
      if (!rest.includes(word)) continue;
      rest = rest.replace(word, " ");
      const said = `${term.word}: ${term.meaning}`;
      if (!parts.includes(said)) parts.push(said);
    }
    if (parts.length > 0) break;
  }
  if (column.of) parts.push(column.of);
  return parts.join("\n") || (OWN[heading(column)] ?? "");
}
