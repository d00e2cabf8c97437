import FlowCommandKit
import FlowDiagnostics
import FlowEngine
import FlowModel
import FlowPluginKit
import FlowStore
import FlowSyntax
import FlowSystem

/// Reads the questions of steps in runs of other processes.
package enum AskedQuestion {
  /// Returns the kind of answer that a step expects, or nil if the recorded workflow does not determine it.
  static func kind(of name: String, in run: StoredRun, _ store: any RunStore) -> Question.Kind? {
    guard let definition = try? store.definition(of: run.id),
      let catalog = try? Installation(around: run.file, given: []).registry,
      let workflow = WorkflowLoader(catalog: catalog).load(bytes: definition, file: run.file).graph?.workflow,
      let step = workflow.steps.first(where: {
        $0.id.text == name || $0.id.text == StepID(unchecked: name).item?.step.text
      }),
      step.uses == "flow.ask"
    else { return nil }
    return kind(of: step)
  }

  /// Returns the kind of answer that a step expects, or nil if an expression determines it.
  package static func kind(of step: Step) -> Question.Kind? {
    let (secret, text) = (step.with["secret"] ?? false, step.with["text"] ?? false)
    if secret == true { return .secret }
    if secret != false { return nil }
    if text == true { return .text }
    return text == false ? .choice : nil
  }

  /// Returns the choices of a step. The array is empty if an expression determines them or the step has none.
  package static func choices(of step: Step) -> [String] {
    guard kind(of: step) == .choice else { return [] }
    return (step.with["choices"] ?? ["yes", "no"]).arrayValue?.compactMap(\.stringValue) ?? []
  }

  /// Returns the last recorded lines of the steps on which `step` depends, each with the step or item that printed it.
  /// Each dependency has at most ``WorkflowRun/shownLines``. Lines of quiet steps are omitted.
  package static func linesPrinted(before step: Step, in recorded: HistoryRun) -> [(step: String, line: String)] {
    let workflow = recorded.graph.workflow
    let printing = step.needs.map { need in workflow.printingSteps(need).map { workflow.steps[Int($0)].id } }
    let all = Set(printing.joined())
    guard !all.isEmpty else { return [] }
    var lines: [StepID: [PrintedLine]] = [:]
    for line in RunRecollection.lines(in: recorded.chunks) where line["stream"]?.stringValue != nil {
      guard let source = line["step"]?.stringValue, let message = line["message"]?.stringValue else { continue }
      let id = StepID(unchecked: source)
      let (owner, item) = (id.item?.step ?? id, id.item?.index ?? 0)
      if all.contains(owner) { lines[owner, default: []].append(PrintedLine(item: item, step: source, line: message)) }
    }
    var found: [(step: String, line: String)] = []
    for steps in printing {
      let own = steps.flatMap { PrintedLine.byItems(lines[$0] ?? []) }
      for line in own.suffix(WorkflowRun.shownLines) { found.append((line.step, line.line)) }
    }
    return found
  }

  private struct PrintedLine {
    var item: Int
    var step: String
    var line: String

    /// Returns the lines in the order of the items. Items that run at the same time print their lines in any order.
    static func byItems(_ lines: [PrintedLine]) -> [PrintedLine] {
      let numbered = lines.enumerated().sorted { a, b in (a.element.item, a.offset) < (b.element.item, b.offset) }
      return numbered.map(\.element)
    }
  }

  /// Reads an answer of one line from the terminal or from standard input. If it is hidden, the terminal does not show
  /// it while it is typed.
  static func read(for step: String, isHidden: Bool) throws -> String {
    let bytes: [UInt8]
    if isatty(0) == 1 {
      StandardOutput.writeError("answer of \(TerminalText.visible(step)): ")
      ExitStatus.whenEnding { ForegroundTerminal.restore() }
      bytes = isHidden ? ForegroundTerminal.withoutEcho { line() } : line()
    } else {
      do throws(FileProblem) { bytes = try FileAccess.read("/dev/stdin") } catch {
        throw UsageProblem("cannot read the answer from standard input: \(error)")
      }
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw UsageProblem("the answer is not UTF-8 text")
    }
    let answer = String(text.hasSuffix("\r\n") || text.hasSuffix("\n") ? text.dropLast() : text[...])
    if let problem = Question("", kind: isHidden ? .secret : .text, default: "").problem(with: answer) {
      throw UsageProblem(problem)
    }
    return answer
  }

  private static func line() -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = buffer.withUnsafeMutableBytes { SystemCall.read(0, $0) }
    return Array(buffer.prefix(max(0, count)))
  }
}

extension RunQuestion {
  /// Answers the question of a step. Returns the short form of the run's id.
  @discardableResult
  static func answer(
    _ run: StoredRun, in store: any RunStore, _ step: String, with answer: String
  ) async throws -> String {
    try await ask(run, in: store, request(step, "choice", .string(answer))).run
  }

  /// Answers a question with a secret. The run receives it through a pipe, so it is never stored.
  @discardableResult
  package static func answer(
    _ run: StoredRun, in store: any RunStore, _ step: String, withSecret secret: String
  ) async throws -> String {
    if let problem = Question("", kind: .secret).problem(with: secret) { throw UsageProblem(problem) }
    return try await ask(run, in: store, request(step, "secret", .null), withSecret: secret).run
  }

  /// Posts an event. If its value is secret, the run receives it through a pipe, so it is never stored.
  static func post(
    _ event: String, value: Value?, to run: StoredRun, in store: any RunStore
  ) async throws -> Reply {
    var question: ValueObject = ["ask": .string(RunRequestWord.post.rawValue), "event": .string(event)]
    guard let value, !value.isNull else { return try await ask(run, in: store, question) }
    question["value-follows"] = true
    let isSecret = try await ask(run, in: store, question).isSecret
    question["value-follows"] = nil
    if isSecret { return try await ask(run, in: store, question, withSecret: JSONText.write(value)) }
    question["value"] = value
    return try await ask(run, in: store, question)
  }

  /// Sends a request with a secret, which is never stored.
  private static func ask(
    _ run: StoredRun, in store: any RunStore, _ question: ValueObject, withSecret secret: String
  ) async throws -> Reply {
    guard run.holder.host == RunMemory.holder.host else {
      throw RunProblem("a secret can only be sent on the machine of the run, '\(run.holder.host)'")
    }
    let pipe: PrivatePipe
    do throws(SystemError) {
      pipe = try PrivatePipe(secret, in: Environment.value("TMPDIR") ?? "/tmp")
    } catch {
      throw RunProblem(error.description)
    }
    defer { withExtendedLifetime(pipe) {} }
    var question = question
    question["secret"] = ["pipe": .string(FilePath.absolute(pipe.path)), "bytes": .integer(secret.utf8.count)]
    return try await ask(run, in: store, question)
  }

  private static func request(_ step: String, _ key: String, _ answer: Value) -> ValueObject {
    [
      "ask": .string(RunRequestWord.answer.rawValue), "step": .string(step), key: answer,
      "by": .string("\(Environment.userName) on \(RunMemory.holder.host)"),
    ]
  }
}
