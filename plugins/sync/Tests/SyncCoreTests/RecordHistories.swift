import FlowBytes
import SyncCore

/// Random records as they arise on replicas, with every merge rule. Each action is stored with the actions that its
/// author had seen. From these alone, an oracle that does not use the merge code computes the expected content.
struct RecordHistories {
  static let devices = (1...4).map { DeviceID(stem: "d", random: UInt32($0)) }

  /// A user's action and the actions that its author had seen.
  struct Act {
    var write: Write
    var edit: RecordEdit
    var seen: Set<Int>
  }

  var random: SplitMix64
  var replicas = Self.devices.map { _ in Cell() }
  var acts: [Act] = []
  /// The indices of the actions that each replica contains.
  var held = Self.devices.map { _ in Set<Int>() }
  private var numbers = Self.devices.map { _ in Int64(0) }
  private var time: Int64 = 1_704_628_800_000

  /// True if the actions include moves of list elements.
  private let moves: Bool

  init(seed: UInt64, moves: Bool = false) {
    random = SplitMix64(seed: seed)
    self.moves = moves
  }

  static func text(_ text: String) -> [UInt8] { Scalar.text(text).bytes }

  /// Performs random actions and merges.
  mutating func play(_ steps: Int) {
    for _ in 0..<steps {
      let who = Int.random(in: 0..<replicas.count, using: &random)
      if Int.random(in: 0..<3, using: &random) == 0 {
        exchange(who, Int.random(in: 0..<replicas.count, using: &random))
      } else {
        act(who)
      }
    }
  }

  /// Merges the replica `other` into the replica `who`.
  mutating func exchange(_ who: Int, _ other: Int) {
    replicas[who] = Cell.join(replicas[who], replicas[other], windowMilliseconds: 5000)
    held[who].formUnion(held[other])
  }

  mutating func act(_ who: Int) {
    time += Int64.random(in: 0...3, using: &random)
    numbers[who] += 1
    let edit = nextEdit(over: replicas[who])
    var write = Write(
      dot: Dot(device: Self.devices[who], number: numbers[who]), milliseconds: time, seen: replicas[who].latestStamp,
      context: replicas[who].context)
    if let seen = write.seen { write.stamp = write.stamp.raised(above: seen) }
    edit.complete(&write, over: replicas[who], by: ZoneRules(collection: "notes", texts: [:]))
    write.fields.sort { $0.name < $1.name }
    acts.append(Act(write: write, edit: edit, seen: held[who]))
    held[who].insert(acts.count - 1)
    replicas[who].apply(write, windowMilliseconds: 5000)
  }

  private mutating func nextEdit(over view: Cell) -> RecordEdit {
    if Int.random(in: 0..<8, using: &random) == 0 { return RecordEdit(isDeletion: true) }
    var edit = RecordEdit(seed: random.next())
    let number = Int64.random(in: -5...20, using: &random)
    let word = Self.text(["a", "b", "c", "d"].randomElement(using: &random) ?? "a")
    let other = Self.text(["a", "b", "c", "d"].randomElement(using: &random) ?? "a")
    let items = ListItem.inOrder(view.content.part("lines")?.state.items ?? []).filter { $0.value != nil }
    let fields: [(String, RecordEdit.Field)] = [
      ("title", .set(word)), ("best", .largest(Scalar.integer(number).bytes)),
      ("least", .smallest(Scalar.number(Double(number) / 4).bytes)), ("likes", .add(number)),
      ("tags", .elements(add: [word], remove: word == other ? [] : [other])),
      ("tags", .exactly([word, other])),
      (
        "lines",
        .items(
          insert: [
            .init(after: items.randomElement(using: &random)?.id, value: word),
            .init(after: nil, isAtEnd: true, value: other),
          ], remove: Bool.random(using: &random) ? [] : items.prefix(1).map(\.id))
      ),
      (
        "lines",
        moves
          ? .inOrder((items.compactMap(\.value) + [word]).shuffled(using: &random))
          : .inOrder(
            items.compactMap(\.value).filter { _ in Bool.random(using: &random) } + [Self.text("new \(edit.seed)")])
      ),
    ]
    if moves, let element = items.randomElement(using: &random)?.id, Int.random(in: 0..<3, using: &random) == 0 {
      let after = items.randomElement(using: &random)?.id
      edit.fields["lines"] = .items(
        insert: [], remove: [],
        move: [.init(element, after: after == element ? nil : after, isAtEnd: Bool.random(using: &random))])
      return edit
    }
    for (name, field) in fields where Int.random(in: 0..<4, using: &random) == 0 { edit.fields[name] = field }
    return edit
  }
}

/// The expected content of a record for a set of actions, according to the definition of each rule.
struct RecordOracle {
  let acts: [RecordHistories.Act]

  /// Selects the actions with these indices that belong to the latest incarnation of the record.
  init(_ histories: RecordHistories, _ held: Set<Int>) {
    let incarnation = held.map { histories.acts[$0].write.record?.incarnation ?? 0 }.max() ?? 0
    all = histories.acts
    numbers = held.filter { histories.acts[$0].write.record?.incarnation == incarnation }
    acts = numbers.sorted().map { histories.acts[$0] }
  }

  private let all: [RecordHistories.Act]
  private let numbers: Set<Int>

  /// True if the record exists: at least one change was not seen by the author of any deletion.
  var isLiving: Bool {
    numbers.contains { number in
      all[number].write.record?.isDeletion == false
        && !numbers.contains { all[$0].write.record?.isDeletion == true && all[$0].seen.contains(number) }
    }
  }

  var wasDeleted: Bool { acts.contains { $0.write.record?.isDeletion == true } }

  var title: [UInt8]? {
    let writes = acts.compactMap { act in
      act.write.fields.first { $0.name == "title" }.map { (act.write.stamp, $0.value) }
    }
    return writes.max { $0.0 < $1.0 }?.1
  }

  private var changes: [(number: Int, change: RecordWrite.Change)] {
    numbers.sorted().flatMap { number in (all[number].write.record?.changes ?? []).map { (number, $0) } }
  }

  var best: [UInt8]? {
    changes.compactMap { if case .largest(let value) = $0.change.kind { value } else { nil } }
      .max { $0.lexicographicallyPrecedes($1) }
  }

  var least: [UInt8]? {
    changes.compactMap { if case .smallest(let value) = $0.change.kind { value } else { nil } }
      .min { $0.lexicographicallyPrecedes($1) }
  }

  var likes: Int64 { changes.reduce(0) { if case .add(let more) = $1.change.kind { $0 + more } else { $0 } } }

  /// The values that were added and not removed by an author who had seen the addition.
  var tags: Set<[UInt8]> {
    var result: Set<[UInt8]> = []
    for (number, change) in changes {
      guard case .elements(let add, _) = change.kind else { continue }
      for value in add where !isTakenAway(value, addedBy: number) { result.insert(value) }
    }
    return result
  }

  private func isTakenAway(_ value: [UInt8], addedBy number: Int) -> Bool {
    changes.contains { other, change in
      guard case .elements(_, let remove) = change.kind, all[other].seen.contains(number) else { return false }
      return remove.contains { $0.value == value }
    }
  }

  /// The identifiers of the elements that were inserted and not removed.
  var lines: Set<ItemID> {
    var (inserted, removed): (Set<ItemID>, Set<ItemID>) = ([], [])
    for (_, change) in changes {
      guard case .items(let all, let remove) = change.kind else { continue }
      let insert = all.filter { $0.moves == nil }
      inserted.formUnion(insert.map(\.id))
      removed.formUnion(remove)
    }
    return inserted.subtracting(removed)
  }
}
