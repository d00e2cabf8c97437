import SyncCore

extension RecordSchema {
  /// Creates a schema of these collections that is only used for reading.
  package init(reading collections: [Collection]) {
    self.init(name: "", version: 1, budget: nil, collections: collections)
  }
}

extension RecordSchema.Collection {
  /// Creates a collection for reading from a zone's rules. Returns nil if one of its fields has no rule.
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
