import FlowBytes
import SyncCore
import SyncPomodoro
import TestSupport
import Testing

/// The packed format of records and writes (V12, F26).
struct PackingTests {
  @Test func `V12: unpacking a packed cell or write returns an equal one`() throws {
    for seed in TestExtent.seeds(250, of: 1000, release: 1000) {
      var histories = Histories(seed: seed)
      let (a, b, _) = histories.threeCells()
      let cell = Cell.join(a, b, windowMilliseconds: 5000)
      #expect(try Cell(packed: cell.packed()) == cell, "seed \(seed)")
      histories.replicas[0] = cell
      let write = histories.nextWrite(of: 0)
      #expect(try Write(packed: write.packed()) == write, "seed \(seed)")
    }
  }

  @Test func `V12: parts of a cell from a newer version are kept when the cell is read, merged and written`() throws {
    var newer = Cell()
    newer.apply(
      Write(dot: Dot(device: Histories.devices[0], number: 1), milliseconds: 5, payload: [0]), windowMilliseconds: 5000)
    let plain = newer
    newer.extensions = [.init(tag: 9, bytes: [1, 2, 3]), .init(tag: 12, bytes: [])]
    let read = try Cell(packed: newer.packed())
    #expect(read == newer)
    #expect(Cell.join(plain, read, windowMilliseconds: 5000).extensions == newer.extensions)
    var written = read
    written.apply(
      Write(dot: Dot(device: Histories.devices[1], number: 1), milliseconds: 6, payload: [0]), windowMilliseconds: 5000)
    #expect(try Cell(packed: written.packed()).extensions == newer.extensions)
  }

  @Test func `a cell in the format of a newer version is refused, and the message asks the user to update`() {
    #expect(throws: PackingError.unsupportedFormat(found: 13, known: 12)) { try Cell(packed: [13, 0, 0]) }
    #expect("\(PackingError.unsupportedFormat(found: 13, known: 12))".contains("update flowrun on this device"))
  }

  @Test func `F26: a record with the states of three devices takes fewer than 437 bytes`() {
    var cell = Cell()
    for index in 0..<3 {
      let device = DeviceID(stem: "MacBook-Pro-2024", random: UInt32.max - UInt32(index))
      cell.apply(
        Write(
          timer: Dot(device: device, number: 100_000), milliseconds: 1_704_628_800_000 + Int64(index),
          state: TimerState(kind: .focus, remainingMilliseconds: 1_500_000), completed: 12, epoch: 400),
        windowMilliseconds: 5000)
    }
    #expect(cell.entries.count == 3)
    #expect(cell.packed().count < 437, "\(cell.packed().count)")
  }

  @Test func `randomly damaged bytes are refused or read as a valid record, and never cause a crash`() throws {
    var random = SplitMix64(seed: 7)
    var histories = Histories(seed: 7)
    let (cell, _, _) = histories.threeCells()
    let write = histories.nextWrite(of: 0)
    var refused = 0
    for _ in 0..<20_000 {
      for original in [cell.packed(), write.packed()] {
        var bytes = original
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          switch Int.random(in: 0..<3, using: &random) {
          case 0 where !bytes.isEmpty: bytes.remove(at: Int.random(in: 0..<bytes.count, using: &random))
          case 1:
            bytes.insert(.random(in: 0...255, using: &random), at: Int.random(in: 0...bytes.count, using: &random))
          default:
            if !bytes.isEmpty {
              bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
            }
          }
        }
        do {
          let read = try Cell(packed: bytes)
          #expect(try Cell(packed: read.packed()) == read)
        } catch { refused += 1 }
        if let read = try? Write(packed: bytes) { #expect(try Write(packed: read.packed()) == read) }
      }
    }
    #expect(refused > 10_000)
  }

  @Test func `a single flipped bit in a packed cell or write is always detected`() throws {
    for seed in TestExtent.seeds(5, of: 20, release: 20) {
      var histories = Histories(seed: seed)
      let (plain, _, _) = histories.threeCells()
      var write = histories.nextWrite(of: 0)
      write.incarnation = seed
      write = write.sealed()
      var record = Cell()
      record.apply(
        Write(
          dot: write.dot, milliseconds: 5,
          record: RecordWrite(changes: [.init(name: "likes", kind: .add(Int64(seed)))])), windowMilliseconds: 5000)
      for (bytes, isCell) in [(plain.packed(), true), (record.packed(), true), (write.packed(), false)] {
        for bit in 0..<bytes.count * 8 {
          var changed = bytes
          changed[bit / 8] ^= 1 << UInt8(bit % 8)
          #expect(throws: PackingError.self, "seed \(seed), bit \(bit)") {
            if isCell { _ = try Cell(packed: changed) } else { _ = try Write(packed: changed) }
          }
        }
      }
    }
  }

  @Test func `a truncated record is always refused`() {
    var histories = Histories(seed: 3)
    let (cell, _, _) = histories.threeCells()
    let bytes = cell.packed()
    for length in 0..<bytes.count {
      #expect(throws: PackingError.self, "length \(length)") { try Cell(packed: Array(bytes.prefix(length))) }
    }
  }
}
