import FlowDiagnostics
import FlowModel
import SyncCore
import SyncEngine
import SyncRecords

/// Reads a schema from parsed YAML that includes locations.
struct SchemaReader {
  var diagnostics: [Diagnostic]

  private static let names = (
    file: ["schema", "version", "budget", "collections"],
    collection: ["fields", "decide", "delete", "limit", "keys", "writer", "other-fields"]
  )
  /// Keys that do not belong in a schema file, each with an explanation.
  static let unserved = [
    "subscribe": "a subscription is each device's own: write it in 'sync.connect'",
    "alias": "zones keep records under the names of their collection and fields; remove it",
  ]

  mutating func read(_ root: PlacedValue?) -> RecordSchema? {
    guard let root else {
      if diagnostics.isEmpty {
        report(
          .emptyDocument, "the file does not contain a schema", at: TextSpan(at: 0),
          help: "a schema has 'schema' and 'collections'")
      }
      return nil
    }
    guard let members = map(root, "the schema", keys: Self.names.file, required: ["schema", "collections"]) else {
      return nil
    }
    var schema = RecordSchema(name: "", version: 1, collections: [])
    if let name = members["schema"] { schema.name = self.name(name.value, "schema") ?? "" }
    if let version = members["version"] { schema.version = integer(version.value, "version", 1...1_000_000) ?? 1 }
    if let budget = members["budget"] { schema.budget = self.budget(budget.value) }
    if let collections = members["collections"] { schema.collections = self.collections(collections.value) }
    return schema
  }

  private mutating func budget(_ value: PlacedValue) -> RequestBudget.Limits? {
    guard let members = map(value, "budget", keys: ["requests-per-hour", "bytes-per-day"], required: []) else {
      return nil
    }
    var limits = RequestBudget.Limits()
    if let requests = members["requests-per-hour"] {
      limits.requestsPerHour = integer(requests.value, "requests-per-hour", 50...1_000_000) ?? limits.requestsPerHour
    }
    if let bytes = members["bytes-per-day"] {
      limits.bytesPerDay = integer(bytes.value, "bytes-per-day", 100_000...1_000_000_000_000) ?? limits.bytesPerDay
    }
    return limits
  }

  // MARK: Collections

  private mutating func collections(_ value: PlacedValue) -> [RecordSchema.Collection] {
    guard case .map(let members) = value.content else {
      report(
        .wrongType, "'collections' must be a mapping from name to collection, found \(value.found)", at: value.span)
      return []
    }
    if members.isEmpty { report(.missingKey, "the schema has no collection", at: value.span) }
    var result: [RecordSchema.Collection] = []
    for member in members {
      checkName(member, "collection", taken: ["replica", DeviceInfo.collection])
      result.append(collection(member, among: members.map(\.key)))
    }
    return result
  }

  private mutating func collection(_ member: PlacedValue.Member, among names: [String]) -> RecordSchema.Collection {
    var collection = RecordSchema.Collection(name: member.key, delete: .editWins, fields: [])
    let owner = "the collection '\(member.key)'"
    guard let parts = map(member.value, owner, keys: Self.names.collection, required: []) else { return collection }
    if parts["fields"] == nil, parts["other-fields"] == nil {
      report(.missingKey, "\(owner) lacks the key 'fields'", at: TextSpan(at: member.value.span.start))
    }
    if let delete = parts["delete"] {
      collection.delete = word(delete.value, "delete", DeleteRule.self) ?? .editWins
    }
    if let limit = parts["limit"] { collection.limit = integer(limit.value, "limit", 1...1_000_000_000) }
    access(parts, &collection)
    guard let fields = parts["fields"] else { return collection }
    guard case .map(let members) = fields.value.content, !members.isEmpty else {
      report(
        .wrongType, "'fields' of '\(member.key)' must be a mapping from name to field, found \(fields.value.found)",
        at: fields.value.span)
      return collection
    }
    if members.count > SchemaFile.fieldLimit {
      report(
        .outOfRange, "'\(member.key)' has \(members.count) fields, at most \(SchemaFile.fieldLimit) are allowed",
        at: fields.keySpan)
    }
    for field in members {
      checkName(field, "field", taken: [])
      if let read = self.field(field, among: names, decides: parts["decide"] != nil) { collection.fields.append(read) }
    }
    collection.decide = parts["decide"].map { decide($0.value, collection) }
    return collection
  }

  /// Reports an invalid or reserved name. Only lowercase names are valid, because SQL ignores case.
  private mutating func checkName(_ member: PlacedValue.Member, _ kind: String, taken: [String]) {
    if !RecordName.isWellFormed(member.key) {
      let nearest = String(member.key.kebabCased.prefix(RecordName.maximumLength))
      let help = RecordName.isWellFormed(nearest) ? "did you mean '\(nearest)'?" : nil
      report(.invalidName, "the \(kind) '\(member.key)' \(RecordName.rule)", at: member.keySpan, help: help)
    } else if taken.contains(member.key) {
      report(.invalidName, "the name '\(member.key)' is taken in every device's file", at: member.keySpan)
    }
  }

  private mutating func name(_ value: PlacedValue, _ owner: String) -> String? {
    guard case .scalar(.string(let text)) = value.content, RecordName.isWellFormed(text) else {
      report(.invalidName, "'\(owner)' must be a name, found \(value.found)", at: value.span, help: RecordName.rule)
      return nil
    }
    return text
  }
}

extension String {
  /// The string in kebab case: lowercase words separated by `-`.
  fileprivate var kebabCased: String {
    var result = ""
    for character in self {
      if character.isUppercase {
        if let last = result.last, last != "-" { result += "-" }
        result += character.lowercased()
      } else if character.isASCII, character.isLetter || character.isNumber {
        result.append(character)
      } else if let last = result.last, last != "-" {
        result += "-"
      }
    }
    return result
  }
}
