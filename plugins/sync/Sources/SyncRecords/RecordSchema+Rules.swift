import SyncCore

extension RecordSchema {
  /// Creates a schema of these collections that is used only for reading.
  package init(reading collections: [Collection]) {
    self.init(name: "", version: 1, budget: nil, collections: collections)
  }
}

extension RecordSchema.Collection {
  /// Creates a collection for reading from the rules of a zone. Returns nil if a field has no rule.
  package init?(reading fields: [String], by rules: ZoneRules) {
    var known: [RecordSchema.Field] = []
    for name in fields {
      guard let rule = rules.rule(of: name) else { return nil }
      known.append(.init(name: name, rule: rule))
    }
    self.init(
      name: rules.collection, delete: rules.delete, decide: rules.decide, fields: known)
  }
}
