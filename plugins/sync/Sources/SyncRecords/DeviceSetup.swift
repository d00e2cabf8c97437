import SyncCore
import SyncEngine

extension SyncSettings {
  /// How a device behaves with the records of a schema. Where a budget runs low, what is decided whole goes first.
  public init(for schema: RecordSchema) {
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
  /// Names the collections of a schema and their rules to the zone, as far as it does not know them.
  ///
  /// Throws a `RecordProblem` where the zone keeps others, and a `ReplicaError` when they cannot be saved.
  public func declare(_ schema: RecordSchema) async throws {
    for collection in schema.collections {
      let key = ZoneRules.key(of: collection.name)
      let declaration = try collection.declaration(to: machine)
      // Rules that the zone did not take, of an earlier schema, are given up; what was written under them stays.
      for item in machine.replica.outbox.items(for: key) where item.parkedBecause != nil {
        await discard(parked: item.position)
      }
      if let declaration { try await act(key, declaration) }
    }
  }
}

extension RecordSchema.Collection {
  /// The rules of the collection that a device has to name to its zone; nil when the zone knows them all. Throws where the
  /// zone keeps others.
  public func declaration(to machine: SyncMachine) throws(RecordProblem) -> SyncMachine.Action? {
    let (known, wanted) = (machine.rules(of: name), ruleTexts)
    if let difference = known.difference(to: wanted) { throw RecordProblem(difference) }
    let missing = wanted.filter { known.texts[$0.key] == nil }
    return missing.isEmpty ? nil : .rules(missing)
  }
}
