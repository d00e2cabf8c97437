import SyncCore
import SyncEngine

extension SyncSettings {
  /// Creates the settings of a device for the records of a schema. When the budget is low, only collections with a
  /// `decide` rule and the rules of collections are still sent.
  package init(for schema: RecordSchema) {
    self.init()
    projection = SchemaProjection(schema)
    if schema.budget == nil {
      (pageRecords, pageBytes) = (SyncLimits.records, SyncLimits.bodyBytes)
    } else {
      essentialTypes = Set(schema.collections.filter { $0.decide != nil }.map(\.name) + [ZoneRules.type])
    }
  }
}

extension SyncSession {
  /// Declares the collections and rules of a schema that the zone does not have yet.
  ///
  /// Throws a `RecordProblem` if the zone has different rules, and a `ReplicaError` if the declaration cannot be saved.
  public func declare(_ schema: RecordSchema) async throws {
    for collection in schema.collections {
      let key = ZoneRules.key(of: collection.name)
      let declaration = try collection.declaration(to: machine)
      // Refused rules of an earlier schema are discarded. Changes made under these rules stay in the outbox.
      for item in machine.replica.outbox.items(for: key) where item.parkedBecause != nil {
        await discard(parked: item.position)
      }
      if let declaration { try await act(key, declaration) }
    }
  }
}

extension RecordSchema.Collection {
  /// Returns the rules that a device must declare to its zone, or nil if the zone has all of them. Throws if the zone
  /// has different rules.
  public func declaration(to machine: SyncMachine) throws(RecordProblem) -> SyncMachine.Action? {
    let (known, wanted) = (machine.rules(of: name), ruleTexts)
    if let difference = known.difference(to: wanted) { throw RecordProblem(difference) }
    let missing = wanted.filter { known.texts[$0.key] == nil }
    return missing.isEmpty ? nil : .rules(missing)
  }
}
