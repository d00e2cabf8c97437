import SyncCore
import TestSupport
import Testing

/// Moves of elements within lists.
struct MovedElementsTests {
  private func join(_ left: Cell, _ right: Cell) -> Cell { Cell.join(left, right, windowMilliseconds: 5000) }

  private func order(_ cell: Cell) -> [ItemID] {
    ListItem.inOrder(items(cell)).map(\.id)
  }

  private func items(_ cell: Cell) -> [ListItem] { cell.content.part("lines")?.state.items ?? [] }

  @Test func `lists with moved elements obey the laws of merging and contain each element once`() throws {
    for seed in TestExtent.seeds(75, of: 300, release: 300) {
      var histories = RecordHistories(seed: seed, moves: true)
      histories.play(Int.random(in: 4...30, using: &histories.random))
      let (a, b, c) = (histories.replicas[0], histories.replicas[1], histories.replicas[2])
      #expect(join(a, b) == join(b, a), "seed \(seed)")
      #expect(join(join(a, b), c) == join(a, join(b, c)), "seed \(seed)")
      #expect(join(join(a, b), b) == join(a, b), "seed \(seed)")
      for who in 0..<3 { histories.exchange(3, who) }
      for (cell, held) in zip(histories.replicas, histories.held) {
        let oracle = RecordOracle(histories, held)
        let lines = ListItem.inOrder(cell.content.part("lines")?.state.items ?? []).filter { $0.value != nil }.map(\.id)
        #expect(Set(lines) == oracle.lines && lines.count == oracle.lines.count, "seed \(seed)")
        #expect(try Cell(packed: cell.packed()) == cell, "seed \(seed)")
      }
    }
  }

  private func edited(_ cell: Cell, _ device: Int, _ number: Int64, _ field: RecordEdit.Field) -> Cell {
    var (cell, edit) = (cell, RecordEdit(seed: UInt64(device) << 8 | UInt64(number)))
    edit.fields["lines"] = field
    var write = Write(
      dot: Dot(device: RecordHistories.devices[device], number: number), milliseconds: 1_704_628_800_000 + number,
      seen: cell.latestStamp, context: cell.context)
    edit.complete(&write, over: cell, by: ZoneRules(collection: "notes", texts: [:]))
    cell.apply(write, windowMilliseconds: 5000)
    return cell
  }

  private func lines(_ cell: Cell) -> [String] {
    ListItem.inOrder(cell.content.part("lines")?.state.items ?? []).compactMap { item in
      if case .text(let text)? = item.value.flatMap({ Scalar(bytes: $0) }) { text } else { nil }
    }
  }

  private func list(_ words: String...) -> Cell {
    let all = words.map { RecordEdit.Insertion(after: nil, isAtEnd: true, value: RecordHistories.text($0)) }
    return edited(Cell(), 0, 1, .items(insert: all, remove: []))
  }

  private func replaced(_ cell: Cell, _ device: Int, _ number: Int64, _ words: String...) -> Cell {
    edited(cell, device, number, .inOrder(words.map(RecordHistories.text)))
  }

  @Test func `an element moved by two devices appears once, at one of the two positions`() {
    let start = list("one", "two", "three")
    #expect(lines(start) == ["one", "two", "three"])
    let ids = order(start)
    // Both devices move the second element before they have seen each other's move.
    let mac = edited(start, 0, 2, .items(insert: [], remove: [], move: [.init(ids[1], after: nil)]))
    let phone = edited(start, 1, 1, .items(insert: [], remove: [], move: [.init(ids[1], after: nil, isAtEnd: true)]))
    #expect(lines(mac) == ["two", "one", "three"] && lines(phone) == ["one", "three", "two"])
    let both = join(mac, phone)
    #expect([lines(mac), lines(phone)].contains(lines(both)))
    #expect(order(both).count == 3 && Set(order(both)) == Set(ids))
    // A later move on any device takes effect, and an element inserted after a moved one follows it.
    let next = edited(both, 1, 2, .items(insert: [], remove: [], move: [.init(ids[1], after: ids[0])]))
    #expect(lines(next) == ["one", "two", "three"])
    let more = edited(
      next, 0, 3, .items(insert: [.init(after: ids[1], value: RecordHistories.text("new"))], remove: []))
    #expect(lines(more) == ["one", "two", "new", "three"])
    // A removed element stays removed, even if another device moves it.
    let removed = edited(next, 0, 3, .items(insert: [], remove: [ids[1]]))
    let moved = edited(next, 1, 3, .items(insert: [], remove: [], move: [.init(ids[1], after: nil)]))
    #expect(lines(join(removed, moved)) == ["one", "three"])
  }

