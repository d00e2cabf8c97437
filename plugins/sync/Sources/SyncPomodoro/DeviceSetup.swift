import SyncCore
import SyncEngine
import SyncRecords

extension SyncSettings {
  /// How a device behaves with the records of a schema. Where a budget runs low, what is decided whole goes first.
  public init(for schema: RecordSchema) {
    self.init()
    projection = StoredProjection(schema)
    if schema.budget == nil {
      (pageRecords, pageBytes) = (SyncLimits.records, SyncLimits.bodyBytes)
    } else {
      essentialTypes = Set(schema.collections.filter { $0.decide != nil }.map(\.type) + [ZoneRules.type])
    }
  }
}

extension RecordSchema.Collection {
  /// The rules of the collection that a device has to name to its zone; nil when the zone knows them all. Throws where the
  /// zone keeps others.
  ///
  /// A zone that has named none of a collection in an older form keeps the rules of the timer's own schema for it, once it
  /// has such a record.
  public func declaration(to machine: SyncMachine) throws(RecordProblem) -> SyncMachine.Action? {
    let (named, wanted) = (machine.rules(of: name), rules)
    var known = named
    if let alias, named.texts.isEmpty {
      let usual = Pomodoro.schema.collections.first { $0.alias == alias }?.rules
      // Before the first answer it is not known whether the zone has such a record.
      if usual == wanted || machine.replica.cursor == nil { return nil }
      let isInUse = machine.replica.confirmed.keys.contains { $0.type == alias.rawValue }
      if let usual, isInUse { known = usual }
    } else if alias != nil, known.texts[ZoneRules.formName] == nil {
      throw RecordProblem(
        "the zone keeps '\(name)' as records of a schema and this schema as \(type); take another zone")
    }
    if let difference = known.difference(to: wanted) { throw RecordProblem(difference) }
    let missing = wanted.texts.filter { named.texts[$0.key] == nil }.sorted { $0.key < $1.key }
    if missing.isEmpty { return nil }
    return .init(fields: missing.map { Write.FieldChange(name: $0.key, value: Array($0.value.utf8)) })
  }
}
