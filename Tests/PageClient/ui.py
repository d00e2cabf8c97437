"""Uses `flowrun ui` in headless Chromium like a person, and prints the results as JSON.

Usage: ui.py LINK WIDTH light|dark FLOW... ; `ui.py --pages LINK FOLDER AXE.JS PATH...` checks pages; `ui.py --picture LINK
PATH FILE COMMITTED` takes a picture of a page and prints the share of it that differs from the committed one.
"""

import base64
import json
import pathlib
import struct
import subprocess
import sys
import time
import zlib

from browse import Browser, free_port

TAB, ENTER = "\ue004", "\ue007"


class Page(Browser):
    def __init__(self, link, width, scheme):
        super().__init__(width, scheme)
        self.origin = link.split("/?")[0]
        self.open(link)
        self.wait("return location.search === '' && document.querySelector('main h1')", "the first page")

    def open(self, address):
        self.command("/url", {"url": address if "://" in address else self.origin + address})

    def wait(self, script, what, seconds=60):
        """Returns the result of a script as soon as it is truthy. Exits with an error after `seconds`."""
        end = time.time() + seconds
        while time.time() < end:
            found = self.run(script)
            if found:
                return found
            time.sleep(0.05)
        raise SystemExit(f"{what} did not come: {self.run('return document.body.innerText')[:3000]}")

    def click(self, text, selector="button,a"):
        self.wait(
            f"const found = [...document.querySelectorAll({json.dumps(selector)})].find(one => one.textContent.trim() === {json.dumps(text)});"
            "if (!found) return false; found.click(); return true",
            f"'{text}'",
        )

    def state(self, kind, seconds=60):
        self.wait(f"return document.querySelector('.state.{kind}')", f"the state {kind}", seconds)

    def run_id(self):
        return self.wait("return location.pathname.startsWith('/runs/') && location.pathname.slice(6)", "a run")

    def focus_by_tab(self, script):
        """Returns whether at most 60 presses of the Tab key reach the element selected by a script."""
        for _ in range(60):
            self.keys(TAB)
            if self.run(f"return ({script})(document.activeElement)"):
                return True
        return False

    def console(self):
        return [entry["message"] for entry in self.command("/se/log", {"type": "browser"})]


def start(page):
    """Starts a run from the form only with the keyboard, and watches it to its end without reloading the page."""
    page.open("/workflows/flow.yaml")
    page.wait("return document.querySelector('form[data-action] [name=who]')", "the form")
    reached = page.focus_by_tab("one => one.name === 'who'")
    page.keys(*"-key")
    reached = page.focus_by_tab("one => one.textContent === 'Run'") and reached
    page.keys(ENTER)
    page.run_id()
    page.run("window.isSame = true")
    page.state("running")
    page.state("success")
    page.wait("return document.querySelector('#log .find output')?.textContent.includes('line')", "the log")
    return {
        "keyboard": reached,
        "isSame": page.run("return window.isSame === true"),
        "inputs": page.run("return document.querySelector('header .facts').textContent"),
        "reasons": page.run("return [...document.querySelectorAll('.row.off')].map(row => row.dataset.tip)"),
        "log": page.run("return [...document.querySelectorAll('.line')].map(line => line.textContent)"),
        "fits": page.run("return document.documentElement.scrollWidth <= innerWidth"),
    }


def control(page):
    """Posts an event, answers a question and cancels a run."""
    page.open("/workflows/waiting.yaml")
    page.click("Run", "form button")
    page.run_id()
    page.click("Post go")
    page.wait("return ![...document.querySelectorAll('button')].some(one => one.textContent === 'Post go')", "the event")
    page.click("yes")
    page.state("success")
    first = page.run_id()
    page.click("Run again")
    page.wait(f"return location.pathname.startsWith('/runs/') && !location.pathname.includes('{first}')", "the second run")
    page.click("Cancel")
    page.state("cancelled")
    return {"buttons": page.run("return [...document.querySelectorAll('button[data-action]')].map(one => one.textContent)")}


def untouched(page, path):
    """Starts a run from an unchanged form and returns its id."""
    page.open(path)
    page.click("Run", "form button")
    run = page.run_id()
    page.state("success")
    return run


