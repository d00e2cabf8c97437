extension InsightPage {
  /// What makes the page answer: names next to the pointer, rows by arrow keys, columns to sort by, a timeline to zoom.
  static let script = """
    "use strict";
    (() => {
      const tip = document.getElementById("tip");
      const show = (text, x, y) => {
        tip.textContent = text; tip.hidden = false;
        const width = tip.offsetWidth, height = tip.offsetHeight;
        tip.style.left = Math.max(4, Math.min(x + 12, innerWidth - width - 4)) + "px";
        tip.style.top = Math.max(4, y + 16 + height > innerHeight ? y - height - 8 : y + 16) + "px";
      };
      const hide = () => { tip.hidden = true; };
      addEventListener("pointermove", event => {
        const over = event.target instanceof Element && event.target.closest("[data-tip]");
        if (over) show(over.dataset.tip, event.clientX, event.clientY); else hide();
      });
      addEventListener("scroll", hide, true);
      for (const rows of document.querySelectorAll(".rows")) {
        const list = [...rows.querySelectorAll(".row[data-tip]")];
        let at = -1;
        rows.addEventListener("keydown", event => {
          const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
          if (event.key === "Escape") return hide();
          if (!step || !list.length) return;
          event.preventDefault();
          at = Math.max(0, Math.min(list.length - 1, at + step));
          list[at].scrollIntoView({ block: "nearest" });
          // With the next frame: by then the page has told of the scrolling, which hides what was shown before it.
          requestAnimationFrame(() => {
            const box = list[at].getBoundingClientRect();
            show(list[at].dataset.tip, box.left + 20, box.top);
          });
        });
        rows.addEventListener("blur", hide);
        const tools = document.createElement("p");
        tools.className = "tools";
        let zoom = 1;
        for (const [name, factor] of [["Zoom in", 2], ["Zoom out", 0.5]]) {
          const button = document.createElement("button");
          button.type = "button"; button.textContent = name;
          button.addEventListener("click", () => {
            zoom = Math.max(1, Math.min(32, zoom * factor));
            rows.style.setProperty("--zoom", zoom);
          });
          tools.append(button);
        }
        rows.before(tools);
      }
      for (const table of document.querySelectorAll("table")) {
        const body = table.tBodies[0];
        [...table.tHead.rows[0].cells].forEach((head, column) => {
          const button = document.createElement("button");
          button.type = "button"; button.textContent = head.textContent;
          head.replaceChildren(button);
          button.addEventListener("click", () => {
            const isNumber = head.classList.contains("n");
            const was = head.getAttribute("aria-sort");
            const order = was ? (was === "descending" ? "ascending" : "descending") : isNumber ? "descending" : "ascending";
            for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
            head.setAttribute("aria-sort", order);
            const key = row => {
              const cell = row.cells[column];
              return isNumber ? Number(cell.dataset.v ?? -Infinity) : cell.textContent;
            };
            const sign = order === "ascending" ? 1 : -1;
            [...body.rows].sort((a, b) => {
              const [left, right] = [key(a), key(b)];
              return sign * (isNumber ? left - right || 0 : left.localeCompare(right));
            }).forEach(row => body.append(row));
          });
        });
      }
    })();
    """
}
