extension InsightPage {
  /// The script shared by all pages: timelines, lists that draw only visible rows, search, filters, sortable columns,
  /// tooltips, and selection of rows with arrow keys. `flowrun ui` serves it as a module.
  package static let scriptParts = #"""
    const time = us => {
      if (us === null) return "–";
      const ms = us / 1000, size = Math.abs(ms);
      return size < 9.95 ? ms.toFixed(1) + " ms" : size < 999.5 ? ms.toFixed(0) + " ms" : (ms / 1000).toFixed(3) + " s";
    };
    const make = (tag, name, text) => {
      const element = document.createElement(tag);
      if (name) element.className = name;
      if (text !== undefined) element.textContent = text;
      return element;
    };
    const tip = document.getElementById("tip");
    const show = (text, x, y) => {
      tip.textContent = text; tip.hidden = false;
      const width = tip.offsetWidth, height = tip.offsetHeight;
      tip.style.left = Math.max(4, Math.min(x + 12, innerWidth - width - 4)) + "px";
      tip.style.top = Math.max(4, y + 16 + height > innerHeight ? y - height - 8 : y + 16) + "px";
    };
    const hide = () => { tip.hidden = true; };
    // The prefix of links to pages of steps; undefined if there are none.
    const stepPage = document.body.dataset.steps;
    const named = (tag, name, id, text) => {
      const element = make(tag, name, stepPage ? undefined : text);
      if (!stepPage) return element;
      const link = make("a", "", text);
      link.href = stepPage + encodeURIComponent(id);
      element.append(link);
      return element;
    };
    addEventListener("pointermove", event => {
      const over = event.target instanceof Element && event.target.closest("[data-tip]");
      if (over) show(over.dataset.tip, event.clientX, event.clientY); else hide();
    });
    addEventListener("scroll", hide, true);

    // Draws only the rows that are visible in `box`, or all rows of a short list. `body` contains the rows.
    const shortList = 200;
    class List {
      constructor(box, body, gap) {
        Object.assign(this, { box, body, rows: [], above: gap(), below: gap(), first: -1, height: 0 });
        box.addEventListener("scroll", () => this.draw(), { passive: true });
        let width = box.clientWidth;
        // The observer must not outlive its list, which is replaced when a page follows a run.
        new ResizeObserver(() => {
          if (box.clientWidth === width) return;
          width = box.clientWidth; this.height = 0; this.draw(true);
        }).observe(box);
      }
      set(rows) {
        this.rows = rows;
        this.box.classList.toggle("tall", rows.length > shortList || this.isTall === true);
        this.isTall ||= rows.length > shortList;
        this.draw(true);
      }
      element(at) {
        const row = this.rows[at], element = row.element || row.make();
        element.dataset.at = at;
        return element;
      }
      draw(force) {
        const { rows, body } = this;
        if (rows.length <= shortList) {
          if (force) body.replaceChildren(...rows.map((_, at) => this.element(at)));
          return;
        }
        if (!this.height) {
          const { scrollTop } = this.box;
          body.replaceChildren(this.element(0));
          this.height = body.firstChild.getBoundingClientRect().height || 22;
          // With a single row, there is nothing to scroll.
          this.above.style.height = rows.length * this.height + "px";
          body.replaceChildren(this.above);
          this.box.scrollTop = scrollTop;
        }
        const fits = Math.ceil(this.box.clientHeight / this.height) || 40;
        const first = Math.max(0, Math.min(rows.length - fits, Math.floor(this.box.scrollTop / this.height)) - 10);
        if (!force && Math.abs(first - this.first) < 5) return;
        this.first = first;
        const last = Math.min(rows.length, first + fits + 20);
        this.above.style.height = first * this.height + "px";
        this.below.style.height = (rows.length - last) * this.height + "px";
        const shown = [];
        for (let at = first; at < last; at++) shown.push(this.element(at));
        body.replaceChildren(this.above, ...shown, this.below);
      }
      // Returns the element of a row after scrolling it into view.
      reveal(at) {
        if (this.rows.length > shortList) {
          const top = at * this.height, { scrollTop, clientHeight } = this.box;
          if (top < scrollTop || top + 2 * this.height > scrollTop + clientHeight)
            this.box.scrollTop = Math.max(0, top - clientHeight / 3);
          this.draw();
        }
        const element = this.body.querySelector(`[data-at="${at}"]`);
        element?.scrollIntoView({ block: "nearest" });
        return element;
      }
    }

    const read = element => element.data ??= JSON.parse(element.querySelector("script").textContent);

    // The label of a step: its name followed by its id, or only the id.
    const label = row => row[8] === undefined ? row[0] : row[8] + " (" + row[0] + ")";

