import FlowDiagnostics
import FlowModel

/// The reason why a name cannot be changed.
package struct RenameProblem: Error, Sendable, CustomStringConvertible {
  package let description: String

  package init(description: String) { self.description = description }
}

extension WorkflowDocument {
  /// Returns the occurrence of the name at `offset`. Throws if the name cannot be changed.
  package func renamable(at offset: Int) throws(RenameProblem) -> SymbolTable.Occurrence {
    guard isWhole, let symbols = symbols() else {
      throw RenameProblem(description: "the file has a syntax error; fix it first")
    }
    guard let found = symbols.occurrence(at: offset), found.symbol.kind != .queue else {
      throw RenameProblem(description: "there is no step, event, input or output here that could be renamed")
    }
    if symbols.isForeign(found.symbol) {
      throw RenameProblem(description: "'\(found.symbol.name)' is not an event of this file")
    }
    return found
  }

  /// Returns the ranges in this file to replace with `name` so that the symbol at `offset` gets this name.
  package func rename(at offset: Int, to name: String) throws(RenameProblem) -> [TextSpan] {
    try rename(try renamable(at: offset).symbol, to: name)
  }

  /// Returns the ranges in this file to replace with `name` so that the symbol gets this name.
  package func rename(_ symbol: SymbolTable.Symbol, to name: String) throws(RenameProblem) -> [TextSpan] {
    guard isWhole, let symbols = symbols() else {
      throw RenameProblem(description: "'\(source.file)' has a syntax error; fix it first")
    }
    let kind: NameKind =
      switch symbol.kind {
      case .step: .step
      case .event: .event
      case .input: .input
      case .output: .output
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

/// The change that files need if they include the file in which a symbol is renamed.
package struct IncludedRename: Sendable, Hashable {
  /// The symbol's kind: an input, an output or an event.
  package var kind: SymbolTable.Symbol.Kind
  /// The name by which including files refer to the symbol. If a step is renamed, it is only the first part of the
  /// names of its events, such as `build/`.
  package var name: String
  /// The range of ``name`` that changes, in bytes.
  package var part: Range<Int>

  /// Creates the change. Returns nil if including files cannot refer to the symbol.
  package init?(_ symbol: SymbolTable.Symbol) {
    switch symbol.kind {
    case .input, .output, .event: (kind, name) = (symbol.kind, symbol.name)
    // In including files, the events of a file that this step includes begin with the step's id and a slash.
    case .step: (kind, name) = (.event, symbol.name + "/")
    case .queue: return nil
    }
    part = 0..<symbol.name.utf8.count
  }

  /// Returns the change for the next outer level: files that include the file of `step`, which includes the file with
  /// the renamed symbol. Returns nil unless it is an event, since only events are visible there.
  func passedOn(by step: String) -> IncludedRename? {
    guard kind == .event else { return nil }
    var outer = self
    outer.name = "\(step)/\(name)"
    let shift = step.utf8.count + 1
    outer.part = part.lowerBound + shift..<part.upperBound + shift
    return outer
  }

  /// Returns the range in a link that changes, or nil if the link refers to another symbol.
  func part(of link: SymbolTable.Link) -> TextSpan? {
    guard link.symbol.kind == kind else { return nil }
    let isMeant =
      switch kind {
      case .output: link.symbol.name.lowercased() == name.lowercased()
      case .event where name.hasSuffix("/"): link.symbol.name.hasPrefix(name)
      default: link.symbol.name == name
      }
    return isMeant ? TextSpan(link.span.start + part.lowerBound, link.span.start + part.upperBound) : nil
  }
}

extension WorkflowDocument {
  /// True if a step of this workflow includes the file at this path.
  package func includes(_ path: String) -> Bool {
    workflow.steps.contains { IncludeLibrary.isFile($0.uses) && self.path(of: $0.uses) == path }
  }

  /// Returns the ranges in this file that change because a symbol of the included file at `path` is renamed. Throws if
  /// this file has a syntax error, or if some ranges cannot be found.
  package func locations(of change: IncludedRename, in path: String) throws(RenameProblem) -> [TextSpan] {
    guard isWhole, let symbols = symbols() else {
      throw RenameProblem(description: "'\(source.file)' includes the file and has a syntax error; fix it first")
    }
    let name = change.name.lowercased()
    for span in symbols.unclear where source.text(of: span).lowercased().contains(name) {
      let line = LineTable(source).line(of: span.start)
      throw RenameProblem(
        description: "the text in line \(line) of '\(source.file)' cannot be changed safely; rename there by hand first"
      )
    }
    return symbols.links.filter { self.path(of: $0.file) == path }.compactMap(change.part)
  }

  /// Returns the changes for files that include this one, if `change` concerns the included file at `path`.
  package func passedOn(_ change: IncludedRename, from path: String) -> [IncludedRename] {
    workflow.steps.filter { IncludeLibrary.isFile($0.uses) && self.path(of: $0.uses) == path }.compactMap {
      change.passedOn(by: $0.id.text)
    }
  }

  /// Returns the declaration of a symbol, or nil if this file has none. An event of an included file is declared by the
  /// step that includes the file.
  package func declaration(of symbol: SymbolTable.Symbol) -> SymbolTable.Occurrence? {
    guard let symbols = symbols() else { return nil }
    let definitions = symbols.occurrences.filter(\.isDefinition)
    let own = definitions.first {
      $0.symbol.kind == symbol.kind
        && (symbol.kind == .output ? $0.symbol.name.lowercased() == symbol.name.lowercased() : $0.symbol == symbol)
    }
    guard own == nil, symbol.kind == .event, let step = symbol.name.split(separator: "/").first else { return own }
    return definitions.first { $0.symbol == .init(kind: .step, name: String(step)) }
  }
}
