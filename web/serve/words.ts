// The words of the pages: headings as the terminal prints them, and what they
// mean, from the glossary of the program.

import { ColumnInfo, Term } from "./client";

let terms: Term[] = [];

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
  return parts.join("\n");
}