def fill(page, name, value):
    """Sets the value of a control in a form as typing would, or as a click would for the choice of a field."""
    page.wait(
        f"const control = document.querySelector({json.dumps(name)}); if (!control) return false;"
        f"if (control.type === 'checkbox') control.checked = {json.dumps(value)}; else control.value = {json.dumps(value)};"
        "control.dispatchEvent(new Event('input', {bubbles: true})); return true",
        name,
    )


def form(page):
    """Submits unchanged and changed forms, is rejected at a field, and runs again with the same and with other inputs."""
    found = {"path": untouched(page, "/workflows/sub/over.yaml"), "untouched": untouched(page, "/workflows/inputs.yaml")}
    page.open("/workflows/sub/over.yaml")
    page.wait("return document.querySelector('[data-path]')", "the path")
    path = "return document.querySelector('[data-path]').textContent"
    found["paths"] = [page.run(path)]
    for typed in ("other/result.txt", "~/result.txt", "~x"):
        fill(page, "[name=out]", typed)
        found["paths"].append(page.run(path))
    page.open("/workflows/inputs.yaml")
    fill(page, "[name=count]", "many")
    page.focus_by_tab("one => one.textContent === 'Run'")
    page.keys(ENTER)
    page.wait("return document.querySelector('[aria-invalid]')", "the refusal")
    found["refusal"] = page.run(
        "const one = document.activeElement; return [one.name, one.getAttribute('aria-invalid'),"
        "one.closest('.field').querySelector('.refusal').textContent, document.getElementById('note').hidden]"
    )
    fill(page, "[name=count]", "")
    choice = "document.querySelector('[data-field=count] [data-out]')"
    found["choice"] = page.run(f"return !{choice}.parentElement.hidden && {choice}.parentElement.textContent.trim()")
    fill(page, "[data-field=count] [data-out]", True)
    fill(page, "[name=who]", "")
    fill(page, "[name=pkg]", "@/etc/hostname")
    fill(page, "[name=kind]", "=two  spaces")
    fill(page, "[name=maybe]", "")
    fill(page, "[name=long]", "x" * 200_000)
    page.click("Run", "form button")
    changed = page.run_id()
    page.state("success")
    found["changed"] = changed
    page.click("Run again")
    found["again"] = page.wait(
        f"const id = location.pathname.slice(6); return location.pathname.startsWith('/runs/') && id !== '{changed}' && id", "the run"
    )
    page.state("success")
    page.click("Change inputs")
    page.wait("return location.search.includes('from=')", "the form")
    found["filled"] = page.wait(
        "const value = name => document.querySelector(`[name=${name}]`)?.value;"
        "return value('pkg') === '@/etc/hostname' && [value('who'), value('count'), value('kind'), value('body')]",
        "the inputs",
    )
    fill(page, "[name=who]", "third")
    page.click("Run", "form button")
    found["third"] = page.run_id()
    page.state("success")
    return found


def busy(page):
    """Observes a running step while the server does not answer: the times shown, and those of a lost server."""
    page.open("/workflows/waiting.yaml")
    page.click("Run", "form button")
    page.run_id()
    page.state("running")
    page.wait("return document.getElementById('live').className === 'on'", "the connection")
    page.run("window.fetch = () => new Promise(() => {})")
    took = "return [document.querySelector('header .state').textContent, document.querySelector('td[data-elapsed]')?.textContent]"
    before = page.wait("return document.querySelector('td[data-elapsed]') && " + took[7:], "the times")
    page.wait(f"const now = (() => {{ {took} }})(); const old = {json.dumps(before)}; return now[0] !== old[0] && now[1] !== old[1]", "later times")
    page.run("document.getElementById('live').className = 'off'")
    lost = page.run(took)
    time.sleep(1)
    found = {"isStopped": page.run(took) == lost}
    page.open("/")
    found["home"] = page.wait("return document.querySelector('[data-part=running] td[data-elapsed]')?.textContent", "the run")
    # The page of a run in progress is updated, so the time is set until it is shown.
    page.wait(
        "const one = document.querySelector('td[data-ago]'); if (one?.textContent === '3 h ago') return true;"
        "if (one) one.dataset.ago = Date.now() - 3 * 3600 * 1000; return false",
        "the age",
    )
    return found


