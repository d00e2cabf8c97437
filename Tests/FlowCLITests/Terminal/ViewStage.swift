import FlowDiagnostics
import FlowEngine
import FlowModel
import FlowPluginKit
import FlowSyntax
import Synchronization

@testable import FlowCLI

/// A workflow, events that a test creates, and a terminal on which the live view draws.
final class ViewStage {
  let view: TerminalView
  let subject: RunSubject
  let graph: WorkflowGraph
  /// The gate's minimum and maximum, which a run would report.
  var deadline: ProgressRegion.Deadline?
  private let screen: Screen

  private final class Screen: Sendable {
    struct State {
      var terminal: VirtualTerminal
      var size: TerminalSize
      var drawings = 0
    }
    let state: Mutex<State>
    init(_ size: TerminalSize) {
      state = Mutex(
        State(terminal: VirtualTerminal(rows: size.rows, columns: size.columns), size: size))
    }
  }

  init(
    _ yaml: String, rows: Int = 24, columns: Int = 80, isColored: Bool = false, isVerbose: Bool = false,
    finished: Set<StepIndex> = [], isPrewarmed: Bool = false, asksHere: Bool = false,
    places: @escaping @Sendable (StepID) -> String? = { _ in nil }, files: [String: String] = [:]
  ) {
    let catalog = ActionRegistry(BuiltInPlugins.all)
    let loader =
      files.isEmpty
      ? WorkflowLoader(catalog: catalog)
      : WorkflowLoader(catalog: catalog) { path in
        files[String(path.split(separator: "/").last ?? "")].map { Array($0.utf8) }
      }
    let result = loader.load(bytes: Array(yaml.utf8), file: "test.yaml")
    guard let graph = result.graph else { fatalError(result.rendered()) }
    self.graph = graph
    let screen = Screen(TerminalSize(rows: rows, columns: columns))
    self.screen = screen
    var subject = RunSubject(graph.workflow, isPrewarmed: isPrewarmed)
    subject.place = places
    self.subject = subject
    view = TerminalView(
      graph, subject, finished: finished, isVerbose: isVerbose, asksHere: asksHere,
      commands: RunCommands(file: "test.yaml", store: nil), style: TextStyle(isColored: isColored),
      size: { screen.state.withLock { $0.size } },
      output: { text in
        screen.state.withLock {
          $0.drawings += 1
          $0.terminal.show(text)
        }
      })
  }

  var terminal: VirtualTerminal { screen.state.withLock { $0.terminal } }
  /// The number of times that the view has written to the terminal.
  var drawings: Int { screen.state.withLock { $0.drawings } }
  /// The lines on the screen and above it.
  var text: [String] { terminal.text }

  /// Sends events that happened at the same time to the view, and draws.
  func at(_ milliseconds: Int, _ events: RunEvent.Kind...) {
    view.receive(events.map { RunEvent(atNanoseconds: milliseconds * 1_000_000, $0) })
    view.draw(at: milliseconds * 1_000_000, deadline: deadline)
  }

  /// Draws for the last time, without the region.
  func end(at milliseconds: Int) { view.end(at: milliseconds * 1_000_000, deadline: deadline) }

  func narrow(to columns: Int) {
    screen.state.withLock { state in
      state.size.columns = columns
      state.terminal.narrow(to: columns)
    }
  }

  /// Writes to the terminal as another program would.
  func write(_ text: String) { screen.state.withLock { $0.terminal.show(text) } }

  static func id(_ text: String) -> StepID { StepID(unchecked: text) }
  static let activated = RunEvent.Kind.runActivated(reason: .user, deferred: [])
  static func started(_ step: String) -> RunEvent.Kind { .stepStarted(id(step), attempt: 1, queue: "user-initiated") }

  static func done(_ step: String, _ outcome: Outcome = .success, _ message: String? = nil) -> RunEvent.Kind {
    .stepFinished(
      id(step),
      RunEvent.FinishedStep(
        outcome: outcome, conclusion: outcome, reason: outcome == .skipped ? .condition : nil, attempts: 1,
        durationMilliseconds: outcome == .skipped ? nil : 12,
        failure: message.map { StepFailure(code: "broken", message: $0) }))
  }

  static func failed(_ step: String, _ code: String, _ message: String) -> RunEvent.Kind {
    .stepFinished(
      id(step),
      RunEvent.FinishedStep(
        outcome: .failure, conclusion: .failure, attempts: 1, durationMilliseconds: 12,
        failure: StepFailure(code: code, message: message)))
  }
}
