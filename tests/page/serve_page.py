"""A server and a browser for the tests of its pages.

    class SomeTest(serve_page.ServeTest):
        inputs = ("profile.pb",)

        def test_it(self):
            self.open("/op")

No page may log an error or ask anybody but the server.
"""

import os
import sys
import unittest

import browser

from server import Server

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PROFILES = os.path.join(TESTS, "golden", "profiles")


def program():
    """The program under test, which the script has from --bin."""
    return sys.modules["__main__"].binary


class ServeTest(unittest.TestCase):
    inputs = (PROFILES,)
    size = (1280, 900)
    dark = False

    @classmethod
    def setUpClass(cls):
        cls.server = Server(program(), *cls.inputs)
        cls.browser = browser.Browser(*cls.size, dark=cls.dark)
        # Once: the cookie stays.
        cls.browser.open(cls.server.address).close()

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()
        cls.server.stop()

    def open(self, target):
        self.page = self.browser.open(
            "http://%s%s" % (self.server.host, target)
        )
        self.addCleanup(self.check_quiet, self.page)
        return self.page

    def check_quiet(self, page):
        # A page that is open listens to the server, and a browser has six
        # connections to one.
        self.addCleanup(page.close)
        self.assertEqual(page.errors, [])
        for request in page.requests:
            self.assertTrue(
                request.startswith(("http://%s/" % self.server.host, "data:")),
                request,
            )

    def shot(self, name):
        if "PAGE_SHOTS" in os.environ:
            self.page.settle()
            self.page.screenshot(
                os.path.join(
                    os.environ["PAGE_SHOTS"],
                    "%s_%d%s.png"
                    % (name, self.size[0], "_dark" if self.dark else ""),
                )
            )

    def ready(self):
        self.page.wait("document.body.dataset.ready === 'true'")

    def evaluate(self, expression):
        return self.page.evaluate(expression)

    def first_column(self):
        return self.evaluate(
            "[...document.querySelectorAll('tbody tr')].map(r => "
            "r.cells[0].textContent.replace(/^[▾▸]/, ''))"
        )

    def fits(self):
        """Only tables are wider than the window."""
        self.assertLessEqual(
            self.evaluate("document.documentElement.scrollWidth"), self.size[0]
        )