def live(page):
    """Observes a step that prints continuously, and returns the longest time during which its shown duration did not change."""
    page.open("/workflows/tick.yaml")
    page.click("Run", "form button")
    page.run_id()
    page.state("running")
    titles = [page.run("return document.title")]
    icon = page.run("return document.querySelector('link[rel=icon]').href")
    last, since, longest, changes = None, time.time(), 0, 0
    end = time.time() + 4
    while time.time() < end:
        took = page.run("return [...document.querySelectorAll('tbody tr')].map(row => row.textContent).join()")
        if took != last:
            longest, last, since, changes = max(longest, time.time() - since), took, time.time(), changes + 1
        time.sleep(0.02)
    page.state("success")
    titles.append(page.run("return document.title"))
    return {
        "longest": max(longest, time.time() - end + 4 - since if since > end else longest),
        "changes": changes,
        "titles": titles,
        "icons": icon != page.run("return document.querySelector('link[rel=icon]').href"),
    }


def items(page, path):
    """Opens a run with failed items, and the page of one of them."""
    page.open(path)
    page.wait("return document.querySelector('#log .find output')?.textContent.includes('line')", "the log")
    found = {
        "panels": page.run("return document.querySelectorAll('.failures .panel').length"),
        "header": page.run("return document.querySelector('header').textContent"),
    }
    page.open(path + "?step=convert")
    page.wait("return document.querySelector('[data-part=items] tbody tr')", "the items")
    found["rows"] = page.run("return [...document.querySelectorAll('[data-part=items] tbody th')].map(one => one.textContent)")
    page.click("convert[5]", "[data-part=items] a")
    found["log"] = page.wait(
        "const lines = [...document.querySelectorAll('.line')].map(one => one.lastChild.textContent);"
        "return location.search.includes('%5B5%5D') && lines.length && lines",
        "the lines of the item",
    )
    found["fits"] = page.run("return document.documentElement.scrollWidth <= innerWidth")
    return found


def table(page, path):
    """Opens a step with hundreds of items, searches for a value, filters by outcome, and opens an item drawn by the script."""
    page.open(path + "?step=convert")
    page.wait("return document.querySelector('[data-part=items] input[type=search]')", "the search")
    found = {
        "columns": page.run("return [...document.querySelectorAll('[data-part=items] thead th')].map(one => one.textContent)"),
        "first": page.run("return document.querySelector('[data-part=items] tbody tr:not(.gap)').innerText.split('\\t').slice(0, 3)"),
    }
    # Only the reason, which may be as long as a message, is truncated if there is too little room.
    found["cut"] = page.run(
        "const box = document.querySelector('[data-part=items] .scroll'); box.scrollTop = 0;"
        "const all = [...box.querySelectorAll('tbody tr:not(.gap)')].flatMap(row => [...row.cells].slice(0, 5));"
        "return all.filter(cell => cell.scrollWidth > cell.clientWidth).map(cell => cell.textContent)"
    )
    page.run("const box = document.querySelector('[data-part=items] .scroll'); box.scrollTop = box.scrollHeight")
    found["cut"] += page.wait(
        "const box = document.querySelector('[data-part=items] .scroll'); if (!box.textContent.includes('convert[249]')) return null;"
        "const all = [...box.querySelectorAll('tbody tr:not(.gap)')].flatMap(row => [...row.cells].slice(0, 5));"
        "return [all.filter(cell => cell.scrollWidth > cell.clientWidth).map(cell => cell.textContent)]",
        "the last rows",
    )[0]
    find = (
        "const search = document.querySelector('[data-part=items] input[type=search]'); search.value = {};"
        "search.dispatchEvent(new Event('input'));"
        "return document.querySelector('[data-part=items] output').textContent"
    )
    found["searched"] = page.run(find.format("'file-24'"))
    page.run(find.format("''"))
    found["failed"] = page.run(
        "const outcome = document.querySelector('[data-part=items] select'); outcome.value = 'failure';"
        "outcome.dispatchEvent(new Event('input'));"
        "return [...document.querySelectorAll('[data-part=items] tbody a')].map(one => one.textContent)"
    )
    page.run(find.format("'file-249'"))
    page.run(
        "const outcome = document.querySelector('[data-part=items] select'); outcome.value = '';"
        "outcome.dispatchEvent(new Event('input'))"
    )
    page.click("convert[249]", "[data-part=items] a")
    found["item"] = page.wait(
        "return location.search.includes('%5B249%5D') && document.querySelector('[data-part=facts]')?.textContent", "the item"
    )
    return found


