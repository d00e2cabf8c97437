import FlowDiagnostics
import FlowModel

/// Why a name cannot be changed, as a sentence without a full stop.
package struct RenameProblem: Error, Sendable, CustomStringConvertible {
  package let description: String
}

extension WorkflowDocument {
  /// The name at `offset` that can be changed.
  package func renamable(at offset: Int) throws(RenameProblem) -> SymbolTable.Occurrence {
    guard isWhole, let symbols = symbols() else {
      throw RenameProblem(description: "the file has a syntax error; mend it first")
    }
    guard let found = symbols.occurrence(at: offset), found.symbol.kind != .queue else {
      throw RenameProblem(description: "there is no step, event or input here that could be renamed")
    }
    if symbols.isForeign(found.symbol) {
      throw RenameProblem(description: "'\(found.symbol.name)' is not an event of this file")
    }
    return found
  }

  /// Where the new name goes so that the thing at `offset` is called `name` everywhere in the file.
  package func rename(at offset: Int, to name: String) throws(RenameProblem) -> [Span] {
    let symbol = try renamable(at: offset).symbol
    guard let symbols = symbols() else { return [] }
    let kind: NameKind =
      switch symbol.kind {
      case .step: .step
      case .event: .event
      case .input: .input
      case .queue: .queue
      }
    guard kind.allows(name) else {
      throw RenameProblem(
        description: "'\(name)' cannot be the name of this \(symbol.kind.rawValue): a name is \(kind.rule)")
    }
    let other = SymbolTable.Symbol(kind: symbol.kind, name: name)
    if name != symbol.name {
      let isTaken = symbols.occurrences.contains {
        $0.isDefinition && $0.symbol.kind == symbol.kind && $0.symbol.name != symbol.name
          && ($0.symbol.name == name || kind == .input && $0.symbol.name.lowercased() == name.lowercased())
      }
      if isTaken || symbols.isForeign(other) {
        throw RenameProblem(
          description: "there is already \(symbol.kind == .step ? "a" : "an") \(symbol.kind.rawValue) '\(name)'")
      }
    }
    for span in symbols.unclear where source.text(of: span).lowercased().contains(symbol.name.lowercased()) {
      let line = LineTable(source).line(of: span.start)
      throw RenameProblem(description: "the text in line \(line) cannot be changed safely; rename there by hand first")
    }
    return symbols.occurrences(of: symbol).map(\.span)
  }
}
