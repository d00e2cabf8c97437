import FlowBytes
import SyncCore
import SyncEngine
import SyncRecords

/// Makes random edits of a schema's records. Together, they use all rules of the schema.
struct Vocabulary {
  /// A random edit of one record.
  struct Act {
    var key: RecordKey
    var edit: RecordEdit
    var places: [ListPlace] = []
  }

  /// The number of keys in a collection whose schema does not list keys. It is small, so that devices edit the same
  /// records.
  private static let keys = 4
  /// The weight of a collection with a `decide` rule. It is high because most rules are about states.
  private static let decidingWeight = 4

  let schema: RecordSchema
  private var random: SplitMix64

  init(_ schema: RecordSchema, seed: UInt64) {
    self.schema = schema
    random = SplitMix64(seed: seed)
  }

  /// Returns the next action of a device's user, or the actions of a transaction. Returns an empty array if the device
  /// would refuse them.
  mutating func acts(on machine: SyncMachine) -> [Act] {
    let weighted = schema.collections.flatMap { collection in
      Array(repeating: collection, count: collection.decide == nil ? 1 : Self.decidingWeight)
    }
    var acts: [Act] = []
    if !schema.collections.isEmpty, chance(8) {
      for _ in 0..<Int.random(in: 2...3, using: &random) {
        guard let act = act(schema.collections[index(of: schema.collections)], machine),
          !acts.contains(where: { $0.key == act.key })
        else {
          continue
        }
        acts.append(act)
      }
    } else if !weighted.isEmpty, let act = act(weighted[index(of: weighted)], machine) {
      acts = [act]
    }
    let isRefused =
      acts.count == 1
      ? machine.refusal(of: .edit(acts[0].edit), on: acts[0].key) != nil
      : machine.refusal(of: acts.map { ($0.key, .edit($0.edit)) }) != nil
    return isRefused ? [] : acts
  }

  private mutating func act(_ collection: RecordSchema.Collection, _ machine: SyncMachine) -> Act? {
    let names = collection.keys ?? (collection.isWrittenByItself ? [machine.replica.device.name] : Self.names)
    let key = RecordKey(type: collection.name, name: names[index(of: names)])
    let view = machine.view(of: key)
    let isShown = collection.shown(view) != nil
    // Moves in a list have a visible effect only after many actions on a record, so records with lists are rarely
    // deleted.
    let hasList = collection.fields.contains { $0.rule.merge == .list }
    if isShown, chance(hasList ? 40 : 6) { return Act(key: key, edit: RecordEdit(isDeletion: true)) }
    var edit = RecordEdit(seed: random.next())
    var places: [ListPlace] = []
    let writesState = chance(2) || collection.decide != nil && !isShown
    for field in collection.fields {
      let isTaken = field.rule.merge == .whole ? writesState : chance(2) || field.isRequired && !isShown
      if isTaken { edit.fields[field.name] = change(field, view, &places) }
    }
    if collection.hasOtherFields, edit.fields.isEmpty || chance(3) {
      edit.fields["other-\(Int.random(in: 1...3, using: &random))"] = .set(Scalar.text(word()).bytes)
    }
    return Act(key: key, edit: edit, places: places)
  }

  static let names = (1...keys).map { "record-\($0)" }

  // MARK: Fields

  private mutating func change(
    _ field: RecordSchema.Field, _ view: Cell, _ places: inout [ListPlace]
  ) -> RecordEdit.Field {
    let value = scalar(field, field.rule.element).bytes
    switch field.rule.merge {
    case .newest:
      return .set(!field.isRequired && chance(10) ? Scalar.null.bytes : value)
    case .whole: return .state(value)
    case .largest where field.rule.hasEpochs && field.rule.type == .integer && chance(3):
      return .raise(by: Int64.random(in: 1...3, using: &random))
    case .largest where field.rule.hasEpochs: return .inEpoch(value, begins: chance(12))
    case .largest: return .largest(value)
    case .smallest: return .smallest(value)
    case .counter:
      let number = Int64.random(in: -5...20, using: &random)
      return chance(6) ? .total(number) : .add(number)
    case .set: return elements(field, view)
    case .list: return items(field, view, &places)
    }
  }

