#if Network
  import FlowCLI
  import FlowInsight
  import FlowModel
  import FlowStore
  import FlowSystem

  /// Parts of pages. Texts of workflows and runs are escaped where they are put in.
  enum UIMarkup {
    private static func escaped(_ text: String) -> String { PageText.escaped(text) }

    /// When a run started.
    private static func time(_ run: StoredRun) -> String {
      WallTime.text(run.startedMilliseconds).replacing("T", with: " ").replacing("Z", with: " UTC")
    }

    /// The address of a workflow's page.
    static func address(of name: String) -> String { "/workflows/\(PageText.inAddress(name))" }

    // MARK: Runs

    /// Runs, the newest first.
    static func table(_ caption: String, _ runs: [StoredRun], _ library: RunLibrary) -> String {
      let rows = runs.map { run -> [PageTable.Cell] in
        let figures = RunFigures(run)
        var id = PageTable.Cell(String(run.id.suffix(8)))
        id.link = "/runs/\(run.id)"
        let state = InsightPage.state(run.state.rawValue)
        return [
          id, .init(run.workflow), .init("\(state.sign) \(state.word)"),
          .init(time(run), Double(run.startedMilliseconds)),
          .init(nanoseconds: figures.duration.map { Int($0 * 1_000_000) }),
        ]
      }
      return PageTable(caption: caption, columns: ["run", "workflow", "state", "started", "took"], rows: rows).html
    }

    /// How many of its last runs the card of a workflow shows, and how many of them its quantiles rest on.
    private static let (bars, sampled) = (30, 50)

    /// A workflow with its last runs as bars.
    static func card(_ file: RunLibrary.WorkflowFile) -> String {
      let name = escaped(file.runs.first?.workflow ?? file.name)
      var html =
        "<article class=\"card\"><h2><a href=\"\(address(of: file.name))\">\(name)</a> <small>\(escaped(file.name))</small></h2>"
      guard !file.runs.isEmpty else { return html + "<p>No runs yet.</p></article>" }
      let figures = file.runs.prefix(sampled).map(RunFigures.init)
      let longest = max(1, figures.prefix(bars).compactMap(\.duration).max() ?? 1)
      html += "<ul class=\"bars\" aria-label=\"The last runs of \(name)\">"
      for (run, figure) in zip(file.runs.prefix(bars), figures).reversed() {
        let state = InsightPage.state(run.state.rawValue)
        let took = figure.duration.map { ", \(PageText.time(Int($0 * 1_000_000)))" } ?? ""
        let text = "\(state.word)\(took), \(UIMarkup.time(run))"
        // A class for each tenth of the height: a page has no style of its own.
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

    /// How long a step took in earlier runs.
    static func durations(_ nanoseconds: [Int]) -> String {
      guard nanoseconds.count > 1 else { return "" }
      let times = nanoseconds.map { Double($0) / 1_000_000 }.sorted()
      return InsightPage.figures([
        ("P50", quantile(times, 0.5)), ("P95", quantile(times, 0.95)), ("successes", String(times.count)),
        ("last", PageText.time(nanoseconds[0])),
      ])
    }

    // MARK: Actions

    /// A button that does something with a run.
    private static func button(_ action: String, _ text: String, _ body: ValueObject) -> String {
      "<button type=\"button\" data-action=\"\(action)\" data-body=\"\(escaped(JSONText.write(.object(body))))\">\(escaped(text))</button>"
    }

    /// What can be done about a run, and where else to look.
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
      }
      var links = [(address(of: library.name(of: run.file)), isReadOnly ? "Workflow" : "Run again")]
      if let before, run.state != .running {
        links.append(("/compare?a=\(before.id)&b=\(run.id)", "Compare with the run before"))
      }
      links += [("report.html", "Report (HTML)"), ("report.json", "Report (JSON)"), ("trace.json", "Trace")].map {
        ("/runs/\(run.id)/\($0.0)", $0.1)
      }
      return html + links.map { "<a href=\"\(escaped($0.0))\">\($0.1)</a>" }.joined(separator: " ") + "</p>"
    }

    /// What steps of a run wait for.
    static func requests(_ view: RunPageView) -> String {
      var html = ""
      for question in view.questions {
        html +=
          "<section class=\"panel asks\"><h2>\(escaped(question.step)) asks</h2><p class=\"message\">\(escaped(question.text))</p><p class=\"tools\">"
        for choice in question.choices {
          html += button(
            "answer", choice,
            ["run": .string(view.run.id), "step": .string(question.step), "choice": .string(choice)])
        }
        html += "</p></section>"
      }
      guard !view.awaited.isEmpty else { return html }
      html += "<section class=\"panel asks\"><h2>Steps wait for an event</h2><p class=\"tools\">"
      for event in view.awaited {
        html += button("post", "Post \(event)", ["run": .string(view.run.id), "event": .string(event)])
      }
      return html + "</p></section>"
    }

    /// Where the script shows lines.
    static func log(of step: String?) -> String {
      "<section id=\"log\"\(step.map { " data-step=\"\(escaped($0))\"" } ?? "")><h2>Log</h2></section>"
    }

    // MARK: Forms

    /// What a workflow is started with.
    static func form(_ form: RunLibrary.Form, _ file: RunLibrary.WorkflowFile) -> String {
      var html = "<section><h2>Run</h2>"
      if !form.problem.isEmpty {
        return html
          + "<pre class=\"problem\" tabindex=\"0\" role=\"region\" aria-label=\"Why it cannot be started\">\(escaped(form.problem).replacing("\u{FFFD}", with: "\n"))</pre></section>"
      }
      guard let workflow = form.workflow else { return "" }
      html += "<form data-action=\"run\" data-file=\"\(escaped(file.name))\">"
      for (number, field) in workflow.inputs.enumerated() { html += control(field, "input-\(number)") }
      if workflow.gate != nil {
        html += "<p><label for=\"launch\">Launch reason</label> <select id=\"launch\" name=\"launch\">"
        html += LaunchReason.allCases.map { "<option>\($0.rawValue)</option>" }.joined() + "</select></p>"
      }
      return html + "<p class=\"tools\"><button>Run</button></p></form></section>"
    }

    private static func control(_ field: FieldDeclaration, _ id: String) -> String {
      let name = escaped(field.name)
      let isGiven = field.isRequired && field.defaultValue == nil
      let given = field.defaultValue.map { $0 == .null ? "" : $0.stringValue ?? JSONText.write($0) } ?? ""
      let attributes =
        "id=\"\(id)\" name=\"\(name)\" data-input\(isGiven ? " required" : "") aria-describedby=\"\(id)-about\""
      let control: String
      switch field.type {
      case _ where field.isSecret: control = "<input type=\"password\" autocomplete=\"off\" data-secret \(attributes)>"
      case .boolean: control = select(attributes, ["true", "false"], given, isGiven)
      case .enumeration(let values, _):
        control = select(attributes, values.map { $0.stringValue ?? JSONText.write($0) }, given, isGiven)
      case .integer: control = "<input type=\"number\" step=\"1\" value=\"\(escaped(given))\" \(attributes)>"
      case .number: control = "<input type=\"number\" step=\"any\" value=\"\(escaped(given))\" \(attributes)>"
      case .array, .object, .any: control = "<textarea rows=\"3\" \(attributes)>\(escaped(given))</textarea>"
      case .string, .duration, .path: control = "<input value=\"\(escaped(given))\" \(attributes)>"
      }
      let about = [field.type.name + (field.isSecret ? ", secret" : ""), field.summary].filter { !$0.isEmpty }.joined(
        separator: "; ")
      return
        "<p><label for=\"\(id)\">\(name)</label> \(control) <small id=\"\(id)-about\">\(escaped(about))</small></p>"
    }

    private static func select(_ attributes: String, _ values: [String], _ given: String, _ isGiven: Bool) -> String {
      let none = isGiven || given.isEmpty ? ["<option value=\"\"></option>"] : []
      let options = none + values.map { "<option\($0 == given ? " selected" : "")>\(escaped($0))</option>" }
      return "<select \(attributes)>\(options.joined())</select>"
    }

    /// Chooses two runs of a workflow.
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