def lines(page, path):
    """Opens the log of a step with attempts, and tests the attempt of each line, a link to a line, a search, following and
    the text."""
    page.open(path)
    page.wait("return document.querySelectorAll('.line').length > 20", "the log")
    found = {"end": page.run("const log = document.querySelector('.log'); return log.scrollHeight - log.scrollTop - log.clientHeight < 30")}
    page.run(
        "const search = document.querySelector('#log input[type=search]'); search.value = 'tell';"
        "search.dispatchEvent(new Event('input'))"
    )
    found["attempts"] = page.run(
        "return [...document.querySelectorAll('.line')].map(one => [one.querySelector('.attempt')?.textContent ?? '', one.lastChild.textContent])"
    )
    found["errors"] = page.run("return [...document.querySelectorAll('.line.err')].length")
    found["link"] = page.run("return document.querySelector('.line .no').getAttribute('href')")
    page.open(path + "#L150")
    page.command("/refresh", {})
    found["aimed"] = page.wait(
        "const line = document.querySelector('.line.aim'), log = document.querySelector('.log'); if (!line) return false;"
        "const place = line.getBoundingClientRect(), box = log.getBoundingClientRect();"
        "return place.top >= box.top && place.bottom <= box.bottom && line.querySelector('.no').textContent",
        "the line",
    )
    found["follows"] = page.run("return [...document.querySelectorAll('#log .find label')].find(one => one.textContent === 'follow').firstChild.checked")
    found["text"] = page.command(
        "/execute/async",
        {
            "script": "const done = arguments[0]; fetch([...document.querySelectorAll('#log a')].find(one => one.textContent.startsWith('Download')).href)"
            ".then(answer => answer.text()).then(text => done(text.split('\\n').length - 1))",
            "args": [],
        },
    )
    return found


def history(page):
    """Filters the runs on the first page, and checks the address and that the filter remains after an update."""
    page.open("/")
    page.wait("return document.querySelector('select[name=state]')", "the filters")
    page.run("document.querySelector('select[name=state]').value = 'failure'")
    page.click("Show", "form button")
    page.wait("return location.search.includes('state=failure')", "the address")
    rows = "return [...document.querySelectorAll('[data-part=runs] tbody td.state')].map(one => one.textContent)"
    found = {"address": page.run("return location.search"), "states": page.wait(rows, "the runs")}
    page.run("document.querySelector('[data-part=runs] td[data-tip]').dispatchEvent(new PointerEvent('pointermove', {bubbles: true}))")
    found["exact"] = page.run("return document.getElementById('tip').textContent")
    found["chosen"] = page.run("return document.querySelector('select[name=state]').value")
    return found


def paint(page, path):
    """Returns the times until five loads of a page show something, in milliseconds, and the bytes of code that it loads."""
    times = []
    for _ in range(5):
        page.open("/")
        page.open(path)
        page.wait("return document.querySelector('#log .find output')?.textContent.includes('printed')", "the page")
        times.append(page.run("return performance.getEntriesByName('first-contentful-paint')[0].startTime"))
    code = "performance.getEntriesByType('resource').filter(one => /\\.(js|css)$/.test(one.name))"
    return {
        "times": times,
        "code": page.run(f"return {code}.reduce((sum, one) => sum + one.decodedBodySize, 0)"),
        "files": page.run(f"return {code}.length"),
        "outside": page.run("return performance.getEntriesByType('resource').map(one => one.name).filter(one => !one.startsWith(location.origin) && !one.startsWith('data:'))"),
    }


# The contrast of two colors according to WCAG.
CONTRAST = """
const light = text => {
  const [red, green, blue] = text.match(/[0-9.]+/g).map(Number).map(one => one / 255)
    .map(one => one <= 0.03928 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};
const contrast = (one, other) => {
  const [low, high] = [light(one), light(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
};
"""


