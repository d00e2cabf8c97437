// A page of flowrun ui: shows what is new, sends what its buttons and forms ask for, and follows the log.
import { make, hide, List, enliven, followAims, barHash } from "./parts.js";

const main = document.querySelector("main"), note = document.getElementById("note"), live = document.getElementById("live");
const token = document.querySelector('meta[name="token"]').content;
const json = { "Content-Type": "application/json", "X-Flowrun-Token": token };

const say = text => { note.textContent = text; note.hidden = !text; };

// Actions.
const act = async (action, body, control) => {
  say("");
  if (control) control.disabled = true;
  try {
    const answer = await fetch("/actions/" + action, { method: "POST", headers: json, body: JSON.stringify(body) });
    const result = await answer.json();
    if (!answer.ok) say(result.problem);
    else if (result.location && result.location !== location.pathname) location.assign(result.location);
    else say(result.message);
  } catch {
    say("The server does not answer.");
  } finally {
    if (control) control.disabled = false;
  }
};
addEventListener("click", event => {
  const button = event.target instanceof Element && event.target.closest("button[data-action]");
  if (button) act(button.dataset.action, JSON.parse(button.dataset.body), button);
});
addEventListener("submit", event => {
  const form = event.target;
  if (!form.dataset.action) return;
  event.preventDefault();
  const inputs = {};
  for (const control of form.querySelectorAll("[data-input]"))
    if (control.value !== "" || control.required) inputs[control.name] = control.value;
  const body = { file: form.dataset.file, inputs };
  if (form.elements.launch) body.launch = form.elements.launch.value;
  act(form.dataset.action, body, form.querySelector("button"));
});

