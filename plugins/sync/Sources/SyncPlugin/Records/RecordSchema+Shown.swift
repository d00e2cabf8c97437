import SyncCore
import SyncEngine
import SyncRecords
import SyncSQLite

extension RecordSchema {
  /// Reconstructs a schema from the tables in a device's file and the zone's rules. Returns nil if rules are missing.
  init?(shown tables: [ShownTable], in machine: SyncMachine) {
    var collections: [Collection] = []
    for table in tables {
      guard
        let collection = Self.collection(
          table.name, table.columns.map(\.name).filter { $0 != Collection.decidedColumn }, machine)
      else { return nil }
      collections.append(collection)
    }
    self.init(reading: collections)
  }

  private static func collection(_ name: String, _ columns: [String], _ machine: SyncMachine) -> Collection? {
    var texts = machine.rules(of: name).texts
    // Columns also exist for declared rules that the zone has refused.
    for item in machine.replica.outbox.items(for: ZoneRules.key(of: name)) {
      for field in item.write?.fields ?? [] where texts[field.name] == nil {
        texts[field.name] = String(decoding: field.value, as: UTF8.self)
      }
    }
    return texts.isEmpty ? nil : Collection(reading: columns, by: ZoneRules(collection: name, texts: texts))
  }
}