def phone(page, path):
    """Returns the width of a page on a phone, and the contrast of the lines between nodes of a graph."""
    page.resize(320, 800, is_phone=True)
    page.open(path)
    page.wait("return document.querySelector('#log .find output')?.textContent.includes('line')", "the log")
    edge = (
        "const edge = document.createElementNS('http://www.w3.org/2000/svg', 'path'); edge.classList.add('edge');"
        "document.querySelector('svg').append(edge);"
        "return contrast(getComputedStyle(edge).stroke, getComputedStyle(document.body).backgroundColor)"
    )
    return {"width": page.run("return document.documentElement.scrollWidth"), "edge": page.run(CONTRAST + edge)}


def serve(program, folder, port):
    """Starts a separate server and returns its process and its link."""
    server = subprocess.Popen([program, folder, "--port", str(port)], stdout=subprocess.PIPE, text=True)
    link = next(word for line in server.stdout for word in line.split() if word.startswith("http://"))
    return server, link


def restart(program, folder, path):
    """Returns the message of a page whose server was restarted, and the target of its new link."""
    port = free_port()
    server, link = serve(program, folder, port)
    page = Page(link, 1280, "light")
    try:
        page.open(path)
        page.wait("return document.getElementById('live').textContent === 'live'", "the connection")
        server.terminate()
        server.wait()
        server, link = serve(program, folder, port)
        said = page.wait("const live = document.getElementById('live'); return live.textContent.includes('new link') && live.textContent", "the text")
        page.open(link)
        page.wait("return !location.search.includes('token') && document.querySelector('main h1')", "the page")
        return {"said": said, "path": page.run("return location.pathname + location.search")}
    finally:
        page.close()
        server.terminate()


def resume(page):
    """Resumes the interrupted run."""
    page.open("/")
    page.wait("const link = document.querySelector('.bars .interrupted, .bars a'); if (!link) return false; link.click(); return true", "a bar")
    page.run_id()
    page.wait("return document.querySelector('.state')?.textContent.includes('Interrupted')", "the interrupted run")
    page.click("Resume")
    page.state("success")
    return {"headline": page.run("return document.querySelector('header').textContent")}


def log(page):
    """Follows a long log and searches it."""
    page.open("/workflows/log.yaml")
    page.click("Run", "form button")
    page.run_id()
    page.state("success", 120)
    count = page.wait(
        "const text = document.querySelector('#log .find output')?.textContent; return text?.startsWith('100000 ') && text", "all lines", 120
    )
    last = page.run("return document.querySelector('.log').lastElementChild.textContent.includes('line 100000')")
    page.run(
        "const search = document.querySelector('#log input[type=search]'); search.value = 'line 9999';"
        "search.dispatchEvent(new Event('input'))"
    )
    return {
        "count": count,
        "last": last,
        "found": page.run("return document.querySelector('#log .find output')?.textContent"),
        "elements": page.run("return document.querySelectorAll('*').length"),
    }


def pages(link, folder, axe, paths):
    """Opens pages in both themes and three widths, and returns the findings of axe-core, the console output and the layout."""
    result = []
    for scheme in ("light", "dark"):
        for width in (320, 390, 1280):
            page = Page(link, width, scheme)
            try:
                for number, path in enumerate(paths):
                    page.open(path)
                    page.wait("return document.readyState === 'complete' && document.querySelector('main h1')", path)
                    time.sleep(0.5)
                    name = f"{number}-{path.strip('/').split('/')[0].split('?')[0] or 'home'}-{scheme}-{width}"
                    problems = []
                    if axe:
                        # A browser's own scripts are not subject to the page's policy.
                        page.command("/execute/sync", {"script": pathlib.Path(axe).read_text() + ";window.axe = axe", "args": []})
                        found = page.command(
                            "/execute/async",
                            {
                                "script": "const done = arguments[0]; axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice']})"
                                ".then(all => done(all.violations.map(one => [one.id, one.nodes.map(node => node.html).slice(0, 5)])))",
                                "args": [],
                            },
                        )
                        problems = found
                    if folder:
                        image = page.call("GET", page.session + "/screenshot")
                        (pathlib.Path(folder) / f"{name}.png").write_bytes(base64.b64decode(image))
                    result.append(
                        {
                            "page": name,
                            "axe": problems,
                            "console": page.console(),
                            "fits": page.run(f"return document.documentElement.scrollWidth <= {width} && innerWidth === {width}"),
                            "paint": page.run("return performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null"),
                        }
                    )
            finally:
                page.close()
    return result