// The log: all lines, of which those in sight are drawn.
class Line {
  constructor(source, text) { this.source = source; this.text = text; }
  make() {
    const line = make("div", "line");
    line.setAttribute("role", "listitem");
    line.append(make("span", "source", this.source), make("span", "", this.text));
    return line;
  }
}
class Log {
  constructor(section) {
    this.lines = []; this.text = ""; this.source = section.dataset.step ?? "";
    const tools = make("p", "find"), search = make("input"), follow = make("input"), count = make("output");
    search.type = "search"; search.placeholder = "Search the log"; search.setAttribute("aria-label", "Search the log");
    follow.type = "checkbox"; follow.checked = true;
    const label = make("label"); label.append(follow, "follow");
    const steps = make("label", "", "step "), select = make("select");
    select.append(make("option", "", "all")); select.options[0].value = ""; steps.append(select);
    tools.append(search); if (!this.source) tools.append(steps); tools.append(label, count);
    const box = make("div", "scroll log"), body = make("div");
    box.tabIndex = 0; box.setAttribute("role", "list"); box.setAttribute("aria-label", "Log");
    box.append(body);
    section.append(tools, box);
    Object.assign(this, { box, follow, count, select, sources: new Set(), list: new List(box, body, () => make("div")) });
    search.addEventListener("input", () => { this.text = search.value.toLowerCase(); this.filter(); });
    select.addEventListener("input", () => { this.source = select.value; this.filter(); });
    // To scroll up is to stop following.
    box.addEventListener("scroll", () => {
      if (box.scrollTop < this.top) follow.checked = false;
      this.top = box.scrollTop;
    }, { passive: true });
    follow.addEventListener("change", () => this.toEnd());
    this.top = 0;
    this.filter();
  }
  passes(line) {
    return (!this.source || line.source === this.source || line.source.startsWith(this.source + "["))
      && (!this.text || line.text.toLowerCase().includes(this.text));
  }
  filter() { this.show(this.lines.filter(line => this.passes(line))); }
  add(entries) {
    const shown = this.list.rows;
    for (const [source, text] of entries) {
      const line = new Line(source, text);
      this.lines.push(line);
      if (this.passes(line)) shown.push(line);
      if (!this.sources.has(source) && this.sources.size < 1000) {
        this.sources.add(source);
        this.select.append(make("option", "", source));
      }
    }
    this.show(shown);
  }
  show(rows) {
    this.list.set(rows);
    this.count.textContent = !this.lines.length ? "nothing printed yet"
      : rows.length === this.lines.length ? rows.length + " lines" : rows.length + " of " + this.lines.length + " lines";
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

// Parts. What a reader has typed, chosen, scrolled and focused stays when a part is replaced.
let aim = null;
const controls = root => [...root.querySelectorAll("a,button,input,select,textarea,[tabindex]")];
const renew = (part, markup) => {
  const before = controls(part), values = before.map(control => control.value), focused = before.indexOf(document.activeElement);
  const scrolls = [...part.querySelectorAll(".scroll")].map(box => [box.scrollLeft, box.scrollTop]);
  const zoom = part.querySelector(".timeline")?.style.getPropertyValue("--zoom");
  // The server has escaped all that others wrote.
  part.innerHTML = markup;
  hide();
  aim = enliven(part) ?? aim;
  const after = controls(part);
  if (after.length === before.length)
    after.forEach((control, at) => {
      if (!/^(INPUT|SELECT|TEXTAREA)$/.test(control.tagName) || control.value === values[at]) return;
      control.value = values[at];
      control.dispatchEvent(new Event("input"));
    });
  if (zoom) part.querySelector(".timeline")?.style.setProperty("--zoom", zoom);
  [...part.querySelectorAll(".scroll")].forEach((box, at) => { if (scrolls[at]) [box.scrollLeft, box.scrollTop] = scrolls[at]; });
  if (focused >= 0) after[Math.min(focused, after.length - 1)]?.focus({ preventScroll: true });
};
const shown = new Map();
let isReading = false, isStale = false, freeAt = 0;
const read = async () => {
  if (isReading) { isStale = true; return; }
  isReading = true;
  // A page of many steps takes the server a while: most of the time it is left in peace.
  await new Promise(done => setTimeout(done, freeAt - performance.now()));
  const start = performance.now();
  isStale = false;
  try {
    const answer = await fetch(location.pathname + location.search, { headers: { "X-Flowrun-Update": "1" } });
    if (!answer.ok) return;
    const { title, parts } = await answer.json(), names = new Set(parts.map(part => part[0]));
    document.title = title;
    for (const part of [...main.children]) if (!names.has(part.dataset.part)) part.remove();
    let place = main.firstElementChild;
    for (const [name, markup] of parts) {
      let part = [...main.children].find(part => part.dataset.part === name);
      if (!part) { part = make("div"); part.dataset.part = name; }
      if (part !== place) main.insertBefore(part, place);
      place = part.nextElementSibling;
      // What a reader fills in, and the log, is his.
      if (shown.get(name) !== markup && name !== "log" && name !== "form") renew(part, markup);
      shown.set(name, markup);
    }
  } catch {
    // The connection says so.
  } finally {
    isReading = false;
    freeAt = performance.now() + Math.max(500, 4 * (performance.now() - start));
    if (isStale) read();
  }
};

const follow = address => {
  const source = new EventSource(address);
  source.addEventListener("open", () => { live.textContent = "live"; live.className = "on"; });
  source.addEventListener("error", () => {
    const isLost = source.readyState === EventSource.CLOSED;
    live.textContent = isLost ? "not connected; load the page again" : "connection lost; connecting again …";
    live.className = "off";
  });
  source.addEventListener("change", read);
  source.addEventListener("log", event => log?.add(JSON.parse(event.data)));
  source.addEventListener("ended", () => {
    source.close();
    live.textContent = "the session has ended; open the link again"; live.className = "off";
  });
};

const begin = () => {
  const section = document.getElementById("log");
  if (section) log = new Log(section);
  aim = enliven(main);
  followAims(() => aim);
  const bar = barHash.exec(location.hash);
  if (bar && aim) aim(Number(bar[1]));
  if (document.body.dataset.events) follow(document.body.dataset.events);
  if ("brief" in document.body.dataset) read().then(() => delete document.body.dataset.brief);
};
// How a run ended and what failed is painted before many rows are read.
requestAnimationFrame(() => setTimeout(begin));
