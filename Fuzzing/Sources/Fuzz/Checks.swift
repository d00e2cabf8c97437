import FlowDiagnostics
import FlowExpressions
import FlowModel

@testable import FlowSyntax

/// Checks that loading a workflow results in a graph or an error. Every location must be in the file, both YAML readers
/// must agree, and every report must be writable.
@Sendable func checkWorkflow(_ bytes: [UInt8]) {
  let result = WorkflowLoader(catalog: TestCatalog.standard).load(bytes: bytes, file: "fuzz.yaml")
  promise((result.graph == nil) == result.diagnostics.containsError, "a graph or an error")
  checkLocations(result.diagnostics, in: bytes)
  _ = result.rendered()
  let report = DiagnosticReport([.init(source: SourceText(bytes, file: "fuzz.yaml"), diagnostics: result.diagnostics)])
  _ = JSONText.write(report.json())
  _ = JSONText.write(report.sarif())
  checkReaders(bytes)
}

/// Checks that loading a manifest results in a manifest or an error, and that every location is in the file.
@Sendable func checkManifest(_ bytes: [UInt8]) {
  let result = PluginManifestLoader().load(bytes: bytes, file: "plugin.yaml")
  promise((result.manifest == nil) == result.diagnostics.containsError, "a manifest or an error")
  checkLocations(result.diagnostics, in: bytes)
  _ = result.rendered()
}

private func checkLocations(_ diagnostics: [Diagnostic], in bytes: [UInt8]) {
  promise(diagnostics.count <= Limits.diagnostics + 1, "\(diagnostics.count) diagnostics")
  for diagnostic in diagnostics {
    for span in [diagnostic.span] + diagnostic.related.map(\.span) {
      promise(span.start >= 0 && span.start <= span.end && span.end <= bytes.count, "\(span) outside: \(diagnostic)")
    }
  }
}

/// Checks that libyaml reads the same nodes from each text that the plain scanner accepts.
private func checkReaders(_ bytes: [UInt8]) {
  bytes.withUnsafeBufferPointer { buffer in
    guard UTF8Check.firstInvalidOffset(in: buffer) == nil, let nodes = PlainScanner.nodes(of: buffer) else { return }
    guard case .success(let tree) = YAMLParser.parseWithLibYAML(SourceText(bytes, file: "fuzz.yaml"), buffer) else {
      return promise(false, "libyaml refuses what the plain scanner accepts")
    }
    let words = { (node: YAMLNode) in
      "\(node.kind) \(node.style) \(node.tag) \(node.hasMerge) \(node.start)..<\(node.end) \(node.link)"
    }
    promise(nodes.map(words) == tree.nodes.map(words), "the plain scanner and libyaml read different nodes")
  }
}

/// Checks that an expression results in a value of a predicted type, or in an error whose location is in the text.
@Sendable func checkExpression(_ bytes: [UInt8]) {
  let source = String(decoding: bytes, as: UTF8.self)
  let contexts: ValueObject = ["a": ["b": [1, "x", ["c": nil]], "list": []], "b": "[1, {\"k\": 2}]"]
  do throws(ExpressionError) {
    let expression = try Expression(parsing: source, dialect: .init(names: ["a", "b"]))
    for reference in expression.references {
      promise(reference.offset + reference.length <= source.utf8.count, "a reference outside the text")
    }
    let possible = expression.possibleResults { _ in nil }
    let value = try expression.evaluate(in: FixedContext(contexts))
    promise(possible.contains { $0.admits(value) }, "\(value) is none of \(possible)")
    _ = JSONText.write(value)
  } catch {
    promise(error.offset >= 0 && error.offset + error.length <= source.utf8.count, "an error outside: \(error)")
    promise(!error.message.isEmpty, "an error without a message")
  }
}

extension PossibleResult {
  /// True if this predicted result allows the value: an equal value or, for a type, null or a value of the type.
  fileprivate func admits(_ value: Value) -> Bool {
    switch self {
    case .value(.number(let number)) where number.isNaN: value.numberValue?.isNaN == true
    case .value(let own): own == value
    case .type(let type): value.isNull || type.mismatch(of: value) == nil
    }
  }
}

/// Checks that a value stays the same if it is written and read again, and that an error has a location.
@Sendable func checkJSON(_ bytes: [UInt8]) {
  do throws(JSONProblem) {
    let value = try JSONText.parse(bytes)
    for layout in [JSONText.Layout.compact, .indented] {
      let text = JSONText.bytes(of: value, layout: layout)
      let again = try JSONText.parse(text)
      promise(again == value, "\(String(decoding: text, as: UTF8.self)) is read as something else")
    }
  } catch {
    promise(error.line >= 1 && error.column >= 1, "an error without a place: \(error)")
  }
}
