#if Network
  import FlowCLI
  import FlowEngine
  import FlowInsight
  import FlowModel
  import FlowStore
  import FlowSystem
  import Hummingbird

  /// A list of runs, filtered by the query of the page's address and split into pages.
  struct UIHistory {
    /// The state of the listed runs, such as `failure`, or an empty string for any.
    var state = ""
    /// The name of the workflow file, or an empty string for any.
    var workflow = ""
    /// The launch reason, or an empty string for any.
    var reason = ""
    /// The maximum age of the listed runs, such as `24h`, or an empty string for any.
    var since = ""
    /// The number of the current page, from 1.
    var page = 1

    /// The number of runs per page, and the maximum number of runs read from each store.
    static let (pageRuns, limit) = (50, 20_000)
    private static let ages = [
      ("1h", "the last hour", 3_600), ("24h", "the last day", 86_400), ("7d", "the last 7 days", 604_800),
    ]
    private static let states: [StoredRun.State] = [.running, .success, .partial, .failure, .cancelled, .interrupted]

    /// Reads the filters from the query of a request. The page of a workflow lists only the runs of that workflow.
    init(_ request: Request, workflow own: String? = nil) {
      let query = request.uri.queryParameters
      func text(_ name: Substring) -> String { query[name].map { String($0).replacing("+", with: " ") } ?? "" }
      (state, reason, since) = (text("state"), text("reason"), text("since"))
      workflow = own ?? text("workflow")
      page = max(1, Int(text("page")) ?? 1)
    }

    private func passes(_ run: StoredRun, _ library: RunLibrary, _ now: Int) -> Bool {
      (state.isEmpty || run.state.rawValue == state)
        && (workflow.isEmpty || library.name(of: run.file) == workflow)
        && (Self.ages.first { $0.0 == since }.map { now - run.startedMilliseconds <= $0.2 * 1_000 } ?? true)
        && (reason.isEmpty || RunHeader(run.header)?.launch.reason.rawValue == reason)
    }

    /// Returns the filters, a table of the matching runs, and links to other pages.
    func html(_ caption: String, of all: [StoredRun], _ library: RunLibrary, own: String? = nil) -> String {
      let now = WallTime.now
      let found = all.filter { passes($0, library, now) }
      let start = min(found.count, (page - 1) * Self.pageRuns)
      let shown = Array(found[start..<min(found.count, start + Self.pageRuns)])
      guard !all.isEmpty else { return "" }
      var seen: Set<String> = []
      let names = all.map { library.name(of: $0.file) }.filter { seen.insert($0).inserted }
      var html = "<form class=\"find tools\" method=\"get\">"
      if own == nil { html += Self.select("workflow", names.map { ($0, $0) }, workflow) }
      html += Self.select("state", Self.states.map { ($0.rawValue, InsightPage.state($0.rawValue).word) }, state)
      html += Self.select(
        "reason", LaunchReason.allCases.map { ($0.rawValue, $0.rawValue) }, reason, label: "launch reason")
      html += Self.select("since", Self.ages.map { ($0.0, $0.1) }, since, label: "started in")
      html += "<button>Show</button></form>"
      html += shown.isEmpty ? "<p>No run passes these filters.</p>" : UIMarkup.table(caption, shown, library)
      let range = shown.isEmpty ? "0" : "\(start + 1) to \(start + shown.count)"
      html += "<p class=\"tools\"><span>\(range) of \(found.count) runs</span> "
      if page > 1 { html += "<a href=\"\(address(page - 1, own))\">newer</a> " }
      if start + shown.count < found.count { html += "<a href=\"\(address(page + 1, own))\">older</a>" }
      return html + "</p>"
    }

    private func address(_ page: Int, _ own: String?) -> String {
      let parts = [("state", state), ("workflow", own == nil ? workflow : ""), ("reason", reason), ("since", since)]
      let kept = parts.filter { !$0.1.isEmpty }.map { "\($0.0)=\(PageText.inAddress($0.1))&amp;" }.joined()
      return "?\(kept)page=\(page)"
    }

    private static func select(
      _ name: String, _ values: [(String, String)], _ chosen: String, label: String? = nil
    ) -> String {
      let options = ([("", "any")] + values).map {
        "<option value=\"\(PageText.value($0.0))\"\($0.0 == chosen ? " selected" : "")>\(PageText.escaped($0.1))</option>"
      }
      return "<label>\(label ?? name) <select name=\"\(name)\">\(options.joined())</select></label> "
    }

    /// Returns the time since an instant, such as `12 s ago`.
    static func ago(_ milliseconds: Int, now: Int = WallTime.now) -> String {
      let seconds = max(0, (now - milliseconds) / 1_000)
      return switch seconds {
      case ..<10: "just now"
      case ..<60: "\(seconds) s ago"
      case ..<3_600: "\(seconds / 60) min ago"
      case ..<86_400: "\(seconds / 3_600) h ago"
      case ..<172_800: "1 day ago"
      default: "\(seconds / 86_400) days ago"
      }
    }
  }
#endif
