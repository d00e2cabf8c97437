import SyncCore
import TestSupport
import Testing

/// The laws of merging records, and each merge rule compared with its definition.
struct RecordLawsTests {
  private func join(_ left: Cell, _ right: Cell) -> Cell { Cell.join(left, right, windowMilliseconds: 5000) }

  @Test func `merging records is commutative, associative and idempotent under every merge rule`() {
    for seed in TestExtent.seeds(500, of: 2000, release: 2000) {
      var histories = RecordHistories(seed: seed)
      histories.play(Int.random(in: 2...24, using: &histories.random))
      let (a, b, c) = (histories.replicas[0], histories.replicas[1], histories.replicas[2])
      #expect(join(a, b) == join(b, a), "seed \(seed)")
      #expect(join(join(a, b), c) == join(a, join(b, c)), "seed \(seed)")
      #expect(join(a, a) == a, "seed \(seed)")
      #expect(join(join(a, b), b) == join(a, b), "seed \(seed)")
    }
  }

  @Test func `for each merge rule, every replica has the content that the oracle computes from its actions`() {
    for seed in TestExtent.seeds(375, of: 1500, release: 1500) {
      var histories = RecordHistories(seed: seed)
      histories.play(Int.random(in: 4...40, using: &histories.random))
      for who in 0..<3 { histories.exchange(3, who) }
      for (cell, held) in zip(histories.replicas, histories.held) {
        let oracle = RecordOracle(histories, held)
        func part(_ name: String) -> RecordPart.State? { cell.content.part(name)?.state }
        #expect(cell.content.isDeleted(by: .editWins) == !oracle.isLiving, "seed \(seed)")
        #expect((cell.content.deleted != nil) == oracle.wasDeleted, "seed \(seed)")
        #expect(cell.fields.first { $0.name == "title" }?.value == oracle.title, "seed \(seed)")
        #expect(part("best") == oracle.best.map { .largest($0) }, "seed \(seed)")
        #expect(part("least") == oracle.least.map { .smallest($0) }, "seed \(seed)")
        #expect(part("likes")?.total ?? 0 == oracle.likes, "seed \(seed)")
        #expect(Set(part("tags")?.elements?.map(\.value) ?? []) == oracle.tags, "seed \(seed)")
        let lines = ListItem.inOrder(part("lines")?.items ?? []).filter { $0.value != nil }.map(\.id)
        #expect(Set(lines) == oracle.lines && lines.count == oracle.lines.count, "seed \(seed)")
      }
    }
  }

  @Test func `list elements keep the order in which a device saw them, even if other elements are inserted`() {
    for seed in TestExtent.seeds(125, of: 500, release: 500) {
      var histories = RecordHistories(seed: seed)
      histories.play(20)
      let before = histories.replicas.map { order($0) }
      let incarnations = histories.replicas.map(\.content.incarnation)
      for who in 0..<3 { histories.exchange(3, who) }
      let all = order(histories.replicas[3])
      for (known, incarnation) in zip(before, incarnations)
      where incarnation == histories.replicas[3].content.incarnation {
        let kept = all.filter { known.contains($0) }
        #expect(kept == known.filter { all.contains($0) }, "seed \(seed)")
      }
    }
  }

  private func order(_ cell: Cell) -> [ItemID] {
    ListItem.inOrder(cell.content.part("lines")?.state.items ?? []).map(\.id)
  }

  @Test func `unpacking a packed record or write returns an equal one, and its computed size is exact`() throws {
    for seed in TestExtent.seeds(125, of: 500, release: 500) {
      var histories = RecordHistories(seed: seed)
      histories.play(20)
      for cell in histories.replicas {
        let back = try Cell(packed: cell.packed())
        #expect(back == cell && cell.packedBytes == cell.packed().count, "seed \(seed)")
      }
      for act in histories.acts {
        let back = try Write(packed: act.write.packed())
        #expect(back == act.write && act.write.packedBytes == act.write.packed().count, "seed \(seed)")
        #expect(back.check == act.write.check, "seed \(seed)")
      }
    }
  }

  @Test func `truncated or changed bytes of a record never cause a crash`() {
    for seed in 1...UInt64(60) {
      var histories = RecordHistories(seed: seed)
      histories.play(12)
      let bytes = histories.replicas[0].packed()
      for length in 0..<bytes.count { _ = try? Cell(packed: Array(bytes.prefix(length))) }
      for place in bytes.indices {
        var changed = bytes
        changed[place] ^= UInt8.random(in: 1...255, using: &histories.random)
        if let cell = try? Cell(packed: changed) { _ = ListItem.inOrder(cell.content.part("lines")?.state.items ?? []) }
      }
    }
  }

  @Test func `encoded values sort in the same order as the values`() {
    let integers: [Int64] = [.min, -300, -1, 0, 1, 2, 256, .max]
    for (left, right) in zip(integers, integers.dropFirst()) {
      #expect(Scalar.integer(left).bytes.lexicographicallyPrecedes(Scalar.integer(right).bytes))
    }
    let numbers: [Double] = [-.greatestFiniteMagnitude, -1.5, -0.1, 0, 1e-300, 0.1, 2, 1e300]
    for (left, right) in zip(numbers, numbers.dropFirst()) {
      #expect(Scalar.number(left).bytes.lexicographicallyPrecedes(Scalar.number(right).bytes))
    }
    #expect(Scalar.number(-0.0).bytes == Scalar.number(0).bytes)
    let values: [Scalar] = [.null, .boolean(true), .integer(-7), .number(2.5), .text("ä"), .json("[1]")]
    for value in values { #expect(Scalar(bytes: value.bytes) == value) }
  }

  @Test func `a record created again contains nothing from before its deletion, in any order of arrival`() {
    let (mac, phone) = (RecordHistories.devices[0], RecordHistories.devices[1])
    func write(_ device: DeviceID, _ number: Int64, _ edit: RecordEdit, over view: Cell) -> Write {
      var write = Write(dot: Dot(device: device, number: number), milliseconds: 1000 + number, context: view.context)
      edit.complete(&write, over: view, by: ZoneRules(collection: "notes", texts: [:]))
      return write
    }
    var cell = Cell()
    cell.apply(
      write(mac, 1, RecordEdit(fields: ["likes": .add(5), "title": .set([1])]), over: cell), windowMilliseconds: 0)
    let late = write(phone, 1, RecordEdit(fields: ["likes": .add(7)]), over: cell)
    cell.apply(write(mac, 2, RecordEdit(isDeletion: true), over: cell), windowMilliseconds: 0)
    #expect(cell.content.isDeleted(by: .editWins))
    var revived = cell
    revived.apply(late, windowMilliseconds: 0)
    #expect(!revived.content.isDeleted(by: .editWins))
    #expect(revived.content.isDeleted(by: .deleteWins))
    #expect(revived.content.part("likes")?.state.total == 12)
    cell.apply(write(mac, 3, RecordEdit(fields: ["likes": .add(1)]), over: cell), windowMilliseconds: 0)
    cell.apply(late, windowMilliseconds: 0)
    #expect(cell.content.part("likes")?.state.total == 1)
    #expect(cell.fields.isEmpty)
    #expect(join(cell, revived).content == cell.content)
  }
}
