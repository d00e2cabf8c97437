import FlowCommandKit
import FlowDiagnostics
import FlowEngine
import FlowModel

/// A step or item of a recorded run that the command line names. It is written as `convert`, `convert[3]`, or with the
/// name that the log prints: `convert[3] raw/b.txt`.
struct RecordedStep {
  let id: String
  let item: Int?

  /// The name of the step or item as the log prints it.
  var name: String { item.map { "\(id)[\($0)]" } ?? id }

  /// Finds the step or item. Throws a usage error, which begins with `option`, if the run has none with this name.
  init(_ text: String, of workflow: Workflow, in recorded: HistoryRun, option: String = "") throws(UsageProblem) {
    if workflow.steps.contains(where: { $0.id.text == text }) {
      (id, item) = (text, nil)
      return
    }
    guard let named = Self.item(in: text), workflow.steps.contains(where: { $0.id.text == named.step }) else {
      throw UsageProblem(option + Self.unknown(text, workflow, recorded))
    }
    let (step, index) = (named.step, named.index)
    let count = recorded.recollection.itemCount(ofStepNamed: step, in: recorded.graph)
    guard index < count else {
      let has =
        switch count {
        case 0: "had no items"
        case 1: "had 1 item, [0]"
        default: "had \(count) items, [0] to [\(count - 1)]"
        }
      throw UsageProblem("\(option)there is no '\(step)[\(index)]': in that run '\(step)' \(has)")
    }
    if !named.name.isEmpty, let name = recorded.itemNames(of: step)?[at: index], !Self.isSame(named.name, name) {
      throw UsageProblem(
        "\(option)'\(step)[\(index)]' was '\(name)' in that run, not '\(named.name)'"
          + (Self.nearest(text, [step], recorded).map { "; did you mean '\($0)'?" } ?? ""))
    }
    (id, item) = (step, index)
  }

  /// True if `written` is the recorded name. Long names are recorded without their end.
  private static func isSame(_ written: String, _ name: String) -> Bool {
    written == name || name.hasSuffix("…") && written.hasPrefix(name.dropLast())
  }

  /// Splits a string such as `convert[3] raw/b.txt` into its parts. The name is empty if the text ends after the index.
  /// Returns nil if the text does not name an item.
  static func item(in text: String) -> (step: String, index: Int, name: String)? {
    guard let end = text.utf8.firstIndex(of: UInt8(ascii: "]")) else { return nil }
    let rest = text[text.utf8.index(after: end)...]
    guard let item = StepID(unchecked: String(text[...end])).item, rest.isEmpty || rest.utf8.first == 0x20 else {
      return nil
    }
    let name = rest.isEmpty ? "" : rest[rest.utf8.index(after: rest.startIndex)...]
    return (item.step.text, item.index, String(name))
  }

  /// The number of items of each step that a suggestion considers.
  private static let suggestedItems = 100

  private static func unknown(_ text: String, _ workflow: Workflow, _ recorded: HistoryRun) -> String {
    let owner = text.split(separator: "[", maxSplits: 1).first.map(String.init) ?? text
    let steps = workflow.steps.map(\.id.text)
    let fanOuts = workflow.steps.lazy.filter { $0.hasOptions && $0.options.fanOut != nil }.prefix(suggestedItems)
    let items = fanOuts.map(\.id.text).flatMap { step in
      (0..<min(suggestedItems, recorded.recollection.itemCount(ofStepNamed: step, in: recorded.graph))).map {
        "\(step)[\($0)]"
      }
    }
    let nearest =
      nearest(text, steps.contains(owner) ? [owner] : [], recorded) ?? NearestName.of(text, among: steps + items)
      // If an item runs a workflow, the lines of that workflow's steps belong to the item.
      ?? items.first { text.hasPrefix($0 + "/") }
    return "this workflow has no step '\(text)'" + (nearest.map { "; did you mean '\($0)'?" } ?? "")
  }

  /// Searches the steps in order for an item whose name equals the text inside or after the brackets, contains it or is
  /// similar to it. Returns the item, such as `convert[3] raw/b.txt`, or nil if there is none.
  private static func nearest(_ text: String, _ steps: [String], _ recorded: HistoryRun) -> String? {
    for step in steps {
      let names = recorded.itemNames(of: step) ?? []
      let written = text.dropFirst(step.count).drop { "[]0123456789 ".contains($0) }
      let value = written.hasSuffix("]") ? written.dropLast() : written
      guard !value.isEmpty else { continue }
      let name = String(value)
      let index =
        names.firstIndex(of: name) ?? names.firstIndex { $0.firstRange(of: name) != nil }
        ?? NearestName.of(name, among: names).flatMap { names.firstIndex(of: $0) }
      if let index {
        return "\(step)[\(index)] \(names[index])"
      }
    }
    return nil
  }
}

extension HistoryRun {
  /// Returns the names of a step's items, or nil if they were not recorded.
  func itemNames(of step: String) -> [String]? {
    RunRecollection.itemNames(in: chunks).last { $0.step == step }?.names
  }
}

extension Array {
  /// The element at `index`, or nil if the index is out of range.
  fileprivate subscript(at index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
