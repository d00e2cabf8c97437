// The script of every page: updates changed parts, sends the actions of buttons and forms, and follows the log.
import { time, make, hide, List, enliven, followAims, barHash } from "./parts.js";
import { collect, prepare, refuse } from "./form.js";

const main = document.querySelector("main"), note = document.getElementById("note"), live = document.getElementById("live");
const token = document.querySelector('meta[name="token"]').content;
const json = { "Content-Type": "application/json", "X-Flowrun-Token": token };

// The result of an action. It disappears after a while, when its button is pressed, or with Escape.
let noteTimer = 0;
const say = (text, isProblem = false) => {
  clearTimeout(noteTimer);
  note.firstChild.textContent = text; note.hidden = !text;
  if (text) noteTimer = setTimeout(() => say(""), isProblem ? 30_000 : 6_000);
};
note.lastChild.addEventListener("click", () => say(""));
addEventListener("keydown", event => { if (event.key === "Escape") say(""); });

// Sends an action. While its button waits for the answer, it keeps the focus and ignores further clicks.
const act = async (action, body, control, isRefused = () => false) => {
  say("");
  control.setAttribute("aria-disabled", "true");
  try {
    const answer = await fetch("/actions/" + action, { method: "POST", headers: json, body: JSON.stringify(body) });
    const result = await answer.json();
    if (!answer.ok) { if (!isRefused(result)) say(result.problem, true); }
    else if (result.location && result.location !== location.pathname) location.assign(result.location);
    else say(result.message);
  } catch {
    say("The server does not answer.", true);
  } finally {
    control.removeAttribute("aria-disabled");
  }
};
addEventListener("click", event => {
  const button = event.target instanceof Element && event.target.closest("button[data-action]");
  if (button && !button.ariaDisabled) act(button.dataset.action, JSON.parse(button.dataset.body), button);
});
addEventListener("submit", async event => {
  const form = event.target, button = form.querySelector("button");
  if (form.dataset.answer) {
    event.preventDefault();
    const field = form.querySelector("input");
    if (button.ariaDisabled) return;
    act("answer", { ...JSON.parse(form.dataset.answer), [field.name]: field.value }, button);
    // The next question has a field in the same place.
    field.value = "";
    return;
  }
  if (!form.dataset.action) return;
  event.preventDefault();
  if (button.ariaDisabled) return;
  button.setAttribute("aria-disabled", "true");
  const body = await collect(form);
  button.removeAttribute("aria-disabled");
  if (body) act(form.dataset.action, body, button, result => refuse(form, result.input, result.problem));
});

