"""What a page lacks for people who see little or use keys and a screen reader.

    accessible.problems(page)  # [] or sentences

It checks the contrast of all texts (4.5 to 1), the names of controls, pictures
and tables, the order of headings, and that what can be clicked can be focused.
"""

CHECK = r"""
(() => {
  const found = [];
  const luminance = (c) => {
    const part = (v) => {
      v /= 255;
      return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    };
    return 0.2126 * part(c[0]) + 0.7152 * part(c[1]) + 0.0722 * part(c[2]);
  };
  const color = (text) => (text.match(/[\d.]+/g) || []).map(Number);
  const behind = (e) => {
    for (let at = e; at; at = at.parentElement) {
      const c = color(getComputedStyle(at).backgroundColor);
      if (c.length === 3 || c[3] === 1) return c;
    }
    return [255, 255, 255];
  };
  const visible = (e) => e.checkVisibility && e.checkVisibility();
  const seen = (e) => (e.innerText || e.textContent || "").trim();
  for (const e of document.body.querySelectorAll("*")) {
    const own = [...e.childNodes].some(
      (n) => n.nodeType === 3 && n.data.trim() !== "");
    if (!own || !visible(e) || e.closest("title, :disabled, option, noscript"))
      continue;
    const style = getComputedStyle(e);
    const isSvg = e instanceof SVGElement;
    const front = color(isSvg ? style.fill : style.color);
    const a = luminance(front);
    const b = luminance(behind(e));
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5)
      found.push(`contrast ${ratio.toFixed(2)} of "${seen(e).slice(0, 40)}"`);
  }
  const named = (e) =>
    e.getAttribute("aria-label") || e.labels?.length || seen(e) || e.title ||
    e.getAttribute("aria-hidden") === "true" || e.querySelector("caption");
  const kinds =
    "button, a[href], input, select, textarea, table, [role=img], [role=group]";
  for (const e of document.querySelectorAll(kinds)) {
    if (visible(e) && !named(e))
      found.push(`no name: ${e.outerHTML.slice(0, 80)}`);
  }
  for (const e of document.querySelectorAll("[role=separator][tabindex]")) {
    for (const name of ["now", "min", "max"])
      if (!e.hasAttribute("aria-value" + name))
        found.push(`a separator without aria-value${name}`);
  }
  let level = 0;
  for (const e of document.querySelectorAll("h1, h2, h3, h4")) {
    const now = Number(e.tagName[1]);
    if (visible(e) && now > level + 1)
      found.push(`heading ${now} after ${level}: ${seen(e)}`);
    if (visible(e)) level = now;
  }
  const ids = [...document.querySelectorAll("[id]")].map((e) => e.id);
  for (const id of ids)
    if (ids.indexOf(id) !== ids.lastIndexOf(id)) found.push(`twice: #${id}`);
  return [...new Set(found)].slice(0, 12);
})()
"""


def problems(page):
    return page.evaluate(CHECK)
