import Foundation
import Testing

/// Records that a workflow writes and reads must match the schema that its `sync.connect` names.
@Suite(.timeLimit(.minutes(10))) struct RecordUseTests {
  private static let schema = """
    schema: notes
    collections:
      folders:
        fields:
          name: { type: string, required: true }
      notes:
        fields:
          title: { type: string }
          kind: { type: string, enum: [short, long] }
          stars: { type: integer }
          tags: { type: array, items: string, merge: set }
          lines: { type: array, items: string, merge: list }
          likes: { type: integer, merge: counter }
          folder: { type: reference, to: folders, on-delete: clear }
    """

  private func validated(
    _ step: String, subscribe: String = "{ notes: { folder: inbox } }", schema: String = "n.sync.yaml"
  ) throws -> (code: Int32, lines: [String]) {
    let tool = try CommandLineTool()
    defer { tool.remove() }
    try tool.write(Self.schema, to: "n.sync.yaml")
    let workflow = """
      name: w
      inputs:
        text: { type: string, default: x }
      steps:
        connect: { uses: sync.connect, with: { store: s.sqlite, schema: \(schema), subscribe: \(subscribe) } }
        step: { needs: connect, \(step) }
      """
    try tool.write(workflow, to: "w.yaml")
    let output = try tool.run("validate", "w.yaml")
    return (output.exitCode, output.standardOutput.split(separator: "\n").map(String.init))
  }

  @Test(arguments: [
    ("uses: sync.put, with: { collection: note, fields: {} }", "note, fields", "has no collection 'note'", "'notes'?"),
    ("uses: sync.get, with: { collection: fold, key: a }", "fold, key", "has no collection 'fold'", "there are"),
    ("uses: sync.delete, with: { collection: nots, key: a }", "nots, key", "has no collection 'nots'", "'notes'?"),
    ("uses: sync.watch, with: { collection: Notes }", "Notes }", "has no collection 'Notes'", "'notes'?"),
    (
      "uses: sync.put, with: { collection: notes, fields: { titel: a } }", "titel: a", "'notes' has no field 'titel'",
      "'title'?"
    ),
    (
      "uses: sync.put, with: { collection: notes, fields: { title: 7 } }", "7 }",
      "'title' takes a text, found the integer 7", ""
    ),
    (
      "uses: sync.put, with: { collection: notes, fields: { kind: shrt } }", "shrt }", "'kind' cannot be 'shrt'",
      "'short'?"
    ),
    (
      "uses: sync.put, with: { collection: notes, fields: { likes: 3 } }", "3 }",
      "'likes' is merged by counter: write { add: n }", ""
    ),
    (
      "uses: sync.put, with: { collection: notes, fields: { likes: { plus: '${{ inputs.text }}' } } }", "plus: ",
      "'plus' is not an operation on 'likes'", ""
    ),
    (
      "uses: sync.put, with: { collection: notes, fields: { lines: { moved: { element: 1-a } } } }", "moved: ",
      "'moved' is not an operation on 'lines'; it takes insert, remove and move", ""
    ),
    (
      "uses: sync.put, with: { collection: notes, fields: { lines: { move: { after: 1-a } } } }", "{ after",
      "each of 'move' of 'lines' is { element: ID, after: ID }, found an object with 'after'", ""
    ),
    (
      "uses: sync.put, with: { collection: notes, fields: { lines: { move: { element: 1-a, after: 1-a } } } }",
      "{ element", "puts 1-a behind itself", ""
    ),
    (
      "uses: sync.put, with: { collection: notes, fields: { lines: { move: [{ element: 1-a }, { element: x }] } } }",
      "{ element: x", "\"x\" is not an element of 'lines'", ""
    ),
    (
      "uses: sync.put, with: { collection: notes, fields: { tags: { add: ['${{ inputs.text }}', 5] } } }", "5] }",
      "'tags' takes a text, found the integer 5", ""
    ),
    (
      "uses: sync.put, with: { collection: folders, fields: { name: null } }", "null }",
      "'name' is required and cannot be null", ""
    ),
    (
      "uses: sync.transaction, with: { writes: [{ collection: notes, key: a, field: {} }] }", "field: {}",
      "'field' is not part of a write", "'fields'?"
    ),
    (
      "uses: sync.transaction, with: { writes: [{ collection: notes, key: a, fields: { stars: many } }] }", "many }",
      "'stars' takes a whole number", ""
    ),
    (
      "uses: sync.query, with: { sql: SELECT n.titel FROM notes n }", "SELECT", "has a column 'titel'", "'title'?"
    ),
    ("uses: sync.query, with: { sql: SELECT 1 FROM note }", "SELECT", "has no collection 'note'", "'notes'?"),
    ("uses: sync.query, with: { sql: SELEC 1 }", "SELEC 1", "the SQL is wrong", ""),
  ])
  func `a name or value that does not match the schema is reported with its location`(
    _ step: String, _ place: String, _ message: String, _ help: String
  ) throws {
    let (code, lines) = try validated(step)
    #expect(code == 2)
    let column = "  step: { needs: connect, \(step) }".distance(to: place)
    #expect(lines.first?.hasPrefix("w.yaml:6:\(column): error: ") == true, "\(lines), column \(column)")
    #expect(lines.first?.contains(message) == true, "\(lines)")
    #expect(help.isEmpty || lines.contains { $0.contains(help) }, "\(lines)")
  }

  @Test(arguments: [
    "uses: sync.put, with: { collection: notes, fields: { title: '${{ inputs.text }}', likes: { add: '${{ inputs.text }}' } } }",
    "uses: sync.put, with: { collection: notes, fields: { lines: { insert: [{ value: '${{ inputs.text }}' }] } } }",
    "uses: sync.put, with: { collection: notes, fields: { lines: { move: { element: '${{ inputs.text }}', after: null } } } }",
    "uses: sync.put, with: { collection: notes, fields: { lines: { move: { element: 1-a, after: '${{ inputs.text }}' } } } }",
    "uses: sync.put, with: { collection: notes, fields: { lines: { move: '${{ fromJSON(inputs.text) }}' } } }",
    "uses: sync.put, with: { collection: notes, replace: true, fields: { likes: 3, tags: [a] } }",
    "uses: sync.put, with: { collection: '${{ inputs.text }}', fields: { any: 1 } }",
    "uses: sync.query, with: { sql: 'SELECT n.title, f.name FROM notes n JOIN folders f ON f._key = n.folder WHERE n._by = :by', values: { by: a } }",
  ])
  func `values that match the schema or are known only at run time are accepted`(_ step: String) throws {
    let (code, lines) = try validated(step)
    #expect(code == 0)
    #expect(lines == ["w.yaml: valid, 2 steps"])
  }

  @Test(arguments: [
    ("{ note: {} }", "has no collection 'note'"), ("{ notes: { foldr: inbox } }", "'notes' has no field 'foldr'"),
    ("{ notes: { likes: 1 } }", "'likes' of 'notes' is merged by counter"),
    ("{ notes: { stars: many } }", "'stars' takes a whole number"),
    ("{ notes: inbox }", "takes a mapping from field to value"),
  ])
  func `a subscription is checked against the schema`(_ subscribe: String, _ message: String) throws {
    let (code, lines) = try validated("uses: sync.flush", subscribe: subscribe)
    #expect(code == 2)
    #expect(lines.first?.hasPrefix("w.yaml:5:") == true)
    #expect(lines.first?.contains(message) == true, "\(lines)")
  }

  @Test func `a missing schema is a warning, because a run may create it`() throws {
    let (code, lines) = try validated("uses: sync.flush", schema: "other.sync.yaml")
    #expect(code == 0)
    #expect(lines.first?.contains("warning: the schema 'other.sync.yaml' cannot be read") == true, "\(lines)")
  }
}

extension String {
  /// Returns the column of `text`, counted from 1.
  fileprivate func distance(to text: String) -> Int {
    range(of: text).map { distance(from: startIndex, to: $0.lowerBound) + 1 } ?? 0
  }
}
