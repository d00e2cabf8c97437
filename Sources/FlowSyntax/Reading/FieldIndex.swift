import FlowModel

/// Finds fields by the names that expressions use. An exact match takes precedence over names that differ in case.
struct FieldIndex {
  let fields: [FieldDeclaration]
  /// The index of each field by name. It is empty if there are only a few fields, because these are searched linearly.
  private var exact: [String: Int] = [:]
  private var folded: [String: Int] = [:]

  private static let scanLimit = 16

  /// Creates an index. If several fields have the same name, the first one is used.
  init(_ fields: [FieldDeclaration]) {
    self.fields = fields
    guard fields.count > Self.scanLimit else { return }
    for (index, field) in fields.enumerated() {
      if exact[field.name] == nil { exact[field.name] = index }
      let name = field.name.lowercased()
      if folded[name] == nil { folded[name] = index }
    }
  }

  /// Returns the field with this name, or nil. If no name matches exactly, case is ignored.
  func field(like name: String) -> FieldDeclaration? {
    guard exact.isEmpty else { return (exact[name] ?? folded[name.lowercased()]).map { fields[$0] } }
    return fields.first { $0.name == name } ?? fields.first { $0.name.lowercased() == name.lowercased() }
  }
}
