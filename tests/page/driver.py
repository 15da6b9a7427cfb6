"""What the drivers of browsers share.

A driver is a module with find(), which returns the path of its program or None,
and a class Browser. The page of a browser has evaluate(), mouse(), touch(),
key(), type(), resize(), dark(), screenshot() and close(), and what is here on
top of them. Modifiers are added: ALT, CTRL, SHIFT.
"""

import time

# After which a browser that says nothing has failed.
SECONDS = 60
ALT, CTRL, SHIFT = 1, 2, 8


class BrowserError(Exception):
    pass


class Page:
    """Its errors are what it logged, its requests the addresses it asked."""

    def __init__(self, browser, address):
        self.browser = browser
        self.address = address
        self.errors = []
        self.requests = []

    def wait_ready(self):
        """Waits for a page that says when it is ready, and measures it."""
        self.wait("document.body && document.body.dataset.ready === 'true'")
        self.opened = time.monotonic() - self.began

    def wait(self, expression, seconds=SECONDS):
        end = time.monotonic() + seconds
        while not self.is_true(expression):
            if time.monotonic() > end:
                raise BrowserError("never true: " + expression)
            time.sleep(0.02)

    def is_true(self, expression):
        """A page that is being replaced by another one has no answer yet."""
        try:
            return self.evaluate(expression)
        except BrowserError as error:
            if "navigated" not in str(error):
                raise
            return False

    def settle(self):
        """Waits for two frames and the timers of the page."""
        self.evaluate(
            "new Promise(r => setTimeout(() => requestAnimationFrame("
            "() => requestAnimationFrame(r)), 300))"
        )

    def drag(self, x0, y0, x1, y1, modifiers=0):
        self.mouse("mouseMoved", x0, y0, modifiers=modifiers)
        self.mouse("mousePressed", x0, y0, modifiers=modifiers)
        for i in range(1, 9):
            self.mouse(
                "mouseMoved",
                x0 + (x1 - x0) * i / 8,
                y0 + (y1 - y0) * i / 8,
                modifiers=modifiers,
                buttons=1,
            )
        self.mouse("mouseReleased", x1, y1, modifiers=modifiers)
        self.settle()
