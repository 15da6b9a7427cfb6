"""What axe-core finds in a page that is open in a browser.

    axe.findings(page)  # [] or sentences
    axe.findings(page, axe.OF_COLORS)  # only those that a theme can have

Findings are those of level critical or serious. $AXE_SCRIPT names axe.min.js,
which `./dev` gets from npm.
"""

import json
import os

OF_COLORS = ["color-contrast", "link-in-text-block"]
FIND = """
axe.run({resultTypes: ["violations"], ...RULES}).then(r => r.violations
  .filter(v => v.impact === "critical" || v.impact === "serious")
  .map(v => `${v.impact} ${v.id}: ${v.help}: ` + v.nodes.slice(0, 4).map(n =>
    `${n.target.join(" ")} ${n.html.slice(0, 80)} ` + (n.any[0]?.message ?? ""))
    .join("; ")))
"""


def script():
    """The text of axe-core; a RuntimeError where it is missing."""
    path = os.environ.get("AXE_SCRIPT", "")
    if not os.path.isfile(path):
        raise RuntimeError(
            "AXE_SCRIPT='%s' is no file; it is axe.min.js of axe-core, and "
            "./dev test-page sets it" % path
        )
    with open(path, encoding="utf-8") as file:
        return file.read()


def findings(page, rules=()):
    """Those of some rules; of all, if there are none."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(script() + ";true")
    only = {"runOnly": {"type": "rule", "values": rules}} if rules else {}
    return page.evaluate(FIND.replace("RULES", json.dumps(only)))
