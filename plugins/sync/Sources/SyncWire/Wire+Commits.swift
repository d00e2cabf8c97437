import SyncCore
import SyncEngine

extension Wire {
  /// Encodes a commit request. `heard` is the furthest cursor that the device has received.
  package static func body(of operations: [RecordOperation], heard: Cursor? = nil) -> [UInt8] {
    var packer = Packer()
    packer.byte(heard == nil ? 0 : 1)
    if let heard { pack(heard, &packer) }
    packer.count(operations.count)
    for operation in operations {
      pack(operation.key, &packer)
      packer.unsigned(UInt64(operation.expectedVersion))
      packer.unsigned(operation.group.map { UInt64($0) + 1 } ?? 0)
      switch operation.change {
      case .write(let write):
        packer.byte(0)
        packer.data(write.packed())
      case .join(let cell):
        packer.byte(1)
        packer.data(cell.packed())
      case .retire(let device):
        packer.byte(2)
        packer.text(device.name)
      }
    }
    return packer.bytes
  }

  /// Decodes a commit request: its operations and the furthest cursor that the device has received, or nil. Its
  /// checksum is in a header, which the caller must have checked before.
  package static func commit(
    _ body: [UInt8]
  ) throws(WireProblem) -> (operations: [RecordOperation], heard: Cursor?) {
    var reader = Unpacker(body)
    let heard = try part("heard", &reader) { reader throws(PackingError) in
      try reader.number("the number of cursors", in: 0...1) == 1 ? cursor(&reader) : nil
    }
    let operations = try list("operations", &reader, operation)
    try end(reader)
    return (operations, heard)
  }

  private static func operation(_ reader: inout Unpacker) throws(PackingError) -> RecordOperation {
    let key = try key(&reader)
    let expected = try reader.number("the expected version")
    let group = try reader.number("the transaction")
    let offset = reader.offset
    let change: RecordOperation.Change
    switch try reader.byte("the kind of change") {
    case 0: change = .write(try Write(packed: try reader.data("the write", limit: longest)))
    case 1: change = .join(try Cell(packed: try reader.data("the cell", limit: longest)))
    case 2: change = .retire(try device(&reader))
    case let kind:
      throw .malformed(
        at: offset, reading: "the kind of change", "is \(kind) and must be 0 (write), 1 (join) or 2 (retire)")
    }
    return RecordOperation(key: key, expectedVersion: expected, change: change, group: group == 0 ? nil : group - 1)
  }

  /// Encodes the response to a commit.
  package static func body(of reply: CommitReply) -> [UInt8] {
    var packer = Packer()
    pack(reply.cursor, &packer)
    packer.unsigned(UInt64(clamping: reply.serverMilliseconds))
    packer.count(reply.results.count)
    for result in reply.results { pack(result, &packer) }
    packer.seal()
    return packer.bytes
  }

  private static func pack(_ result: CommitResult, _ packer: inout Packer) {
    switch result {
    case .committed(let version, let sequence, let stamp):
      packer.byte(stamp == nil ? 0 : 1)
      packer.unsigned(UInt64(version))
      packer.unsigned(UInt64(sequence))
      guard let stamp else { return }
      packer.unsigned(UInt64(stamp.milliseconds))
      packer.unsigned(UInt64(stamp.counter))
      packer.text(stamp.device.name)
    case .unchanged: packer.byte(2)
    case .conflict(nil): packer.byte(3)
    case .conflict(let record?):
      packer.byte(4)
      pack(record, &packer)
    case .refused(.invalid(let message)):
      packer.byte(5)
      packer.text(message)
    case .refused(.tooManyDevices): packer.byte(6)
    case .refused(.nameTaken): packer.byte(7)
    case .refused(.mayBeCounted): packer.byte(8)
    case .refused(.tooLarge(let bytes)):
      packer.byte(9)
      packer.count(bytes)
    }
  }

  /// Decodes the response to a commit.
  package static func commitReply(_ body: [UInt8]) throws(WireProblem) -> CommitReply {
    var reader = try unsealed(body)
    let (reached, milliseconds) = try part("", &reader) { reader throws(PackingError) in
      (try cursor(&reader), try reader.number("the server's time"))
    }
    let results = try list("results", &reader, result)
    try end(reader)
    return CommitReply(results: results, cursor: reached, serverMilliseconds: milliseconds)
  }

  private static func result(_ reader: inout Unpacker) throws(PackingError) -> CommitResult {
    let offset = reader.offset
    switch try reader.byte("the result") {
    case let kind where kind < 2:
      return .committed(
        version: try reader.number("the version"), sequence: try reader.number("the sequence"),
        stamp: kind == 0 ? nil : try stamp(&reader))
    case 2: return .unchanged
    case 3: return .conflict(nil)
    case 4: return .conflict(try record(&reader))
    case 5: return .refused(.invalid(try reader.text("the reason", limit: longest)))
    case 6: return .refused(.tooManyDevices)
    case 7: return .refused(.nameTaken)
    case 8: return .refused(.mayBeCounted)
    case 9: return .refused(.tooLarge(bytes: try reader.count("the size", limit: .max)))
    case let kind: throw .malformed(at: offset, reading: "the result", "is \(kind), allowed are 0 to 9")
    }
  }

  private static func stamp(_ reader: inout Unpacker) throws(PackingError) -> Stamp {
    Stamp(
      milliseconds: try reader.number("the time of a stamp"),
      counter: UInt32(try reader.number("the counter of a stamp", in: 0...Int64(UInt32.max))),
      device: try device(&reader))
  }
}
