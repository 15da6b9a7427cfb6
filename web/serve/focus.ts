// Drawing anew removes the control that has the keys. It gets them again, or, if
// another page was opened, the heading of that page.

const CONTROLS =
  "a[href], button, input, select, summary, [tabindex]:not(h1, main)";

// What tells a control from the others of a page. "" without a control.
export function controlName(of: Element | null): string {
  if (!of || !of.matches(CONTROLS)) return "";
  return `${of.tagName} ${of.getAttribute("aria-label") ?? of.textContent}`;
}

// Gives the keys to the control of this name, if it is there and nothing else has
// them. Returns false if it is not there.
export function focusControl(name: string, within: ParentNode): boolean {
  if (name === "" || document.activeElement !== document.body) return true;
  const found = [...within.querySelectorAll<HTMLElement>(CONTROLS)].find(
    (control) => controlName(control) === name,
  );
  found?.focus({ preventScroll: true });
  return found !== undefined;
}

// The same after another page was opened, whose controls have other meanings.
export function focusHeading(name: string, main: HTMLElement) {
  if (name === "" || document.activeElement !== document.body) return;
  const heading = main.querySelector("h1") ?? main;
  heading.tabIndex = -1;
  heading.focus();
}