    const timeline = (figure, data) => {
      const place = at => {
        const points = data.axis, next = points.findIndex(point => point[0] >= at);
        if (next < 0) return 100;
        if (next === 0) return 0;
        const [from, to] = [points[next - 1], points[next]];
        return 100 * (from[1] + (to[1] - from[1]) * (at - from[0]) / (to[0] - from[0]));
      };
      const mark = (track, tag, name, from, to) => {
        const element = make(tag, name);
        element.style.left = place(from).toFixed(3) + "%";
        if (to !== undefined) element.style.width = Math.max(0, place(to) - place(from)).toFixed(3) + "%";
        track.append(element);
        return element;
      };
      let aimed = null;
      const draw = (row, number) => {
        const [id, outcome, reason, start, end, isOn, bars] = row, name = label(row);
        const isBad = /^(failure|timed-out)/.test(outcome), isOff = start === null;
        const state = isOff ? (outcome ? outcome + (reason ? ": " + reason : "") : "not started")
          : time(start) + " to " + time(end) + (outcome && outcome !== "success" ? ", " + outcome : "");
        const text = name + ": " + state + (isOn ? ", on the critical path" : "");
        const element = make("div", "row" + (isOn ? " on" : "") + (isBad ? " bad" : "") + (isOff ? " off" : ""));
        if (number === aimed) element.classList.add("aim");
        element.setAttribute("role", "listitem"); element.setAttribute("aria-label", text);
        element.dataset.tip = text;
        const track = make("span", "track");
        for (const cut of data.breaks) mark(track, "u", "", data.axis[cut][0], data.axis[cut + 1][0]);
        for (let at = 0; at < bars.length; at += 3) {
          const kind = data.kinds[bars[at]];
          mark(track, "i", kind, bars[at + 1], bars[at + 2]).dataset.tip =
            name + ": " + kind + " " + time(bars[at + 2] - bars[at + 1]);
        }
        if (isOff) track.append(make("span", "why", state));
        if (data.gate !== null) mark(track, "b", "", data.gate);
        element.append(named("span", "name", id, (isBad ? "✗ " : "") + (row[8] ?? id)), track);
        return element;
      };
      const box = make("div", "scroll rows"), zoomed = make("div", "zoom"), body = make("div");
      box.tabIndex = 0; box.setAttribute("role", "list"); box.setAttribute("aria-label", data.title);
      zoomed.append(body); box.append(zoomed);
      const axis = make("div", "row axis"), scale = make("span", "track");
      axis.setAttribute("aria-hidden", "true");
      for (const [number, [at, text]] of data.ticks.entries()) {
        const where = place(at), isNear = data.gate !== null && Math.abs(where - place(data.gate)) < 30;
        const name = (where < 3 ? "first" : where > 96 ? "last" : "") + (number % 2 || isNear ? " minor" : "");
        mark(scale, "em", name, at).textContent = text;
      }
      if (data.gate !== null) {
        const where = place(data.gate);
        mark(scale, "em", "gate " + (where < 8 ? "first" : where > 90 ? "last" : ""), data.gate).textContent =
          "gate " + time(data.gate);
      }
      axis.append(make("span", "name"), scale);
      const below = make("div", "scroll"), belowZoomed = make("div", "zoom");
      belowZoomed.append(axis); below.append(belowZoomed); below.style.overflow = "hidden";
      box.addEventListener("scroll", () => { below.scrollLeft = box.scrollLeft; });
      const tools = make("p", "tools");
      let zoom = 1;
      for (const [name, factor] of [["Zoom in", 2], ["Zoom out", 0.5]]) {
        const button = make("button", "", name);
        button.type = "button";
        button.addEventListener("click", () => {
          zoom = Math.max(1, Math.min(32, zoom * factor));
          figure.style.setProperty("--zoom", zoom);
        });
        tools.append(button);
      }
      const legend = make("p", "legend");
      const key = (tag, name, text) => {
        const span = make("span");
        span.append(make(tag, name), text); legend.append(span);
      };
      for (const kind of data.kinds) key("i", kind, kind === "minimum" ? "step minimum" : kind);
      if (data.gate !== null) key("b", "", "gate");
      if (data.breaks.length) key("u", "", "time without steps, cut short");
      figure.querySelectorAll(".tools,.rows,.scroll,.legend").forEach(old => old.remove());
      figure.append(legend, tools, box, below);
      if (data.left) figure.append(make("p", "legend", "… and " + data.left + " shorter steps"));
      const list = new List(box, body, () => make("div"));
      const all = data.rows.map((row, number) => ({
        id: label(row), outcome: row[1] ?? "not finished", number,
        causes: [...new Set(row[6].filter((_, at) => at % 3 === 0).map(kind => data.kinds[kind])), ...(row[2] ? [row[2]] : [])],
        make: () => draw(row, number),
      }));
      let at = -1;
      box.addEventListener("keydown", event => {
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (event.key === "Escape") return hide();
        if (!step || !list.rows.length) return;
        event.preventDefault();
        at = Math.max(0, Math.min(list.rows.length - 1, at + step));
        const row = list.reveal(at);
        // Waits for the next frame. The scroll event, which hides tooltips, has been handled by then.
        requestAnimationFrame(() => {
          const edge = row.getBoundingClientRect();
          show(row.dataset.tip, edge.left + 20, edge.top);
        });
      });
      box.addEventListener("blur", hide);
      const set = rows => { at = -1; list.set(rows); };
      set(all);
      const aim = number => {
        const where = list.rows.findIndex(row => row.number === number);
        if (where < 0) return false;
        aimed = number;
        list.draw(true);
        list.reveal(where)?.scrollIntoView({ block: "center" });
        at = where;
        box.focus({ preventScroll: true });
        return true;
      };
      return { all, set, aim };
    };

