#if Network
  import FlowCLI
  import FlowDiagnostics
  import FlowInsight
  import FlowModel
  import FlowStore
  import FlowSystem
  import Hummingbird
  import HummingbirdCore
  import NIOCore

  /// Answers requests by path: pages, downloads, and the event streams of pages.
  struct UISite: Sendable {
    let settings: UISettings
    let pageToken: String
    /// The name of the cookie that contains the page a browser showed when its session ended.
    let lostPageCookie: String

    private var library: RunLibrary { settings.library }

    /// Returns the follower that sends the events of a page, or nil if the path does not belong to the events of an
    /// existing page.
    func follower(_ path: String, _ request: Request) async throws -> RunFollower? {
      if path == "/events" { return RunFollower(library: library, run: nil) }
      guard let id = Self.part(of: path, "/runs/", "/events") else { return nil }
      guard let run = try await wait({ [library] in try library.find(id) }) else { return nil }
      var follower = RunFollower(library: library, run: run)
      follower.position = request.headers[.init("Last-Event-ID")!]
      return follower
    }

    func answer(_ request: Request, _ path: String) async throws -> Response {
      let query = request.uri.queryParameters
      if path == "/" { return try await page(request) { try overview(UIHistory(request)) } }
      if path == "/compare" {
        return try await page(request) { try comparison(query["a"].map(String.init), query["b"].map(String.init)) }
      }
      if path.hasPrefix("/workflows/") {
        let name = PercentEncoding.decoded(path.dropFirst("/workflows/".count))
        let source = query["from"].map(String.init)
        return try await page(request) { try workflow(name, filledFrom: source, UIHistory(request, workflow: name)) }
      }
      if let id = Self.part(of: path, "/runs/", "/report.html") {
        return try await file(request, id, "html", "text/html; charset=utf-8") { run, store in
          Array(try library.view(of: run, in: store, stepPage: nil).page.html.utf8)
        }
      }
      if let id = Self.part(of: path, "/runs/", "/report.json") {
        return try await file(request, id, "json", "application/json") { run, store in
          JSONText.bytes(of: try library.report(of: run, in: store))
        }
      }
      if let id = Self.part(of: path, "/runs/", "/trace.json") {
        return try await file(request, id, "trace.json", "application/json") { run, store in
          try library.trace(of: run, in: store)
        }
      }
      if let id = Self.part(of: path, "/runs/", "/log.txt") {
        let step = query["step"].map(String.init)
        return try await file(request, id, "log.txt", "text/plain; charset=utf-8") { run, store in
          try library.log(of: run, in: store, step: step)
        }
      }
      if let id = Self.part(of: path, "/runs/", "") {
        let step = query["step"].map(String.init)
        return try await page(request) {
          guard let (run, store) = try library.find(id) else { return nil }
          let isUpdate = request.headers[.init(UIPage.updateHeader)!] != nil
          return try step.map { try self.step($0, of: run, store) } ?? self.run(run, store, isFast: !isUpdate)
        }
      }
      return missing(request)
    }

    /// Returns the part of a path between `start` and `end`. Returns nil if the path has another form or the part
    /// contains a slash.
    private static func part(of path: String, _ start: String, _ end: String) -> String? {
      guard path.hasPrefix(start), path.hasSuffix(end), path.utf8.count > start.utf8.count + end.utf8.count else {
        return nil
      }
      let part = path.dropFirst(start.count).dropLast(end.count)
      return part.contains("/") ? nil : String(part)
    }

    private func page(_ request: Request, _ make: @escaping @Sendable () throws -> UIPage?) async throws -> Response {
      guard let page = try await wait(make) else { return missing(request) }
      return page.response(to: request, pageToken: pageToken, lostPageCookie: lostPageCookie)
    }

    private func file(
      _ request: Request, _ id: String, _ ending: String, _ type: String,
      _ make: @escaping @Sendable (StoredRun, any RunStore) throws -> [UInt8]
    ) async throws -> Response {
      let bytes = try await wait { [library] in try library.find(id).map { try make($0.run, $0.store) } }
      guard let bytes else { return missing(request) }
      return Response(
        status: .ok,
        headers: [.contentType: type, .contentDisposition: "attachment; filename=\"run-\(id.suffix(8)).\(ending)\""],
        body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    private func missing(_ request: Request) -> Response {
      UIPage.problem(.notFound, "There is no such page, run or step.", isFor: request)
    }

    /// Runs a function on a separate thread, because it may block while it reads from a disk or database.
    private func wait<Answer: Sendable>(_ body: @escaping @Sendable () throws -> Answer) async throws -> Answer {
      try await DetachedThread.run { Result { try body() } }.get()
    }

    private func overview(_ history: UIHistory) throws -> UIPage {
      var page = UIPage("flowrun")
      page.events = "/events"
      let list = library.list(limit: UIHistory.limit)
      page.add(
        "headline",
        "<header><h1>Workflows</h1><p>\(PageText.escaped(library.address.map(StoreAddress.masked) ?? library.folder))</p></header>"
      )
      page.add("problems", list.problems.isEmpty ? "" : "<div class=\"panel\">\(InsightPage.list(list.problems))</div>")
      let running = list.runs.filter { $0.state == .running }
      if !running.isEmpty { (page.title, page.icon) = ("● \(running.count) running: flowrun", .running) }
      let asking = asks(of: running)
      if let first = asking.first { (page.title, page.icon) = ("? \(first.run.workflow) asks: flowrun", .asks) }
      let files = library.workflows(of: list)
      page.add(
        "waiting",
        UIMarkup.waiting(asking, interrupted: files.compactMap(\.runs.first).filter { $0.state == .interrupted }))
      page.add("running", heading: "Running now", UIMarkup.table("Runs in progress", running, library))
      let cards = files.enumerated().map { number, file in
        UIMarkup.card(file, problem: number < Self.checkedFiles ? library.form(of: file.path).problem : "")
      }
      page.add("workflows", "<div class=\"cards\">\(cards.joined())</div>")
      if files.isEmpty {
        page.add(
          "none", "<p>There is no workflow here and no run of one. <code>flowrun init</code> creates a workflow.</p>")
      }
      page.add("runs", heading: "Runs", history.html("Runs, the newest first", of: list.runs, library))
      return page
    }

    /// The maximum number of workflow files checked for errors, and of running runs checked for questions.
    private static let (checkedFiles, askedRuns) = (60, 8)

    /// Returns the first question of each running run that waits for an answer. Only the first ``askedRuns`` runs are
    /// checked.
    private func asks(of running: [StoredRun]) -> [(run: StoredRun, text: String)] {
      running.prefix(Self.askedRuns).compactMap { run in
        guard let found = try? library.find(run.id),
          let view = try? library.view(of: found.run, in: found.store, stepPage: nil, isFast: true),
          let question = view.questions.first
        else { return nil }
        return (run, question.text)
      }
    }

    private func run(_ run: StoredRun, _ store: any RunStore, isFast: Bool) throws -> UIPage {
      let base = "/runs/\(run.id)"
      let view = try library.view(of: run, in: store, stepPage: base + "?step=", isFast: isFast)
      let state = InsightPage.state(run.state.rawValue)
      let question = view.questions.first
      var page = UIPage(
        question.map { "? \(run.workflow) asks: \($0.text)" } ?? "\(state.sign) \(run.workflow): \(state.word)")
      page.icon = question == nil ? UIIcon(state.kind) : .asks
      (page.events, page.stepPage, page.isBrief) = (base + "/events", base + "?step=", view.isBrief)
      var parts = view.page.parts[...]
      if let headline = parts.popFirst() { page.add(headline.name, headline.markup) }
      let before = library.list().runs.drop { $0.id != run.id }.dropFirst().first { $0.file == run.file }
      page.add("actions", UIMarkup.actions(on: run, before: before, library, isReadOnly: settings.isReadOnly))
      if run.state == .interrupted, !view.resuming.isEmpty {
        page.add("resuming", "<div class=\"panel excused\">\(InsightPage.list(view.resuming))</div>")
      }
      page.add("requests", settings.isReadOnly ? "" : UIMarkup.requests(view))
      page.add("failures", parts.first { $0.name == "failures" }?.markup ?? "")
      page.add("log", UIMarkup.log(of: nil, base))
      page.add("attempt-ends", UIMarkup.attemptEnds(view.attemptEnds))
      for part in parts where part.name != "graph" && part.name != "failures" { page.add(part.name, part.markup) }
      page.add("graph", parts.first { $0.name == "graph" }?.markup ?? "")
      return page
    }

    private func step(_ name: String, of run: StoredRun, _ store: any RunStore) throws -> UIPage? {
      guard let step = try library.step(name, of: run, in: store) else { return nil }
      let base = "/runs/\(run.id)"
      let state = InsightPage.state(ofStep: step.state)
      var page = UIPage("\(state.sign) \(step.name) in \(run.workflow)")
      (page.events, page.icon) = (base + "/events", UIIcon(state.kind))
      page.add(
        "headline",
        """
        <header><p class="state \(state.kind)"><b aria-hidden="true">\(state.sign)</b> \(PageText.escaped(state.word))</p>\
        <h1>\(PageText.escaped(step.name))</h1><p>a step of <a href="\(base)">\(PageText.escaped(run.workflow)), \
        run \(run.id.suffix(8))</a></p></header>
        """)
      page.add("failures", step.failures)
      page.add("facts", heading: "What is known", InsightPage.facts(step.facts))
      page.add("attempts", heading: "Attempts", step.attempts)
      page.add(
        "items", heading: "Items", InsightPage.items(step.items, of: name, itemPage: base + "?step="), rows: "items")
      page.add("inputs", heading: "Inputs, as written", InsightPage.facts(step.inputs, preformatted: ["command"]))
      page.add("environment", heading: "Environment, as written", InsightPage.facts(step.environment))
      page.add("outputs", heading: "Outputs", InsightPage.facts(step.outputs))
      page.add("durations", heading: "Durations in recorded runs", UIMarkup.durations(step.durations, of: name))
      page.add("log", UIMarkup.log(of: name, base))
      page.add("attempt-ends", UIMarkup.attemptEnds(step.attemptEnds))
      return page
    }

    private func comparison(_ a: String?, _ b: String?) throws -> UIPage? {
      guard let a, let b, let before = try library.find(a), let after = try library.find(b) else { return nil }
      var page = UIPage("Comparison of \(after.run.workflow)")
      let compared = try library.comparison(before, after)
      let links = [(before.run, "before"), (after.run, "now")].map { run, word in
        "<a href=\"/runs/\(run.id)\">\(word): run \(run.id.suffix(8))</a>"
      }
      for (number, part) in compared.parts.enumerated() {
        page.add(part.name, part.markup)
        if number == 0 { page.add("links", "<p>\(links.joined(separator: " · "))</p>") }
      }
      return page
    }

    private func workflow(_ name: String, filledFrom source: String?, _ history: UIHistory) throws -> UIPage? {
      // The name is only compared with those of known workflows, and never used as a path.
      let list = library.list(limit: UIHistory.limit)
      guard let file = library.workflows(of: list).first(where: { $0.name == name }) else { return nil }
      let filling = try source.flatMap { try library.find($0)?.run }
      let form = library.form(of: file.path, filledFrom: filling?.file == file.path ? filling : nil)
      var page = UIPage(form.workflow?.name ?? file.name)
      page.events = "/events"
      let about = form.workflow?.description.map { "<p class=\"text\">\(PageText.lines($0))</p>" } ?? ""
      page.add(
        "headline",
        "<header><h1>\(PageText.escaped(page.title))</h1><p><code>\(PageText.escaped(file.name))</code></p>\(about)</header>"
      )
      if !settings.isReadOnly { page.add("form", UIForm.html(form, file)) }
      page.add("runs", heading: "Runs", history.html("Runs, the newest first", of: file.runs, library, own: name))
      page.add("compare", UIMarkup.comparisonForm(file))
      for (number, part) in (try library.history(of: file, form.workflow)?.parts.dropFirst() ?? []).enumerated() {
        if number == 0 {
          page.add(part.name, heading: "The recorded runs", part.markup)
        } else {
          page.add(part.name, part.markup)
        }
      }
      return page
    }
  }
#endif
