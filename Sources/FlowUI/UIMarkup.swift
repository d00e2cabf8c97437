#if Network
  import FlowCLI
  import FlowEngine
  import FlowInsight
  import FlowModel
  import FlowStore
  import FlowSystem

  /// Creates the parts of pages as HTML. Text from workflows and runs is escaped where it is inserted.
  enum UIMarkup {
    private static func escaped(_ text: String) -> String { PageText.escaped(text) }

    /// Returns the start time of a run, in UTC.
    private static func time(_ run: StoredRun) -> String {
      WallTime.text(run.startedMilliseconds).replacing("T", with: " ").replacing("Z", with: " UTC")
    }

    /// Returns the address of the page about a workflow.
    static func address(of name: String) -> String { "/workflows/\(PageText.inAddress(name))" }

    /// Returns a table of runs, the newest first.
    static func table(_ caption: String, _ runs: [StoredRun], _ library: RunLibrary) -> String {
      let rows = runs.map { run -> [PageTable.Cell] in
        let figures = RunFigures(run)
        var id = PageTable.Cell(String(run.id.suffix(8)))
        id.link = "/runs/\(run.id)"
        let state = InsightPage.state(run.state.rawValue)
        var took = PageTable.Cell(nanoseconds: figures.duration.map { Int($0 * 1_000_000) })
        if run.state == .running { took = .elapsed(seconds: max(0, WallTime.now - run.startedMilliseconds) / 1_000) }
        var shown = PageTable.Cell("\(state.sign) \(state.word)")
        shown.state = state.kind
        var started = PageTable.Cell(UIHistory.ago(run.startedMilliseconds), Double(run.startedMilliseconds))
        (started.tip, started.since) = (time(run), run.startedMilliseconds)
        return [
          id, .init(run.workflow), shown, started,
          took,
        ]
      }
      return PageTable(caption: caption, columns: ["run", "workflow", "state", "started", "took"], rows: rows).html
    }

    /// The maximum number of recent runs shown as bars, and of runs used to compute quantiles.
    private static let (bars, sampled) = (30, 50)

    /// Returns a list of runs that need a person: those with questions, and interrupted ones.
    static func waiting(_ asking: [(run: StoredRun, text: String)], interrupted: [StoredRun]) -> String {
      let asks = asking.map { run, text in
        "<li><a href=\"/runs/\(run.id)\">\(escaped(run.workflow))</a> asks: \(PageText.lines(text))</li>"
      }
      let others = interrupted.map { run in
        "<li><a href=\"/runs/\(run.id)\">\(escaped(run.workflow))</a>, started "
          + "<span data-ago=\"\(run.startedMilliseconds)\">\(UIHistory.ago(run.startedMilliseconds))</span>, was interrupted "
          + "and can be resumed</li>"
      }
      guard !(asks + others).isEmpty else { return "" }
      return "<section class=\"panel asks\"><h2>Waits for you</h2><ul>\((asks + others).joined())</ul></section>"
    }

    /// Returns a line about a workflow, with its recent runs as bars. `problem` is the reason why it cannot be started,
    /// or an empty string.
    static func card(_ file: RunLibrary.WorkflowFile, problem: String) -> String {
      let title = file.runs.first?.workflow ?? file.name
      let name = escaped(title)
      let small = title == file.name ? "" : " <small>\(escaped(file.name))</small>"
      var html = "<article class=\"card\"><h2><a href=\"\(address(of: file.name))\">\(name)</a>\(small)</h2>"
      let first = problem.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
      if !first.isEmpty { html += "<p class=\"refusal\">\(escaped(first))</p>" }
      guard !file.runs.isEmpty else { return html + (first.isEmpty ? "<p>No runs yet.</p>" : "") + "</article>" }
      let figures = file.runs.prefix(sampled).map(RunFigures.init)
      let longest = max(1, figures.prefix(bars).compactMap(\.duration).max() ?? 1)
      html += "<ul class=\"bars\" aria-label=\"The last runs of \(name)\">"
      for (run, figure) in zip(file.runs.prefix(bars), figures).reversed() {
        let state = InsightPage.state(run.state.rawValue)
        let took = figure.duration.map { ", \(PageText.time(Int($0 * 1_000_000)))" } ?? ""
        let text = "\(state.word)\(took), \(UIMarkup.time(run))"
        // Pages have no inline styles, so there is a CSS class for each tenth of the height.
        let height = max(1, Int((figure.duration ?? longest) / longest * 10))
        html +=
          "<li><a class=\"\(state.kind) h\(height)\" href=\"/runs/\(run.id)\" data-tip=\"\(text)\" aria-label=\"\(text)\"></a></li>"
      }
      html += "</ul>"
      let ended = zip(file.runs, figures).filter { $0.0.state != .running && $0.0.state != .cancelled }.map(\.1)
      let gates = ended.compactMap(\.gate)
      let times = (gates.isEmpty ? ended.compactMap(\.duration) : gates).sorted()
      guard times.count > 1 else { return html + "</article>" }
      let subject = gates.isEmpty ? "Took" : "Gate opened"
      return html
        + "<p>\(subject) P50 <b>\(quantile(times, 0.5))</b>, P95 <b>\(quantile(times, 0.95))</b> in the last \(times.count) runs</p></article>"
    }

    private static func quantile(_ sorted: [Double], _ share: Double) -> String {
      let rank = min(sorted.count - 1, Int((share * Double(sorted.count)).rounded(.up)) - 1)
      return PageText.time(Int(sorted[max(0, rank)] * 1_000_000))
    }

    /// Returns a chart of the durations of a step in recorded runs. Each bar links to the page of the step in that run.
    static func durations(_ durations: [(run: String, nanoseconds: Int)], of step: String) -> String {
      guard durations.count > 1 else { return "" }
      let times = durations.map { Double($0.nanoseconds) / 1_000_000 }.sorted()
      let longest = max(1, durations.prefix(bars).map(\.nanoseconds).max() ?? 1)
      let chart = durations.prefix(bars).reversed().map { run, time in
        let text = "run \(run.suffix(8)), \(PageText.time(time))"
        let address = PageText.value("/runs/\(run)?step=\(PageText.inAddress(step))")
        return
          "<li><a class=\"success h\(max(1, time * 10 / longest))\" href=\"\(address)\" data-tip=\"\(text)\" aria-label=\"\(text)\"></a></li>"
      }
      return "<ul class=\"bars\" aria-label=\"Durations, the newest last\">\(chart.joined())</ul>"
        + InsightPage.figures([
          ("P50", quantile(times, 0.5)), ("P95", quantile(times, 0.95)), ("successes", String(times.count)),
          ("last", PageText.time(durations[0].nanoseconds)),
        ])
    }

    /// Returns a button that sends an action with a body.
    private static func button(_ action: String, _ text: String, _ body: ValueObject) -> String {
      "<button type=\"button\" data-action=\"\(action)\" data-body=\"\(escaped(JSONText.write(.object(body))))\">\(escaped(text))</button>"
    }

    /// Returns the buttons and links for actions on a run.
    static func actions(
      on run: StoredRun, before: StoredRun?, _ library: RunLibrary, isReadOnly: Bool
    ) -> String {
      var html = "<p class=\"tools\">"
      let body: ValueObject = ["run": .string(run.id)]
      if !isReadOnly {
        switch run.state {
        case .running: html += button("cancel", "Cancel", body)
        case .interrupted, .failure, .partial, .cancelled: html += button("resume", "Resume", body)
        case .success: break
        }
        if run.state != .running { html += button("again", "Run again", body) }
      }
      let workflow = address(of: library.name(of: run.file))
      var links = [(workflow, "Workflow")]
      if !isReadOnly, run.state != .running, RunHeader(run.header)?.inputs.isEmpty == false {
        links.insert(("\(workflow)?from=\(run.id)", "Change inputs"), at: 0)
      }
      if let before, run.state != .running {
        links.append(("/compare?a=\(before.id)&b=\(run.id)", "Compare with the run before"))
      }
      links += [("report.html", "Report (HTML)"), ("report.json", "Report (JSON)"), ("trace.json", "Trace")].map {
        ("/runs/\(run.id)/\($0.0)", $0.1)
      }
      return html + links.map { "<a href=\"\(escaped($0.0))\">\($0.1)</a>" }.joined(separator: " ") + "</p>"
    }

    /// Returns panels for the questions of a run, and for the events that its steps wait for.
    static func requests(_ view: RunPageView) -> String {
      var html = ""
      for question in view.questions {
        html += "<section class=\"panel asks\"><h2>\(escaped(question.step)) asks</h2>"
        if !question.printed.isEmpty {
          let lines = question.printed.map { escaped("\($0.step) │ \($0.line)") }.joined(separator: "\n")
          html += "<pre>\(lines)</pre>"
        }
        html += "<p class=\"message\">\(PageText.lines(question.text))</p><p class=\"tools\">"
        for choice in question.choices {
          html += button(
            "answer", choice,
            ["run": .string(view.run.id), "step": .string(question.step), "choice": .string(choice)])
        }
        html += "</p>" + (question.takesText ? answerForm(question, of: view.run.id) : "") + "</section>"
      }
      guard !view.awaited.isEmpty else { return html }
      html += "<section class=\"panel asks\"><h2>Steps wait for an event</h2><p class=\"tools\">"
      for event in view.awaited {
        html += button("post", "Post \(event)", ["run": .string(view.run.id), "event": .string(event)])
      }
      return html + "</p></section>"
    }

    /// Returns the form in which a person answers a question with text or a secret.
    private static func answerForm(_ question: RunPageView.Question, of run: String) -> String {
      let body = JSONText.write(.object(["run": .string(run), "step": .string(question.step)]))
      let (type, name) = question.isSecret ? ("password", "secret") : ("text", "choice")
      return
        "<form data-answer=\"\(escaped(body))\" autocomplete=\"off\"><input type=\"\(type)\" name=\"\(name)\" autocomplete=\"off\" aria-label=\"\(PageText.value(question.text))\" required> "
        + "<button>Answer</button></form>"
    }

    /// Returns the element that the script fills with the log of a run or of one step.
    static func log(of step: String?, _ run: String) -> String {
      let own = step.map { " data-step=\"\(PageText.value($0))\"" } ?? ""
      let text = "\(run)/log.txt" + (step.map { "?step=\(PageText.inAddress($0))" } ?? "")
      return "<section id=\"log\"\(own) data-text=\"\(text)\"><h2>Log</h2></section>"
    }

    /// Returns the times at which attempts ended. The script uses them to assign log lines to attempts.
    static func attemptEnds(_ ends: ValueObject) -> String {
      guard !ends.isEmpty else { return "" }
      return "<div id=\"attempt-ends\" hidden data-ends=\"\(PageText.value(JSONText.write(.object(ends))))\"></div>"
    }

    /// Returns a form that selects two runs of a workflow for a comparison.
    static func comparisonForm(_ file: RunLibrary.WorkflowFile) -> String {
      let runs = file.runs.filter { $0.state != .running }.prefix(50)
      guard runs.count > 1 else { return "" }
      func choice(_ name: String, _ text: String, _ chosen: Int) -> String {
        let options = runs.enumerated().map { number, run in
          let word = InsightPage.state(run.state.rawValue).word
          return
            "<option value=\"\(run.id)\"\(number == chosen ? " selected" : "")>\(run.id.suffix(8)) · \(word) · \(time(run))</option>"
        }
        return
          "<label for=\"\(name)\">\(text)</label> <select id=\"\(name)\" name=\"\(name)\">\(options.joined())</select> "
      }
      return
        "<section><h2>Compare</h2><form action=\"/compare\"><p>\(choice("a", "Before", 1))</p><p>\(choice("b", "Now", 0))</p><p class=\"tools\"><button>Compare</button></p></form></section>"
    }
  }
#endif