  @Test func `elements that two devices insert at the same position are not interleaved`() {
    let start = list("one", "two")
    let ids = order(start)
    func run(_ words: String...) -> RecordEdit.Field {
      .items(insert: words.map { .init(after: ids[0], value: RecordHistories.text($0)) }, remove: [])
    }
    let both = join(edited(start, 0, 2, run("a1", "a2", "a3")), edited(start, 1, 1, run("b1", "b2")))
    let shown = lines(both)
    #expect(
      shown == ["one", "a1", "a2", "a3", "b1", "b2", "two"] || shown == ["one", "b1", "b2", "a1", "a2", "a3", "two"])
    let moved = edited(both, 2, 1, .items(insert: [], remove: [], move: [.init(ids[1], after: ids[0])]))
    #expect(lines(moved) == ["one", "two"] + shown.dropFirst().dropLast())
  }

  @Test func `several moves in one edit take effect in order`() {
    let start = list("one", "two", "three", "four")
    let ids = order(start)
    let moved = edited(
      start, 0, 2,
      .items(
        insert: [.init(after: nil, isAtEnd: true, value: RecordHistories.text("five"))], remove: [ids[1], ids[1]],
        move: [.init(ids[0], after: nil, isAtEnd: true), .init(ids[3], after: nil), .init(ids[2], after: ids[0])]))
    #expect(lines(moved) == ["four", "five", "one", "three"])
  }

  @Test func `moving a removed or unknown element has no effect and stores nothing`() {
    let start = list("one", "two")
    let ids = order(start)
    let removed = edited(start, 0, 2, .items(insert: [], remove: [ids[0]]))
    let unknown = ItemID(counter: 77, tag: 77)
    let moved = edited(
      removed, 1, 1,
      .items(insert: [], remove: [], move: [.init(ids[0], after: nil, isAtEnd: true), .init(unknown, after: nil)]))
    #expect(items(moved) == items(removed))
    // If the removal is not known yet, the move is stored, but the removal wins later.
    let late = edited(start, 1, 1, .items(insert: [], remove: [], move: [.init(ids[0], after: nil, isAtEnd: true)]))
    #expect(lines(join(late, removed)) == ["two"])
  }

  @Test func `a list that two devices reorder contains each element once`() {
    let start = list("one", "two", "three", "four")
    let mac = replaced(start, 0, 2, "four", "one", "two", "three")
    let phone = replaced(start, 1, 1, "two", "three", "four", "one", "new")
    #expect(lines(mac) == ["four", "one", "two", "three"])
    #expect(lines(phone) == ["two", "three", "four", "one", "new"])
    #expect(Set(order(mac)) == Set(order(start)))
    let both = join(mac, phone)
    #expect(lines(both).sorted() == ["four", "new", "one", "three", "two"])
    #expect(lines(replaced(both, 2, 1, "new", "one", "two")) == ["new", "one", "two"])
  }

  @Test func `setting a list replaces its content, even after random moves`() {
    for seed in TestExtent.seeds(25, of: 100, release: 100) {
      var histories = RecordHistories(seed: seed, moves: true)
      histories.play(12)
      let cell = histories.replicas[0]
      var words = lines(cell) + ["a", "a", "new"]
      words.shuffle(using: &histories.random)
      words.removeLast(Int.random(in: 0...2, using: &histories.random))
      #expect(lines(edited(cell, 0, 100, .inOrder(words.map(RecordHistories.text)))) == words, "seed \(seed)")
    }
  }

  @Test func `moves count toward the maximum number of list elements, and the error message mentions them`() {
    let items = (1...Int64(RecordLimits.elements)).map { number in
      ListItem(id: ItemID(counter: number, tag: 1), after: nil, value: number == 1 ? [1] : nil)
    }
    func cell(_ items: [ListItem]) -> Cell {
      var cell = Cell()
      var write = Write(dot: Dot(device: RecordHistories.devices[0], number: 1), milliseconds: 1)
      write.record = RecordWrite(changes: [.init(name: "lines", kind: .items(insert: items, remove: []))])
      cell.apply(write, windowMilliseconds: 0)
      return cell
    }
    let place = ListItem(id: ItemID(counter: 5000, tag: 1), after: nil, value: nil, moves: items[0].id)
    let full = cell(items)
    #expect(RecordLimits.refusal(of: full, from: Cell()) == nil)
    let refusal = RecordLimits.refusal(of: cell(items + [place]), from: full)
    #expect("\(String(describing: refusal))".contains("would have 4097 elements, with removed ones and moves"))
    var write = Write(dot: Dot(device: RecordHistories.devices[0], number: 1), milliseconds: 1)
    write.record = RecordWrite(changes: [.init(name: "lines", kind: .items(insert: items + [place], remove: []))])
    #expect(RecordLimits.problem(with: write) == "a write puts 4097 elements into 'lines', at most 4096 are allowed")
  }
}
