"""A headless browser: Chromium or, with --browser=firefox, Firefox.

    with Browser() as browser:
        page = browser.open("file:///tmp/timeline.html")
        page.evaluate("document.title")
        page.click(100, 200)
        page.screenshot("shot.png")
        page.errors, page.requests

driver.py says what a page has. A test script ends with browser.main().
"""

import sys

import chromium
import firefox
import junit_runner

DRIVERS = {"chromium": chromium, "firefox": firefox}
chosen = chromium


def Browser(*args, **more):
    return chosen.Browser(*args, **more)


def find_browser():
    """The path of the program; None without one."""
    return chosen.find()


def main(name):
    """junit_runner.main() with the browser that the arguments choose."""
    global chosen
    for word in list(sys.argv):
        if word.startswith("--browser="):
            kind = word.split("=", 1)[1]
            if kind not in DRIVERS:
                sys.exit("--browser=%s: not one of %s" % (kind, [*DRIVERS]))
            chosen = DRIVERS[kind]
            name += "_" + kind
            sys.argv.remove(word)
    if find_browser() is None:
        sys.exit("%s: there is no such browser here" % name)
    return junit_runner.main(name)
