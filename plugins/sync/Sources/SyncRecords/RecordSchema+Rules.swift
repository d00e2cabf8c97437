import SyncCore

extension RecordSchema {
  /// A schema for reading alone, of these collections.
  public init(reading collections: [Collection]) {
    self.init(name: "", version: 1, budget: nil, collections: collections)
  }
}

extension RecordSchema.Collection {
  /// A collection for reading alone, as a zone's rules say; nil if one of its fields has no rule.
  public init?(reading fields: [String], by rules: ZoneRules) {
    var known: [RecordSchema.Field] = []
    for name in fields {
      guard let rule = rules.rule(of: name) else { return nil }
      known.append(.init(name: name, rule: rule))
    }
    self.init(
      name: rules.collection, delete: rules.delete, decide: rules.decide, fields: known)
  }
}
