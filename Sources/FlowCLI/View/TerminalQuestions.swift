import FlowCommandKit
import FlowDiagnostics
import FlowEngine
import FlowModel
import FlowPluginKit
import FlowSystem
import Synchronization

/// Asks the questions of steps on the terminal, one after the other, and sends the answers to the run. A question that
/// is answered elsewhere in the meantime is removed.
final class TerminalQuestions: LineObserver {
  private struct State {
    var open: [(step: StepID, question: Question)] = []
    /// True while a thread is asking a question.
    var isAsking = false
    /// True if the terminal's input has ended, so that no more questions can be answered here.
    var isDeaf = false
    var run: WorkflowRun?
  }

  /// The result of waiting for an answer.
  private enum Heard {
    case line(String)
    /// The question was answered elsewhere, or the step has ended.
    case nothing
    case end
  }

  private let style: TextStyle
  private let view: TerminalView?
  private let state = Mutex(State())

  /// The interval at which flowrun checks whether a question is still open.
  private static let lookMilliseconds: CInt = 100

  init(style: TextStyle, view: TerminalView?) {
    self.style = style
    self.view = view
  }

  /// True if a person can answer here: input and output are the same terminal, and this process is in its foreground.
  static var canAsk: Bool { ForegroundTerminal.isOwn }

  /// The events that are needed. Questions do not require detailed ones.
  var detail: RunDetail { .brief }

  /// Sets the run to which answers are sent.
  func begin(_ run: WorkflowRun) {
    state.withLock { $0.run = run }
    askIfNeeded()
  }

  func receive(_ parts: [RunPart]) {
    for case .events(let events) in parts { receive(events) }
  }

  func receive(_ events: [RunEvent]) {
    for event in events {
      switch event.kind {
      case .stepAsked(let step, let question): state.withLock { $0.open.append((step, question)) }
      case .stepQuestionEnded(let step, _): state.withLock { state in state.open.removeAll { $0.step == step } }
      default: continue
      }
      askIfNeeded()
    }
  }

  private func askIfNeeded() {
    let mustAsk = state.withLock { state in
      guard !state.open.isEmpty, !state.isAsking, !state.isDeaf, state.run != nil else { return false }
      state.isAsking = true
      return true
    }
    guard mustAsk else { return }
    do throws(SystemError) {
      try DetachedThread.start(name: "questions") { self.askAll() }
    } catch {
      state.withLock { $0.isAsking = false }
    }
  }

  private func askAll() {
    while true {
      let next = state.withLock { state -> (step: StepID, question: Question, run: WorkflowRun)? in
        guard let first = state.open.first, let run = state.run, !state.isDeaf else {
          state.isAsking = false
          return nil
        }
        return (first.step, first.question, run)
      }
      guard let next else { return }
      guard ForegroundTerminal.takeTurn() else {
        // While an interactive step uses the terminal, questions wait.
        _ = poll(nil, 0, Self.lookMilliseconds)
        continue
      }
      view?.pause(next.run)
      if next.question.kind == .secret {
        ForegroundTerminal.withoutEcho { ask(next.step, next.question, next.run) }
      } else {
        ask(next.step, next.question, next.run)
      }
      view?.resume()
      ForegroundTerminal.endTurn()
    }
  }

  /// Asks a question until it has a valid answer, is answered elsewhere, or the input ends.
  private func ask(_ step: StepID, _ question: Question, _ run: WorkflowRun) {
    write(prompt(step, question))
    while true {
      switch listen(step) {
      case .nothing: return write("\n")
      case .end:
        state.withLock { $0.isDeaf = true }
        return write("\n")
      case .line(let line):
        guard let choice = Self.answer(line, to: question) else {
          write(
            question.kind == .choice
              ? "write one of \(question.choices.joined(separator: ", ")), or its number: "
              : (question.problem(with: Self.text(line)) ?? "") + "; again: ")
          continue
        }
        do throws(WorkflowRun.AnswerProblem) {
          try run.answer(step.text, with: choice, by: Environment.userName)
        } catch {
          write(error.description + "\n")
        }
        state.withLock { state in state.open.removeAll { $0.step == step } }
        return
      }
    }
  }

  private func prompt(_ step: StepID, _ question: Question) -> String {
    let lines = question.printed.flatMap { printed in
      printed.lines.map {
        style.dim("\(printed.step) │") + " " + TerminalText.commandLine($0, keepsColors: style.isColored) + "\n"
      }
    }.joined()
    let head = lines + style.bold("\(step): \(TerminalText.visible(question.text))")
    if question.kind != .choice {
      let byDefault = question.defaultChoice.map { " (Enter: \(TerminalText.visible($0)))" } ?? ""
      return head + byDefault + "\n> "
    }
    let choices = question.choices.enumerated().map { "[\($0 + 1)] \($1)" }.joined(separator: "  ")
    let byDefault = question.defaultChoice.map { " (Enter: \($0))" } ?? ""
    return head + "\n" + TerminalText.visible(choices + byDefault) + " > "
  }

  /// Returns the answer in a line, or nil if it is invalid.
  private static func answer(_ line: String, to question: Question) -> String? {
    if question.kind == .choice { return choice(line, of: question) }
    let text = text(line)
    if text.isEmpty, let given = question.defaultChoice { return given }
    return question.problem(with: text) == nil ? text : nil
  }

  private static func text(_ line: String) -> String {
    String(line.last?.isNewline == true ? line.dropLast() : line[...])
  }

  /// Returns the choice in a line: its name, even in another case, its number, or the default if the line is empty.
  /// Returns nil if the line is none of these.
  static func choice(_ line: String, of question: Question) -> String? {
    let word = line.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0.isWhitespace }.reversed()
    let text = String(word)
    if text.isEmpty { return question.defaultChoice }
    if question.choices.contains(text) { return text }
    if let number = Int(text), question.choices.indices.contains(number - 1) { return question.choices[number - 1] }
    let near = question.choices.filter { $0.lowercased() == text.lowercased() }
    return near.count == 1 ? near[0] : nil
  }

  /// Waits for the next line as long as the question is open.
  private func listen(_ step: StepID) -> Heard {
    while true {
      guard state.withLock({ $0.open.contains { $0.step == step } }) else { return .nothing }
      var watched = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
      guard poll(&watched, 1, Self.lookMilliseconds) > 0 else { continue }
      // A read from a terminal returns a single line.
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = read(0, &buffer, buffer.count)
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count > 0 else { return .end }
      return .line(String(decoding: buffer[..<count], as: UTF8.self))
    }
  }

  private func write(_ text: String) { StandardOutput.draw(text) }
}
