// The account of the wall time of a device as a bar: one part beside the other,
// which add up to the whole.

import { el } from "./dom";
import { showable } from "./format";

export interface AccountPart {
  name: string;
  kind: string; // compute, communication, copies, idle; else unknown
  share: number; // of the wall time
  text: string; // for people: "12.3ms, 4.5% of the wall time"
}

// The colours of the kinds of parts, which people with any kind of colour
// vision can tell apart; neighbours of a kind differ in lightness.
const COLORS: Record<string, string[]> = {
  compute: [
    "#0072b2",
    "#3f9bd1",
    "#00507d",
    "#7fbfe3",
    "#1d86c4",
    "#a9d4ec",
    "#274e7a",
    "#5b8fbf",
    "#c9dff0",
  ],
  communication: ["#e69f00", "#f2c35c", "#b47c00"],
  copies: ["#009e73", "#5cc7a8", "#00694d"],
  launches: ["#cc79a7"],
  idle: ["#d55e00", "#f08c42", "#a84a00", "#f7b58a", "#7d3600", "#fbd3b8"],
  unknown: ["#8a8f98"],
};

// The colour of each part, in their order. Parts with the same name, also of
// several devices, have the same colour.
export function accountColors(parts: AccountPart[]): string[] {
  const used = new Map<string, number>();
  const known = new Map<string, string>();
  return parts.map(({ name, kind }) => {
    const key = `${kind} ${name}`;
    const shades = COLORS[kind] ?? COLORS.unknown;
    if (!known.has(key)) {
      const n = used.get(kind) ?? 0;
      used.set(kind, n + 1);
      known.set(key, shades[n % shades.length]);
    }
    return known.get(key) ?? shades[0];
  });
}

export function accountBar(
  device: string,
  parts: AccountPart[],
  colors = accountColors(parts),
): HTMLElement {
  const bar = el("div", {
    class: "account",
    role: "img",
    label:
      `${showable(device)}: ` +
      parts.map((p) => `${showable(p.name)} ${p.text}`).join("; "),
  });
  parts.forEach((part, i) => {
    const made = el("span", { title: `${showable(part.name)}: ${part.text}` });
    made.style.width = `${Math.max(0, part.share) * 100}%`;
    made.style.background = colors[i];
    bar.append(made);
  });
  return bar;
}
