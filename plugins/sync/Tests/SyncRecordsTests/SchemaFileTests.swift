import FlowDiagnostics
import FlowModel
import SyncCore
import SyncYAML
import Testing

@testable import SyncRecords

/// Schema files, and the errors that are reported in them.
struct SchemaFileTests {
  private static let notes = """
    schema: notes
    version: 1
    collections:
      folders:
        fields:
          name: { type: string, required: true }
      notes:
        fields:
          title: { type: string }
          tags: { type: array, items: string, merge: set }
          lines: { type: array, items: string, merge: list }
          likes: { type: integer, merge: counter }
          best: { type: number, merge: largest }
          state: { type: string, enum: [open, done] }
          folder: { type: reference, to: folders, on-delete: clear }
        delete: delete-wins
        limit: 100000
    """

  private func file(_ text: String) -> SchemaFile { YAMLSchemas().read(Array(text.utf8), file: "notes.sync.yaml") }

  @Test func `a schema defines its collections and the merge rule of each field`() throws {
    let file = file(Self.notes)
    #expect(file.diagnostics.isEmpty, "\(file.rendered())")
    let notes = try #require(file.schema?.collection("notes"))
    #expect(notes.delete == .deleteWins)
    #expect(notes.limit == 100_000)
    #expect(
      notes.rules.texts == [
        "title": "string newest", "tags": "array:string set", "lines": "array:string list", "likes": "integer counter",
        "best": "number largest", "state": "string newest", "folder": "reference:folders newest clear",
        "_delete": "delete-wins", "_limit": "100000",
      ])
    for field in notes.fields { #expect(FieldRule(text: field.rule.text) == field.rule) }
  }

  @Test(arguments: [
    (
      "tags: { type: array, items: string, merge: set }", "tags: { type: array, items: string, merge: sett }",
      "did you mean 'set'?"
    ),
    ("type: integer, merge: counter", "type: strin, merge: counter", "did you mean 'string'?"),
    ("to: folders", "to: folder", "did you mean 'folders'?"),
    ("on-delete: clear", "on-delete: cleer", "did you mean 'clear'?"),
    ("delete: delete-wins", "delete: delete-win", "did you mean 'delete-wins'?"),
    ("limit: 100000", "limits: 100000", "did you mean 'limit'?"),
    (
      "likes: { type: integer, merge: counter }", "likes: { type: string, merge: counter }",
      "counter needs the type integer or duration"
    ),
    ("items: string, merge: list", "merge: list", "lacks the key 'items'"),
    ("      title:", "      myTitle:", "did you mean 'my-title'?"),
    ("  notes:\\n", "  replica:\\n", "the name 'replica' is taken"),
    ("limit: 100000", "limit: 0", "a whole number from 1"),
    ("delete: delete-wins", "decide: [newest]", "in this order"),
    ("version: 1", "version: 1\\nsubscribe: {}", "'subscribe' does not belong in a schema"),
    ("enum: [open, done]", "enum: open", "must be a list of strings"),
    ("schema: notes", "schem: notes", "did you mean 'schema'?"),
  ])
  func `an error in a schema is reported with its location and advice`(_ old: String, _ new: String, _ words: String) {
    func lines(_ text: String) -> String { text.replacing("\\n", with: "\n") }
    let text = Self.notes.replacing(lines(old), with: lines(new))
    #expect(text != Self.notes)
    let file = file(text)
    #expect(file.schema == nil)
    #expect(file.rendered().contains(words), "\(file.rendered())")
    #expect(file.rendered().contains("notes.sync.yaml:"))
  }

  @Test func `a schema can list keys, restrict writers and allow other fields, and its rules contain all three`()
    throws
  {
    let text = Self.notes.replacing(
      "    delete: delete-wins",
      with: "    delete: delete-wins\n    keys: [today, \"the week\"]\n    writer: self\n    other-fields: newest")
    let file = file(text)
    #expect(file.diagnostics.isEmpty, "\(file.rendered())")
    let rules = try #require(file.schema?.collection("notes")).rules
    #expect(rules.keys == ["today", "the week"] && rules.isWrittenByItself && rules.hasOtherFields)
    #expect(rules.texts["_keys"] == "today the%20week" && rules.texts["_other-fields"] == "newest")
  }

  @Test(arguments: [
    ("keys: []", "a list of 1 to 100 keys"), ("keys: [5]", "must be a string"), ("writer: all", "it can be 'self'"),
    ("other-fields: largest", "it can be 'newest'"), ("alias: CD_Settings", "zones keep records under"),
  ])
  func `an invalid setting of a collection is reported with the reason`(_ line: String, _ words: String) {
    let file = file(Self.notes.replacing("    delete: delete-wins", with: "    \(line)"))
    #expect(file.schema == nil)
    #expect(file.rendered().contains(words), "\(file.rendered())")
  }

  @Test func `a duplicate key, a missing schema and invalid YAML are reported`() {
    #expect(file(Self.notes + "\n    limit: 5").rendered().contains("appears twice"))
    #expect(file("").rendered().contains("does not contain a schema"))
    #expect(file("schema: [").schema == nil)
    #expect(file("- a").rendered().contains("must be a mapping"))
  }

  @Test func `a changed merge rule conflicts with the rules of the zone, but a new field does not`() throws {
    let zone = try #require(file(Self.notes).schema?.collection("notes")?.rules)
    let more = try #require(
      file(Self.notes.replacing("      title:", with: "      subtitle: { type: string }\n      title:")).schema)
    let longer = try #require(more.collection("notes")).rules
    #expect(zone.difference(to: longer.texts) == nil)
    let other = try #require(file(Self.notes.replacing("merge: counter", with: "merge: largest")).schema)
    let changed = try #require(other.collection("notes")).rules
    let difference = try #require(zone.difference(to: changed.texts))
    #expect(difference.contains("'likes' of 'notes' as 'integer counter'"))
    #expect(difference.contains("'integer largest'"))
  }

  @Test func `valid values of a record are accepted, and invalid ones are refused with the reason`() throws {
    let notes = try #require(file(Self.notes).schema?.collection("notes"))
    let input = RecordInput(notes)
    let good: ValueObject = [
      "title": "a", "tags": ["add": ["x"], "remove": ["y"]], "lines": ["insert": [["value": "l"]]],
      "likes": ["add": 2], "best": 1.5, "folder": .null,
    ]
    let edit = try input.edit(good, isNew: true, seed: 1)
    #expect(edit.fields["title"] == .set(Scalar.text("a").bytes))
    #expect(edit.fields["likes"] == .add(2))
    let bad: [(ValueObject, String)] = [
      (["titel": "a"], "did you mean 'title'?"), (["title": 5], "'title' takes a text, found the integer 5"),
      (["likes": 5], "write { add: n }"), (["tags": ["a"]], "'replace: true'"),
      (["likes": ["ad": 1]], "'ad' is not an operation"), (["state": "opn"], "did you mean 'open'?"),
      (["best": .null], "takes no null"), (["lines": ["remove": ["x"]]], "is not an element of 'lines'"),
    ]
    for (values, words) in bad {
      #expect {
        _ = try input.edit(values, isNew: false, seed: 1)
      } throws: { "\($0)".contains(words) }
    }
    let replacing = try RecordInput(notes, replaces: true).edit(["likes": 5, "tags": ["a"]], isNew: false, seed: 1)
    #expect(replacing.fields["likes"] == .total(5))
    let folders = try #require(file(Self.notes).schema?.collection("folders"))
    #expect { _ = try RecordInput(folders).edit([:], isNew: true, seed: 1) } throws: {
      "\($0)".contains("needs 'name'")
    }
  }
}