// The log. It contains all lines, but only the visible ones are drawn.
const kinds = ["", " err", " gap"];
let ends = {};
const readEnds = () => { ends = JSON.parse(document.getElementById("attempt-ends")?.dataset.ends ?? "{}"); };
class Line {
  constructor(number, [source, at, kind, colors, text]) { Object.assign(this, { number, source, at, kind, colors, text }); }
  // The number of the attempt that printed the line.
  get attempt() { return 1 + (ends[this.source] ?? []).filter(end => end < this.at).length; }
  make() {
    const line = make("div", "line" + kinds[this.kind] + (location.hash === "#L" + this.number ? " aim" : ""));
    const link = make("a", "no", this.number), source = make("span", "source", this.source), text = make("span", "", this.colors ? "" : this.text);
    line.setAttribute("role", "listitem");
    link.href = "#L" + this.number; link.tabIndex = -1;
    source.title = this.source;
    for (const [name, piece] of this.colors ?? []) text.append(make("span", name, piece));
    line.append(link, make("span", "at", this.at === null ? "" : time(this.at * 1000)), source);
    if (this.attempt > 1) line.append(make("span", "attempt", "attempt " + this.attempt));
    line.append(text);
    return line;
  }
}
class Log {
  constructor(section) {
    this.lines = []; this.text = ""; this.own = this.source = section.dataset.step ?? ""; this.seen = 0;
    const tools = make("p", "find"), search = make("input"), follow = make("input"), count = make("output");
    search.type = "search"; search.placeholder = "Search the log"; search.setAttribute("aria-label", "Search the log");
    follow.type = "checkbox"; follow.checked = true;
    const label = make("label"); label.append(follow, "follow");
    const steps = make("label", "", "step "), select = make("select");
    select.append(make("option", "", "all")); select.options[0].value = ""; steps.append(select);
    const times = make("input"), clock = make("label"), download = make("a", "", "Download as text");
    times.type = "checkbox"; times.checked = true; clock.append(times, "times");
    download.href = section.dataset.text;
    tools.append(search); if (!this.source) tools.append(steps); tools.append(label, clock, count, download);
    const box = make("div", "scroll log times"), body = make("div");
    box.tabIndex = 0; box.setAttribute("role", "list"); box.setAttribute("aria-label", "Log");
    box.append(body);
    section.append(tools, box);
    Object.assign(this, { box, follow, count, select, sources: new Set(), list: new List(box, body, () => make("div")) });
    search.addEventListener("input", () => { this.text = search.value.toLowerCase(); this.filter(); });
    select.addEventListener("input", () => { this.source = select.value; this.filter(); });
    // Scrolling up stops following.
    box.addEventListener("scroll", () => {
      if (box.scrollTop < this.top) follow.checked = false;
      this.top = box.scrollTop;
    }, { passive: true });
    follow.addEventListener("change", () => this.toEnd());
    times.addEventListener("change", () => box.classList.toggle("times", times.checked));
    addEventListener("hashchange", () => this.aim());
    Object.assign(this, { search });
    this.top = 0;
    this.filter();
  }
  isOf(line, source) { return line.source === source || line.source.startsWith(source + "["); }
  passes(line) {
    return (!this.source || this.isOf(line, this.source))
      && (!this.text || line.text.toLowerCase().includes(this.text));
  }
  filter() { this.show(this.lines.filter(line => this.passes(line))); }
  add(entries) {
    const shown = this.list.rows;
    for (const entry of entries) {
      const line = new Line(++this.seen, entry), { source } = line;
      if (this.own && !this.isOf(line, this.own)) continue;
      this.lines.push(line);
      if (this.passes(line)) shown.push(line);
      if (!this.sources.has(source) && this.sources.size < 1000) {
        this.sources.add(source);
        this.select.append(make("option", "", source));
      }
    }
    this.show(shown);
    if (!this.hasAimed) this.aim();
  }
  // Scrolls to the line that the address names.
  aim() {
    const number = Number(/^#L(\d+)$/.exec(location.hash)?.[1] ?? NaN);
    if (!this.lines.some(line => line.number === number)) return;
    this.hasAimed = true; this.follow.checked = false;
    if (!this.list.rows.some(line => line.number === number)) {
      this.search.value = this.text = ""; this.select.value = ""; this.source = this.own;
      this.filter();
    }
    this.list.draw(true);
    this.list.reveal(this.list.rows.findIndex(line => line.number === number));
    this.box.scrollIntoView({ block: "nearest" });
  }
  show(rows) {
    this.list.set(rows);
    this.count.textContent = !this.lines.length ? document.querySelector("header .state.running") ? "nothing printed yet" : "nothing printed"
      : (rows.length === this.lines.length ? rows.length : rows.length + " of " + this.lines.length) + (this.lines.length === 1 ? " line" : " lines");
    this.toEnd();
  }
  toEnd() {
    if (!this.follow.checked) return;
    this.box.scrollTop = this.box.scrollHeight;
    this.list.draw();
    this.top = this.box.scrollTop;
  }
}
let log = null;

// Times that grow between two answers of the server: durations of running steps, and times since runs started.
const arrived = new WeakMap(), loaded = performance.getEntriesByType("navigation")[0]?.responseStart ?? 0;
const ago = seconds => seconds < 10 ? "just now" : seconds < 60 ? seconds + " s ago" : seconds < 3600 ? Math.floor(seconds / 60) + " min ago"
  : seconds < 86400 ? Math.floor(seconds / 3600) + " h ago" : seconds < 172800 ? "1 day ago" : Math.floor(seconds / 86400) + " days ago";
const isChosen = part => !getSelection().isCollapsed && part.contains(getSelection().anchorNode);
const grow = () => {
  for (const one of main.querySelectorAll("[data-ago],[data-elapsed]")) {
    const { ago: start, elapsed, before = "" } = one.dataset, part = one.closest("[data-part]");
    // Without a connection, it is unknown whether a step is still running.
    if (start === undefined && live.className !== "on" || isChosen(part)) continue;
    const now = Number(elapsed) + performance.now() - (arrived.get(part) ?? loaded);
    const text = before + (start !== undefined ? ago(Math.max(0, Math.floor((Date.now() - start) / 1000)))
      : "seconds" in one.dataset ? Math.floor(now / 1000) + " s" : time(now * 1000));
    if (one.textContent !== text) one.textContent = text;
  }
};
setInterval(grow, 250);

// The parts of the page. What a person has typed, chosen, scrolled to or focused is kept when a part is replaced.
let aim = null;
const controls = root => [...root.querySelectorAll("a,button,input,select,textarea,[tabindex]")];
const fields = root => [...root.querySelectorAll("input,select,textarea")];
const renew = (part, markup) => {
  const before = fields(part), values = before.map(field => field.value), typedIn = before.indexOf(document.activeElement);
  const focused = controls(part).indexOf(document.activeElement);
  const scrolls = [...part.querySelectorAll(".scroll")].map(box => [box.scrollLeft, box.scrollTop]);
  const zoom = part.querySelector(".timeline")?.style.getPropertyValue("--zoom");
  // The server has escaped all text from workflows and runs.
  part.innerHTML = markup;
  arrived.set(part, performance.now());
  hide();
  aim = enliven(part) ?? aim;
  // Fields are compared separately, because the number of a table's links depends on its search.
  const after = fields(part);
  if (after.length === before.length)
    after.forEach((field, at) => {
      if (field.value === values[at]) return;
      field.value = values[at];
      field.dispatchEvent(new Event("input"));
    });
  if (zoom) part.querySelector(".timeline")?.style.setProperty("--zoom", zoom);
  [...part.querySelectorAll(".scroll")].forEach((box, at) => { if (scrolls[at]) [box.scrollLeft, box.scrollTop] = scrolls[at]; });
  const all = typedIn >= 0 && after.length === before.length ? after : controls(part), at = all === after ? typedIn : focused;
  if (at >= 0) all[Math.min(at, all.length - 1)]?.focus({ preventScroll: true });
};
let isDown = false;
addEventListener("pointerdown", () => { isDown = true; }, true);
for (const kind of ["pointerup", "pointercancel", "dragend", "blur"]) addEventListener(kind, () => { isDown = false; }, true);
const shown = new Map();
let isReading = false, isStale = false, freeAt = 0;
const read = async () => {
  if (isReading) { isStale = true; return; }
  isReading = true;
  // If a page takes the server long, it is requested less often, so that the server is idle most of the time.
  await new Promise(done => setTimeout(done, freeAt - performance.now()));
  const start = performance.now();
  isStale = false;
  try {
    const answer = await fetch(location.pathname + location.search, { headers: { "X-Flowrun-Update": "1" } });
    if (!answer.ok) return;
    const { title, icon, parts } = await answer.json(), names = new Set(parts.map(part => part[0]));
    // Parts must not be replaced while a button is being pressed.
    while (isDown) await new Promise(done => setTimeout(done, 50));
    document.title = title;
    document.querySelector("link[rel=icon]").href = icon;
    for (const part of [...main.children]) if (!names.has(part.dataset.part)) part.remove();
    let place = main.firstElementChild;
    for (const [name, markup] of parts) {
      let part = [...main.children].find(part => part.dataset.part === name);
      if (!part) { part = make("div"); part.dataset.part = name; }
      if (part !== place) main.insertBefore(part, place);
      place = part.nextElementSibling;
      // The form contains a person's input, and the log is updated line by line.
      if (shown.get(name) === markup || name === "log" || name === "form") continue;
      if (isChosen(part)) continue;
      renew(part, markup);
      shown.set(name, markup);
    }
    const before = JSON.stringify(ends);
    readEnds();
    if (log && (!log.lines.length || JSON.stringify(ends) !== before)) log.filter();
  } catch {
    // The connection indicator reports the error.
  } finally {
    isReading = false;
    const took = performance.now() - start;
    freeAt = performance.now() + (took < 600 ? 400 : 4 * took);
    if (isStale) read();
  }
};

// The server's new link leads to the page that was open.
const lose = text => {
  live.textContent = text; live.className = "off";
  document.cookie = `${document.querySelector("meta[name=lost]").content}=${encodeURIComponent(location.pathname + location.search)}; path=/; SameSite=Strict; max-age=86400`;
};
// If another tab opens the new link, this page continues with the new session.
const waitForSession = () => setTimeout(async () => {
  const answer = await fetch(location.href, { headers: { "X-Flowrun-Update": "1" } }).catch(() => null);
  if (answer?.ok) location.reload(); else waitForSession();
}, 2000);
const follow = address => {
  let failures = 0;
  const source = new EventSource(address);
  source.addEventListener("open", () => { failures = 0; live.textContent = "live"; live.className = "on"; });
  source.addEventListener("error", () => {
    if (source.readyState === EventSource.CLOSED) {
      lose("flowrun ui was started again; open the new link that it printed");
      waitForSession();
    } else if (++failures > 2) lose("flowrun ui does not answer; start it again and open the link that it prints");
    else { live.textContent = "connection lost; connecting again …"; live.className = "off"; }
  });
  source.addEventListener("change", read);
  source.addEventListener("log", event => log?.add(JSON.parse(event.data)));
  source.addEventListener("ended", () => {
    source.close();
    lose("the session has ended; open the link again");
    waitForSession();
  });
};

const begin = () => {
  readEnds();
  const section = document.getElementById("log");
  if (section) log = new Log(section);
  const form = document.querySelector("form[data-action]");
  if (form) prepare(form);
  aim = enliven(main);
  followAims(() => aim);
  const bar = barHash.exec(location.hash);
  if (bar && aim) aim(Number(bar[1]));
  if (document.body.dataset.events) follow(document.body.dataset.events);
  if ("brief" in document.body.dataset) read().then(() => delete document.body.dataset.brief);
};
// The browser first shows how the run ended and what failed, before many rows are read.
requestAnimationFrame(() => setTimeout(begin));
