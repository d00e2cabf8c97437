import FlowModel

/// Fields by name, for expressions. Exact matches come first, then names that differ in case.
struct FieldIndex {
  let fields: [FieldDeclaration]
  /// Empty if there are few fields, which are searched linearly.
  private var exact: [String: Int] = [:]
  private var folded: [String: Int] = [:]

  private static let scanLimit = 16

  /// Creates an index. If a name occurs more than once, the first field counts.
  init(_ fields: [FieldDeclaration]) {
    self.fields = fields
    guard fields.count > Self.scanLimit else { return }
    for (index, field) in fields.enumerated() {
      if exact[field.name] == nil { exact[field.name] = index }
      let name = field.name.lowercased()
      if folded[name] == nil { folded[name] = index }
    }
  }

  /// Returns the field with this name, or nil. The name may differ in case.
  func field(like name: String) -> FieldDeclaration? {
    guard exact.isEmpty else { return (exact[name] ?? folded[name.lowercased()]).map { fields[$0] } }
    return fields.first { $0.name == name } ?? fields.first { $0.name.lowercased() == name.lowercased() }
  }
}
