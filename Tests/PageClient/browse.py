"""Opens a page in headless Chromium, uses it like a reader, and prints the results as JSON.

Usage: browse.py PAGE.html [SCREENSHOT WIDTH light|dark]
"""

import base64
import json
import pathlib
import socket
import subprocess
import sys
import time
import urllib.request


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Browser:
    """A session with chromedriver, over the WebDriver protocol."""

    def __init__(self, width, scheme):
        self.port = free_port()
        self.driver = subprocess.Popen(
            ["chromedriver", f"--port={self.port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        for _ in range(200):
            try:
                if self.call("GET", "/status")["ready"]:
                    break
            except OSError:
                time.sleep(0.05)
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--window-size={width},1200"]
        arguments.append("--blink-settings=preferredColorScheme=" + ("0" if scheme == "dark" else "1"))
        capabilities = {
            "browserName": "chrome",
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
            "goog:chromeOptions": {"args": arguments},
        }
        session = self.call("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})
        self.session = "/session/" + session["sessionId"]
        # The window of a headless browser is at least 500 pixels wide.
        if width < 500:
            self.resize(width, 1200)

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}", data, {"Content-Type": "application/json"}, method=method
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.loads(answer.read())["value"]

    def command(self, path, body):
        return self.call("POST", self.session + path, body)

    def resize(self, width, height, is_phone=False):
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": is_phone}
        self.command("/goog/cdp/execute", {"cmd": "Emulation.setDeviceMetricsOverride", "params": metrics})

    def run(self, script, *arguments):
        return self.command("/execute/sync", {"script": script, "args": list(arguments)})

    def tip(self, act):
        """Returns the text shown next to the pointer. Repeats `act`, because a page that was scrolled hides the text with its
        next frame. Returns None if no text is shown after 100 attempts."""
        for _ in range(100):
            act()
            seen = self.run("const tip = document.getElementById('tip'); return tip.hidden ? null : tip.textContent")
            if seen is not None:
                return seen
            time.sleep(0.05)
        return None

    def keys(self, *keys):
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.command("/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def point(self, x, y):
        move = {"type": "pointerMove", "duration": 0, "x": int(x), "y": int(y)}
        self.command("/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": [move]}]})

    def close(self):
        try:
            self.call("DELETE", self.session)
        finally:
            # The parent process may have blocked SIGTERM.
            self.driver.kill()
            self.driver.wait()


COLUMN = """
const table = [...document.querySelectorAll('table')].find(t => t.caption.textContent == arguments[0]);
return [...table.tBodies[0].rows].map(row => row.cells[arguments[1]].textContent);
"""
SORT = """
const table = [...document.querySelectorAll('table')].find(t => t.caption.textContent == arguments[0]);
const head = table.tHead.rows[0].cells[arguments[1]];
head.querySelector('button').focus();
return head.textContent;
"""


# The actions of a reader of ten thousand steps: sorting, searching, filtering, and following a failure to its bar. Times are in
# milliseconds.
MANY = """
const timed = act => { const start = performance.now(); act(); document.body.offsetHeight; return performance.now() - start; };
const found = () => document.querySelector('.find output').textContent;
const table = [...document.querySelectorAll('table')].find(t => t.caption.textContent == 'All steps');
const buttons = [...table.tHead.querySelectorAll('button')];
const sorts = [...buttons, ...buttons].map(button => timed(() => button.click()));
const enter = (input, text) => { input.value = text; input.dispatchEvent(new Event('input')); return found(); };
const search = document.querySelector('.find input');
const [outcome, cause] = document.querySelectorAll('.find select');
const result = { sort: Math.max(...sorts), elements: document.querySelectorAll('*').length };
result.search = enter(search, 'S999'); enter(search, '');
result.outcome = enter(outcome, 'failure'); enter(outcome, '');
result.cause = enter(cause, 'condition'); enter(cause, '');
const link = document.querySelector('.panel a');
link.click();
result.aim = document.querySelector('.aim .name').textContent;
result.isSeen = document.querySelector('.aim').getBoundingClientRect().top < innerHeight;
result.paint = performance.getEntriesByType('paint')[0]?.startTime ?? 0;
return result;
"""


def browse(page, width, scheme, screenshot):
    browser = Browser(width, scheme)
    try:
        address = pathlib.Path(page).resolve().as_uri()
        browser.command("/url", {"url": address})
        result = {"title": browser.run("return document.title")}
        result["overflows"] = browser.run("return document.documentElement.scrollWidth > innerWidth")
        if scheme == "many":
            while not browser.run("return document.querySelector('.find') !== null"):
                time.sleep(0.02)
            return result | browser.run(MANY)
        # The widest bar, because durations differ between runs, and a narrow bar is thinner than a pixel.
        bar = browser.run(
            "const width = bar => bar.getBoundingClientRect().width;"
            "const bar = [...document.querySelectorAll('.row.on i.run')].sort((a, b) => width(b) - width(a))[0];"
            "bar.scrollIntoView({block: 'center'});"
            "const box = bar.getBoundingClientRect(); return [box.left + box.width / 2, box.top + box.height / 2];"
        )
        result["hover"] = browser.tip(lambda: (browser.point(0, 0), browser.point(*bar)))
        browser.point(0, 0)
        browser.run("document.querySelector('.rows').focus()")
        browser.keys("\ue015", "\ue015")
        result["arrow"] = browser.tip(lambda: None)
        caption = "All steps"
        for name in ("descending", "ascending"):
            browser.run(SORT, caption, 2)
            browser.keys("\ue007")
            result[name] = browser.run(COLUMN.replace("textContent)", "dataset.v)").replace("[arguments[1]]", "[2]"), caption)
        before = browser.run("return document.querySelector('.zoom').offsetWidth")
        browser.run("document.querySelector('.tools button').click()")
        result["zoom"] = browser.run("return document.querySelector('.zoom').offsetWidth") / before
        result["console"] = [entry["message"] for entry in browser.command("/se/log", {"type": "browser"})]
        requests = []
        for entry in browser.command("/se/log", {"type": "performance"}):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                requests.append(message["params"]["request"]["url"])
        result["requests"] = [url for url in requests if url != address and not url.startswith("data:")]
        if screenshot:
            browser.run("scrollTo(0, 0)")
            image = browser.call("GET", browser.session + "/screenshot")
            pathlib.Path(screenshot).write_bytes(base64.b64decode(image))
        return result
    finally:
        browser.close()


if __name__ == "__main__":
    arguments = sys.argv[1:]
    extra = arguments[1:] + [None, "1280", "light"][len(arguments) - 1 :]
    print(json.dumps(browse(arguments[0], int(extra[1]), extra[2], extra[0])))