# Times are rounded to a tenth of a second, and parts that differ in each run have fixed values.
NORMALIZE = r"""
const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let node; (node = walk.nextNode());) {
  node.data = node.data
    .replace(/\b(\d+(?:\.\d+)?) (µs|ms|s)\b/g, (all, number, unit) => {
      const time = number * { "µs": 1e-3, ms: 1, s: 1e3 }[unit], tenths = Math.round(time / 100) * 100;
      return !tenths ? "1 ms" : tenths < 1000 ? `${tenths} ms` : `${(tenths / 1000).toFixed(1)} s`;
    })
    .replace(/\b\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, "2026-01-02 03:04:05")
    .replace(/\/\S*\/([\w-]+\.yaml)/g, "/home/you/app/$1")
    .replace(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, "01a2168c-0585-7cf5-9671-b25325913319")
    .replace(/\b[0-9a-f]{8}\b(?!-)/g, "25913319");
}
"""


def take_picture(link, path, file):
    page = Page(link, 1100, "light")
    try:
        page.command("/window/rect", {"width": 1100, "height": 1000})
        page.open(path)
        page.wait("return document.querySelector('#log .find output')?.textContent.includes('line')", "the log")
        # Slack and suggestions appear with the second load of a run's page.
        page.wait("return !document.body.hasAttribute('data-brief')", "the whole page")
        page.run(NORMALIZE)
        pathlib.Path(file).write_bytes(base64.b64decode(page.call("GET", page.session + "/screenshot")))
    finally:
        page.close()


def brightness(file, size=20):
    """Returns the mean brightness of each square of a PNG without a palette, with 8 bits per channel, from 0 to 255."""
    data = pathlib.Path(file).read_bytes()
    width, height, _, color = struct.unpack(">IIBB", data[16:26])
    channels = {0: 1, 2: 3, 4: 2, 6: 4}[color]
    packed, at = b"", 8
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        if data[at + 4 : at + 8] == b"IDAT":
            packed += data[at + 8 : at + 8 + length]
        at += length + 12
    raw, stride = zlib.decompress(packed), width * channels
    above, sums = bytearray(stride), {}
    for y in range(height):
        kind, line = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1 : (y + 1) * (stride + 1)])
        for x in range(stride) if kind else ():
            left, up = (line[x - channels] if x >= channels else 0), above[x]
            corner = above[x - channels] if x >= channels else 0
            if kind == 4:
                guess = left + up - corner
                nearest = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))[2]
            line[x] = (line[x] + (left, up, (left + up) // 2, nearest if kind == 4 else 0)[kind - 1]) & 255
        for square in range(0, width, size):
            part = line[square * channels : (square + size) * channels]
            key = (y // size, square // size)
            total, count = sums.get(key, (0, 0))
            sums[key] = (total + sum(part), count + len(part))
        above = line
    return {key: total / count for key, (total, count) in sums.items()}


def difference(file, committed):
    """Returns the share of squares whose brightness differs clearly, or that only one of the pictures has."""
    one, other = brightness(file), brightness(committed)
    return sum(abs(one.get(key, 999) - other.get(key, 999)) > 24 for key in one | other) / len(one | other)


if __name__ == "__main__":
    if sys.argv[1] == "--picture":
        take_picture(*sys.argv[2:5])
        print(json.dumps({"difference": difference(*sys.argv[4:6]) if pathlib.Path(sys.argv[5]).exists() else 1}))
    elif sys.argv[1] == "--restart":
        print(json.dumps(restart(*sys.argv[2:5])))
    elif sys.argv[1] == "--pages":
        print(json.dumps(pages(sys.argv[2], sys.argv[3], sys.argv[4], sys.argv[5:])))
    else:
        page = Page(sys.argv[1], int(sys.argv[2]), sys.argv[3])
        try:
            found = {}
            for flow in sys.argv[4:]:
                # A flow may be followed by a colon and the path of the page that it opens.
                name, _, path = flow.partition(":")
                found[name] = globals()[name](page, path) if path else globals()[name](page)
            found["console"] = page.console()
            print(json.dumps(found))
        finally:
            page.close()
