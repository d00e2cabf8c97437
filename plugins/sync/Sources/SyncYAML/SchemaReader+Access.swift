import FlowDiagnostics
import FlowModel
import SyncCore
import SyncRecords

/// Reads the access rules of a collection: `keys`, `writer` and `other-fields`.
extension SchemaReader {
  private static let keyLimit = 100

  mutating func access(_ parts: [String: PlacedValue.Member], _ collection: inout RecordSchema.Collection) {
    if let keys = parts["keys"] { collection.keys = self.keys(keys.value) }
    if let writer = parts["writer"] {
      collection.isWrittenByItself = only(
        ZoneRules.writerItself, writer, "the device whose identity is the record's key")
    }
    if let other = parts["other-fields"] {
      collection.hasOtherFields = only(MergeRule.newest.rawValue, other, "the newest value of each counts")
    }
  }

  private mutating func keys(_ value: PlacedValue) -> [String]? {
    guard case .list(let elements) = value.content, (1...Self.keyLimit).contains(elements.count) else {
      report(
        .wrongType, "'keys' must be a list of 1 to \(Self.keyLimit) keys, found \(value.found)", at: value.span)
      return nil
    }
    return elements.compactMap { element in
      if case .scalar(.string(let key)) = element.content, RecordKey(type: "records", name: key).isWellFormed {
        return key
      }
      report(
        .wrongType,
        "each of 'keys' must be a string of 1 to \(RecordKey.maximumLength) bytes, found \(element.found)",
        at: element.span)
      return nil
    }
  }

  /// True if a member has its only allowed value. Reports any other value.
  private mutating func only(_ word: String, _ member: PlacedValue.Member, _ meaning: String) -> Bool {
    if case .scalar(.string(word)) = member.value.content { return true }
    report(
      .unknownValue, "'\(member.key)' is \(member.value.found)", at: member.value.span,
      help: "it can be '\(word)': \(meaning)")
    return false
  }
}
