// Elements of pictures. Texts are set as text and never as markup.

export type SvgChild = Node | string;

export function svg(
  name: string,
  attributes: Record<string, string | number> = {},
  ...children: SvgChild[]
): SVGElement {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) {
    made.setAttribute(key, String(value));
  }
  made.append(...children);
  return made;
}

// A picture that is as wide as its place, and what a screen reader says of it.
export function picture(
  label: string,
  width: number,
  height: number,
  className: string,
  ...children: SvgChild[]
): SVGElement {
  return svg(
    "svg",
    {
      viewBox: `0 0 ${width} ${height}`,
      class: className,
      role: "img",
      "aria-label": label,
    },
    ...children,
  );
}

// How wide a picture is drawn in the page, so that its texts stay readable on a
// narrow screen.
export function plotWidth(most: number): number {
  const room = document.querySelector("main")?.clientWidth ?? most;
  return Math.max(320, Math.min(most, room - 24));
}

export function title(text: string): SVGElement {
  return svg("title", {}, text);
}