    const order = new Intl.Collator(undefined, { numeric: true }).compare;
    const table = element => {
      const body = element.tBodies[0], heads = [...element.tHead.rows[0].cells];
      const isNumber = heads.map(head => head.classList.contains("n")), names = heads.map(head => head.textContent);
      const source = element.parentElement.querySelector("script");
      // The rows of a long table of steps are created from the data of the timeline.
      const long = source ? JSON.parse(source.textContent) : "steps" in element.dataset
        ? read(element.closest("[data-rows]").querySelector(".timeline")).rows.map(
          ([id, outcome, reason, start, end, , , slack, name]) =>
            [name === undefined ? id : [name + " (" + id + ")", 0, id], start, start === null || end === null ? null : end - start,
              ...(names.includes("slack") ? [slack === -1 ? ["any", 1e300] : slack] : []), outcome ?? "–", reason ?? ""].slice(0, heads.length))
        : null;
      // A cell is a text, a time in microseconds, null if there is no time, or an array of a text and the number to sort by.
      const words = cell => Array.isArray(cell) ? cell[0] : typeof cell === "string" ? cell : time(cell);
      const number = cell => Array.isArray(cell) ? cell[1] : cell ?? -1;
      const draw = cells => {
        const row = make("tr");
        cells.forEach((cell, column) => {
          const name = isNumber[column] ? "n" : "", text = words(cell), link = Array.isArray(cell) && cell[3] && make("a", "", text);
          const made = link ? make(column ? "td" : "th", name) : column || !("of" in element.dataset) ? make(column ? "td" : "th", name, text) : named("th", name, cell[2] ?? text, text);
          if (link) { link.href = cell[3]; made.append(link); }
          if (!column) made.scope = "row";
          if (isNumber[column]) made.dataset.v = number(cell);
          if (names[column] === "took" && cells.includes("in progress")) made.dataset.elapsed = cell / 1000;
          row.append(made);
        });
        return row;
      };
      if (stepPage && !long && "of" in element.dataset)
        for (const { cells: [head] } of body.rows) head.replaceWith(Object.assign(named("th", "", head.dataset.id ?? head.textContent, head.textContent), { scope: "row" }));
      const [outcome, cause] = [names.indexOf("outcome"), names.indexOf("why not")];
      const all = (long || [...body.rows]).map(row => {
        const text = column => long ? words(row[column]) : row.cells[column].textContent;
        return {
          id: text(0), words: () => names.map((_, column) => text(column)).join(" "), outcome: outcome < 0 ? null : text(outcome), causes: cause >= 0 && text(cause) ? [text(cause)] : [],
          element: long ? null : row, make: () => draw(row),
          key: column => isNumber[column]
            ? Number(long ? number(row[column]) : row.cells[column].dataset.v ?? -Infinity) : text(column),
        };
      });
      const gap = () => { const row = make("tr", "gap"); row.append(make("td")); return row; };
      const list = new List(element.parentElement, body, gap);
      list.rows = all;
      let shown = all, sorting = null;
      const set = rows => {
        shown = rows;
        if (!sorting) return list.set(rows);
        const { column, sign } = sorting;
        const keyed = rows.map(row => [row.key(column), row]);
        keyed.sort(isNumber[column] ? (a, b) => sign * (a[0] - b[0] || 0) : (a, b) => sign * order(a[0], b[0]));
        list.set(keyed.map(pair => pair[1]));
      };
      heads.forEach((head, column) => {
        if (!head.textContent) return;
        const button = make("button", "", head.textContent);
        button.type = "button";
        head.replaceChildren(button);
        button.addEventListener("click", () => {
          const was = head.getAttribute("aria-sort");
          const next = was ? (was === "descending" ? "ascending" : "descending") : isNumber[column] ? "descending" : "ascending";
          for (const other of heads) other.removeAttribute("aria-sort");
          head.setAttribute("aria-sort", next);
          sorting = { column, sign: next === "ascending" ? 1 : -1 };
          set(shown);
        });
      });
      if (long) {
        list.set(all);
        // Rows outside the view may be wider than visible ones, so the longest text of each column determines its width.
        const size = cell => Array.isArray(cell) ? cell[0].length : typeof cell === "string" ? cell.length
          : cell < 999_500 ? 6 : 6 + String(Math.floor(cell / 1e6)).length;
        const longest = heads.map((_, column) => long.reduce((most, row) => size(row[column]) > size(most[column]) ? row : most)[column]);
        body.append(draw(longest));
        const widths = heads.map(head => Math.ceil(head.getBoundingClientRect().width) + 1);
        body.lastChild.remove();
        heads.forEach((head, column) => { head.style.width = widths[column] + "px"; });
        element.style.tableLayout = "fixed";
      }
      return { all, set };
    };