  private mutating func elements(_ field: RecordSchema.Field, _ view: Cell) -> RecordEdit.Field {
    let shown = (view.content.part(field.name)?.state.elements ?? []).map(\.value)
    var (add, remove): ([[UInt8]], [[UInt8]]) = ([], [])
    for _ in 0..<Int.random(in: 1...2, using: &random) { add.append(scalar(field, field.rule.element).bytes) }
    if !shown.isEmpty, chance(2) { remove.append(shown[index(of: shown)]) }
    if chance(2), !remove.isEmpty { add = [] }
    return chance(6) ? .exactly(add) : .elements(add: add, remove: remove)
  }

  private mutating func items(
    _ field: RecordSchema.Field, _ view: Cell, _ places: inout [ListPlace]
  ) -> RecordEdit.Field {
    let shown = ListItem.inOrder(view.content.part(field.name)?.state.items ?? []).filter { $0.value != nil }
    // Elements are identified by their values, so a value that may occur twice is only appended.
    guard let value = unique(field) else {
      return .items(
        insert: [.init(after: nil, isAtEnd: true, value: scalar(field, field.rule.element).bytes)], remove: [])
    }
    if !shown.isEmpty, chance(4) {
      let gone = shown[index(of: shown)]
      places.append(ListPlace(field: field.name, value: gone.value ?? [], isRemoved: true))
      return .items(insert: [], remove: [gone.id])
    }
    if shown.count > 1, chance(2) {
      let moved = shown[index(of: shown)]
      let others = shown.filter { $0.id != moved.id }
      let position = Int.random(in: 0...others.count, using: &random)
      let isAtEnd = position == others.count
      let after = position > 0 ? others[position - 1] : nil
      places.append(
        ListPlace(
          field: field.name, value: moved.value ?? [], isMoved: true, after: after?.value,
          before: isAtEnd ? nil : others[position].value))
      return .items(insert: [], remove: [], move: [.init(moved.id, after: after?.id, isAtEnd: isAtEnd)])
    }
    // The element is inserted at the end, at the beginning, or after another element.
    let position = Int.random(in: 0...shown.count, using: &random)
    let isAtEnd = position == shown.count
    let after = position > 0 ? shown[position - 1] : nil
    places.append(
      ListPlace(
        field: field.name, value: value, after: after?.value, before: isAtEnd ? nil : shown[position].value))
    return .items(insert: [.init(after: after?.id, isAtEnd: isAtEnd, value: value)], remove: [])
  }

  /// Returns a value that is practically unique, or nil for types with too few values.
  private mutating func unique(_ field: RecordSchema.Field) -> [UInt8]? {
    let number = Int64.random(in: 0...(1 << 50), using: &random)
    switch field.rule.element {
    case .string where field.choices == nil: return Scalar.text("line \(number)").bytes
    case .integer, .duration: return Scalar.integer(number).bytes
    case .number: return Scalar.number(Double(number)).bytes
    default: return nil
    }
  }

  private mutating func scalar(_ field: RecordSchema.Field, _ type: FieldType) -> Scalar {
    switch type {
    case .string:
      guard let choices = field.choices, !choices.isEmpty else { return .text(word()) }
      return .text(choices[index(of: choices)])
    case .integer: return .integer(Int64.random(in: 0...1000, using: &random))
    case .number: return .number(Double(Int.random(in: -100...100, using: &random)) / 4)
    case .boolean: return .boolean(chance(2))
    case .duration: return .integer(Int64.random(in: 0...5_400_000, using: &random))
    case .reference(let target):
      let collection = schema.collection(target)
      let names = collection?.keys ?? Self.names
      return .text(names[index(of: names)])
    case .array(let element):
      // The value has the form that a workflow would write. Only strings and integers are needed.
      if case .string = element { return .json(#"["\#(word())"]"#) }
      if case .integer = element { return .json("[\(Int.random(in: 0...9, using: &random))]") }
      return .json("[]")
    }
  }

  private mutating func word() -> String { "word \(Int.random(in: 1...5, using: &random))" }

  private mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }

  private mutating func index(of list: some Collection) -> Int { Int.random(in: 0..<list.count, using: &random) }
}
