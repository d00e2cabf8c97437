import FlowModel
import FlowPluginKit
import RouterCore

/// The routes declared by the `router.register` steps of a workflow. `flowrun routes` reads them without a run.
package struct DeclaredRoutes: Sendable {
  /// A `router.register` step and its table of routes.
  private struct Declaration {
    let step: StepID
    let table: RouteTable
  }

  private let declarations: [Declaration]

  /// The reason why the routes of a workflow cannot be read without running it.
  package struct RoutesProblem: Error, Sendable, CustomStringConvertible {
    /// The reason as a message for the user.
    package let description: String
  }

  /// Reads the steps of a workflow. Throws a ``RoutesProblem`` if no step declares routes, or if a declaration is
  /// invalid or contains expressions.
  package init(_ workflow: Workflow) throws(RoutesProblem) {
    var declarations: [Declaration] = []
    for step in workflow.steps where step.uses == RegisterRoutes.name {
      do throws(RouteEntryProblems) {
        declarations.append(Declaration(step: step.id, table: try RouteDeclarations(step.with).table))
      } catch {
        let first = error.problems.first
        throw RoutesProblem(
          description: "the routes of step '\(step.id)' are not known before it runs: \(first?.keyPath ?? "routes"): "
            + (first?.message ?? "they hold expressions"))
      }
    }
    guard !declarations.isEmpty else { throw RoutesProblem(description: "no step uses \(RegisterRoutes.name)") }
    self.declarations = declarations
  }

  /// The routes as a text table with the columns pattern, page, action and special properties.
  package var listing: String {
    let rows = declarations.flatMap { declaration in
      declaration.table.routes.map { route in
        [Self.shown(route, declaration.table), route.page, route.action.rawValue, Self.remarks(route)]
      }
    }
    let heads = ["PATTERN", "PAGE", "ACTION", ""]
    let widths = (0..<3).map { column in ([heads] + rows).map { $0[column].count }.max() ?? 0 }
    return ([heads] + rows).map { row in
      let cells = (0..<3).map { row[$0] + String(repeating: " ", count: widths[$0] - row[$0].count) }
      var line = (cells + [row[3]]).joined(separator: "  ")
      while line.hasSuffix(" ") { line.removeLast() }
      return line + "\n"
    }.joined()
  }

  /// One sentence for each route that no URL reaches, or only universal links. Empty if all routes are reachable.
  package var shadowed: [String] {
    declarations.flatMap { declaration in
      declaration.table.shadowedRoutes().map { shadowed in
        let (message, reason) = shadowed.finding(among: declaration.table.routes)
        return "\(message): \(reason)"
      }
    }
  }

  /// The total number of routes that the steps declare.
  package var count: Int { declarations.reduce(0) { $0 + $1.table.routes.count } }

  /// Returns the result of a tap on `url` as an object with the values of a ``RouteOutcome``.
  ///
  /// If several steps declare routes, the first one with a matching route decides or, if none has one, the first step.
  package func outcome(of url: String, from source: String? = nil) -> ValueObject {
    let outcomes = declarations.map { declaration in
      let resolution = declaration.table.resolve(url, from: source.flatMap(RouteSource.init(rawValue:)))
      return RouteOutcome(url, resolution, in: declaration.table)
    }
    let chosen = outcomes.first { $0.route != nil } ?? outcomes[0]
    return chosen.values
  }

  /// Returns the result for a line of input that cannot be read as a URL.
  package static func unreadable(_ reason: String, _ message: String) -> ValueObject {
    RouteOutcome(url: "", "rejected", reason: reason, message: message).values
  }

  /// Formats a result of ``outcome(of:from:)`` as one line of text.
  package static func sentence(_ outcome: ValueObject) -> String {
    func text(_ key: String) -> String { outcome[key]?.stringValue ?? "" }
    guard text("route").isEmpty else {
      let why = text("message").isEmpty ? "" : ": \(text("message")) [\(text("reason"))]"
      return
        "\(text("result"))  \(text("route"))  page \(text("page"))\(text("action") == "present" ? ", presented" : "")  \(JSONText.write(outcome["shown"] ?? [:]))\(why)"
    }
    let nearest = (outcome["nearest"]?.arrayValue ?? []).compactMap(\.stringValue)
    let help = nearest.isEmpty ? "" : "; nearest: \(nearest.joined(separator: ", "))"
    return "\(text("result"))  \(text("message")) [\(text("reason"))]\(help)"
  }

  /// The sources that ``outcome(of:from:)`` accepts.
  package static let sources = RouteSource.allCases.map(\.rawValue)

  /// Returns the pattern, with the first scheme added if it has neither scheme nor host.
  private static func shown(_ route: Route, _ table: RouteTable) -> String {
    let pattern = route.pattern
    guard pattern.scheme == nil, pattern.host == nil else { return pattern.text }
    return
      "\(table.policy.schemes[0])://\(pattern.text.hasPrefix("/") ? String(pattern.text.dropFirst()) : pattern.text)"
  }

  private static func remarks(_ route: Route) -> String {
    var remarks: [String] = []
    if route.priority != 0 { remarks.append("priority \(route.priority)") }
    if route.isSensitive { remarks.append("sensitive") }
    if route.sources != RouteSource.all {
      remarks.append(
        "from " + RouteSource.allCases.filter(route.sources.contains).map(\.rawValue).joined(separator: ", "))
    }
    for (name, type) in route.parameterTypes.sorted(by: { $0.key < $1.key }) { remarks.append("\(name): \(type.text)") }
    return remarks.joined(separator: "; ")
  }
}