    // Adds search and filters to a section. They use the data of its timeline or, without one, of its table.
    const filtered = (section, views, timelines) => {
      const most = Math.max(0, ...views.map(view => view.all.length));
      if (most < 12) return () => {};
      const noun = section.dataset.rows || "steps", words = row => noun === "steps" ? row.id : row.words();
      const facts = new Map((timelines[0] ?? views[0]).all.map(row => [row.id, row]));
      const bar = make("p", "find");
      const choice = (name, values) => {
        const label = make("label", "", name + " "), select = make("select");
        for (const value of ["", ...values]) {
          const option = make("option", "", value || "any");
          option.value = value; select.append(option);
        }
        label.append(select);
        if (values.length > 1) bar.append(label);
        return select;
      };
      const search = make("input"), found = make("output");
      search.type = "search"; search.placeholder = "Search " + noun; search.setAttribute("aria-label", "Search " + noun);
      bar.append(search);
      const rows = [...facts.values()];
      const outcome = choice("outcome", [...new Set(rows.map(row => row.outcome).filter(Boolean))].sort());
      const cause = choice("cause", [...new Set(rows.flatMap(row => row.causes))].sort());
      bar.append(found);
      const apply = () => {
        const text = search.value.trim().toLowerCase();
        const passes = row => {
          const known = facts.get(row.id) ?? row;
          return (!text || words(row).toLowerCase().includes(text)) && (!outcome.value || known.outcome === outcome.value)
            && (!cause.value || known.causes.includes(cause.value));
        };
        const isAll = !text && !outcome.value && !cause.value;
        const counts = views.map(view => {
          const rows = isAll ? view.all : view.all.filter(passes);
          view.set(rows);
          return rows.length;
        });
        found.textContent = isAll ? "" : Math.max(...counts) + " of " + most + " " + noun;
      };
      for (const input of [search, outcome, cause]) input.addEventListener("input", apply);
      section.querySelector("h2").after(bar);
      return () => { search.value = outcome.value = cause.value = ""; apply(); };
    };

    // Activates a section of the page. Returns a function that reveals a bar of its first timeline by index.
    const enliven = root => {
      const tables = new Map();
      let aim = null;
      for (const element of root.querySelectorAll("table")) tables.set(element, table(element));
      for (const section of root.querySelectorAll("[data-rows]")) {
        const timelines = [...section.querySelectorAll(".timeline")].map(figure => timeline(figure, read(figure)));
        const views = [...timelines, ...[...section.querySelectorAll("table")].map(element => tables.get(element))];
        const clear = filtered(section, views, timelines);
        if (timelines.length) aim ??= number => { if (!timelines[0].aim(number)) { clear(); timelines[0].aim(number); } };
      }
      return aim;
    };
    const barHash = /^#bar-(\d+)$/;
    const followAims = aim => addEventListener("click", event => {
      const link = event.target instanceof Element && event.target.closest('a[href^="#bar-"]');
      if (!link || !aim()) return;
      event.preventDefault();
      aim()(Number(link.hash.slice(5)));
    });
    """#

  /// The script embedded in a page that consists of a single file.
  static let script = #"""
    "use strict";
    (() => {
    \#(scriptParts)
      const begin = () => {
        const aim = enliven(document);
        followAims(() => aim);
        const bar = barHash.exec(location.hash);
        if (bar && aim) aim(Number(bar[1]));
      };
      // Shows the result and the failures before reading thousands of rows.
      const sources = [...document.querySelectorAll("script[type]")];
      if (sources.some(source => source.textContent.length > 100_000)) requestAnimationFrame(() => setTimeout(begin));
      else begin();
    })();
    """#
}
