import FlowDiagnostics
import FlowModel

extension GraphDrawing {
  /// The graph as a table for a terminal. Each row is a step, indented by its level. The gate is a row between the
  /// steps that can start before it and those that start after it.
  ///
  /// A `*` marks a step for which the gate waits.
  var ascii: String {
    let before = order { !isAfterGate($0) }
    let after = order { isAfterGate($0) }
    let rows = before + after
    let nameWidth = min(60, rows.map { Self.indent(levels[$0]) + name($0).count }.max() ?? 0)
    let actionWidth = min(40, rows.map { graph.workflow.steps[$0].uses.count }.max() ?? 0)
    func lines(_ indices: [Int]) -> String {
      indices.map { row($0, nameWidth, actionWidth) + "\n" }.joined()
    }
    var text = "\(TerminalText.visible(graph.workflow.name))\n" + lines(before)
    guard showsGate else { return text + fileLines }
    let rule = "---- \(TerminalText.visible(gateLabel)) "
    text += rule + String(repeating: "-", count: max(4, nameWidth + actionWidth + 6 - rule.count)) + "\n"
    text += lines(after)
    if blocks.contains(true) { text += "* the gate waits for it\n" }
    return text + fileLines
  }

  /// The files that steps exchange, such as `fetch -> data.json -> parse`, one per line.
  private var fileLines: String {
    guard !files.isEmpty else { return "" }
    return "files:\n"
      + files.map { file in
        let ends = [file.makers, file.readers].map { $0.map(name).joined(separator: ", ") }
        let parts = [ends[0], TerminalText.visible(file.text), ends[1]]
        return "  \(parts.filter { !$0.isEmpty }.joined(separator: " -> "))\n"
      }.joined()
  }

  private func order(_ isWanted: (Int) -> Bool) -> [Int] {
    steps.indices.filter(isWanted).sorted { (levels[$0], $0) < (levels[$1], $1) }
  }

  private func name(_ index: Int) -> String { graph.workflow.steps[index].id.text }

  private static func indent(_ level: Int) -> Int { min(level, 12) * 2 }

  private func row(_ index: Int, _ nameWidth: Int, _ actionWidth: Int) -> String {
    let step = graph.workflow.steps[index]
    var line = showsGate ? (blocks[index] ? "* " : "  ") : ""
    line += (String(repeating: " ", count: Self.indent(levels[index])) + name(index)).padded(to: nameWidth)
    line += "  " + step.uses.padded(to: actionWidth)
    var remarks: [String] = []
    if !step.needs.isEmpty { remarks.append("<- " + step.needs.map { name(Int($0)) }.joined(separator: ", ")) }
    remarks += step.options.after.map { "after event \($0)" }
    remarks += notes(of: index)
    if !remarks.isEmpty { line += "  " + remarks.joined(separator: "; ") }
    while line.last == " " { line.removeLast() }
    return line
  }
}
