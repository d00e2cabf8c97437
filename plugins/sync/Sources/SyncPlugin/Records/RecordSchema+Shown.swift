import SyncCore
import SyncEngine
import SyncRecords
import SyncSQLite

extension RecordSchema {
  /// The schema by which a device's file shows records, for reading alone, as far as the file itself tells: from its tables
  /// and the rules that the zone keeps or was asked for. Nil if it does not tell all.
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
    // What was refused is still what the columns are for.
    for item in machine.replica.outbox.items(for: ZoneRules.key(of: name)) {
      for field in item.write?.fields ?? [] where texts[field.name] == nil {
        texts[field.name] = String(decoding: field.value, as: UTF8.self)
      }
    }
    return texts.isEmpty ? nil : Collection(reading: columns, by: ZoneRules(collection: name, texts: texts))
  }
}
