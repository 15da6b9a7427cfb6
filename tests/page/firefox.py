"""Headless Firefox through WebDriver BiDi, without packages.

Firefox has the server of the protocol itself: no other program is needed. The
theme is chosen when it starts, and nothing can make it style a page for paper.
driver.py says what a driver has.
"""

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time

import driver
from driver import ALT, CTRL, SECONDS, SHIFT, BrowserError
from websocket import WebSocket

# How WebDriver writes keys without a character.
KEYS = {
    "Enter": "\ue007",
    "Tab": "\ue004",
    "Escape": "\ue00c",
    "PageUp": "\ue00e",
    "PageDown": "\ue00f",
    "End": "\ue010",
    "Home": "\ue011",
    "ArrowLeft": "\ue012",
    "ArrowUp": "\ue013",
    "ArrowRight": "\ue014",
    "ArrowDown": "\ue015",
}
MODIFIERS = {SHIFT: "\ue008", CTRL: "\ue009", ALT: "\ue00a"}


def find():
    return shutil.which("firefox-esr") or shutil.which("firefox")


class Browser:
    name = "firefox"

    def __init__(self, width=1440, height=900, dark=False):
        self.size = (width, height)
        self.dark = dark
        self.folder = tempfile.mkdtemp(prefix="tfprof-page-")
        preferences = {
            # 0 is dark.
            "layout.css.prefers-color-scheme.content-override": 1 - dark,
            "browser.startup.page": 0,
            "toolkit.cosmeticAnimations.enabled": False,
        }
        with open(os.path.join(self.folder, "user.js"), "w") as file:
            for name, value in preferences.items():
                file.write('user_pref("%s", %s);\n' % (name, json.dumps(value)))
        self.process = subprocess.Popen(
            [
                find(),
                "--headless",
                "--no-remote",
                "--remote-debugging-port=0",
                "--profile",
                self.folder,
                "--width=%d" % width,
                "--height=%d" % height,
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.socket = WebSocket("127.0.0.1", self.port(), "/session", SECONDS)
        self.number = 0
        self.pages = {}
        self.call("session.new", capabilities={})
        self.call(
            "session.subscribe",
            events=["log.entryAdded", "network.beforeRequestSent"],
        )

    def port(self):
        """The port on which it listens: it writes a file when it does."""
        path = os.path.join(self.folder, "WebDriverBiDiServer.json")
        end = time.monotonic() + SECONDS
        while time.monotonic() < end and self.process.poll() is None:
            try:
                with open(path, encoding="utf-8") as file:
                    return json.load(file)["ws_port"]
            except (OSError, ValueError):  # not yet, or half of it
                time.sleep(0.05)
        raise BrowserError("Firefox does not listen")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("browser.close")
        except (BrowserError, OSError):
            pass
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.socket.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def call(self, method, **params):
        self.number += 1
        number = self.number
        self.socket.send(
            json.dumps({"id": number, "method": method, "params": params})
        )
        while True:
            message = json.loads(self.socket.receive())
            if message.get("type") == "event":
                self.event(message["method"], message["params"])
            elif message.get("id") == number:
                if message["type"] == "error":
                    raise BrowserError(
                        "%s: %s: %s"
                        % (method, message["error"], message["message"])
                    )
                return message["result"]

    def event(self, method, params):
        context = params.get("context") or params.get("source", {}).get(
            "context"
        )
        if context in self.pages:
            self.pages[context].event(method, params)

    def downloads(self, folder):
        """Saves files there, without a question."""
        self.call(
            "browser.setDownloadBehavior",
            downloadBehavior={"type": "allowed", "destinationFolder": folder},
        )

    def open(self, address, wait=True):
        context = self.call("browsingContext.create", type="tab")["context"]
        page = self.pages[context] = Page(self, context, address)
        page.start(wait)
        return page


class Page(driver.Page):
    def __init__(self, browser, context, address):
        super().__init__(browser, address)
        self.context = context
        self.fingers = 0

    def call(self, method, **params):
        return self.browser.call(method, context=self.context, **params)

    def event(self, method, params):
        if method == "network.beforeRequestSent":
            self.requests.append(params["request"]["url"])
        elif params["level"] in ("error", "warn"):
            # It asks for an icon that no page has, and that no policy allows.
            if "/favicon.ico " not in params["text"]:
                self.errors.append(str(params)[:2000])

    def start(self, wait):
        self.resize(*self.browser.size)
        self.began = time.monotonic()
        self.call("browsingContext.navigate", url=self.address, wait="none")
        if wait:
            self.wait_ready()

    def close(self):
        self.call("browsingContext.close")
        del self.browser.pages[self.context]

    def bring_to_front(self):
        self.call("browsingContext.activate")

    def resize(self, width, height):
        self.call(
            "browsingContext.setViewport",
            viewport={"width": width, "height": height},
            devicePixelRatio=1,
        )

    def dark(self, on):
        if on != self.browser.dark:
            raise BrowserError("Firefox has one theme from its start on")

    def evaluate(self, expression):
        found = self.browser.call(
            "script.evaluate",
            expression=expression,
            target={"context": self.context},
            awaitPromise=True,
        )
        if found["type"] == "exception":
            raise BrowserError(str(found["exceptionDetails"])[:2000])
        return plain(found["result"])

    def perform(self, *sources):
        self.call("input.performActions", actions=sources)

    def hold(self, modifiers, kind):
        """Presses or releases the keys of modifiers, which stay so."""
        actions = [
            {"type": kind, "value": value}
            for number, value in MODIFIERS.items()
            if modifiers & number
        ]
        if actions:
            self.perform({"type": "key", "id": "keys", "actions": actions})

    def point(self, actions, modifiers):
        self.hold(modifiers, "keyDown")
        self.perform({"type": "pointer", "id": "mouse", "actions": actions})
        self.hold(modifiers, "keyUp")

    def mouse(self, kind, x, y, modifiers=0, deltaX=0, deltaY=0, **_):
        move = {"type": "pointerMove", "x": round(x), "y": round(y)}
        if kind == "mouseWheel":
            self.hold(modifiers, "keyDown")
            scroll = {**move, "type": "scroll"}
            scroll.update(deltaX=round(deltaX), deltaY=round(deltaY))
            self.perform({"type": "wheel", "id": "wheel", "actions": [scroll]})
            self.hold(modifiers, "keyUp")
            return
        actions = [move]
        if kind in ("mousePressed", "mouseReleased"):
            down = kind == "mousePressed"
            name = "pointerDown" if down else "pointerUp"
            actions.append({"type": name, "button": 0})
        self.point(actions, modifiers)

    def click(self, x, y, count=1, modifiers=0):
        actions = [{"type": "pointerMove", "x": round(x), "y": round(y)}]
        for _ in range(count):
            actions.append({"type": "pointerDown", "button": 0})
            actions.append({"type": "pointerUp", "button": 0})
        self.point(actions, modifiers)
        self.settle()

    def touch(self, kind, points):
        """touchStart, touchMove or touchEnd of fingers: (x, y) each."""
        ends = kind == "touchEnd"
        if not ends:
            self.fingers = len(points)
        sources = []
        for at in range(self.fingers):
            actions = []
            if not ends:
                x, y = points[at]
                move = {"type": "pointerMove", "x": round(x), "y": round(y)}
                actions.append(move)
            if kind != "touchMove":
                name = "pointerUp" if ends else "pointerDown"
                actions.append({"type": name, "button": 0})
            sources.append(
                {
                    "type": "pointer",
                    "id": "finger%d" % at,
                    "parameters": {"pointerType": "touch"},
                    "actions": actions,
                }
            )
        self.perform(*sources)

    def key(self, key, modifiers=0, settle=True):
        """Presses a key, which has the name of KeyboardEvent.key."""
        self.hold(modifiers, "keyDown")
        self.press([KEYS.get(key, key)])
        self.hold(modifiers, "keyUp")
        if settle:
            self.settle()

    def press(self, keys):
        actions = [
            {"type": kind, "value": key}
            for key in keys
            for kind in ("keyDown", "keyUp")
        ]
        self.perform({"type": "key", "id": "keys", "actions": actions})

    def type(self, text):
        self.press(text)
        self.settle()

    def screenshot(self, path):
        data = self.call("browsingContext.captureScreenshot")["data"]
        with open(path, "wb") as f:
            f.write(base64.b64decode(data))


def plain(remote):
    """The value that the protocol describes; None for what JSON has not."""
    kind, value = remote["type"], remote.get("value")
    if kind == "array":
        return [plain(item) for item in value]
    if kind == "object":
        return {key: plain(item) for key, item in value}
    if kind in ("string", "boolean"):
        return value
    if kind == "number":
        return value if not isinstance(value, str) else float(value)
    return None
