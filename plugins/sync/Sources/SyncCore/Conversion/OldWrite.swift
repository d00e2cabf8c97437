import FlowBytes

/// A write as an earlier version kept it, on its way to a zone: in a format of before 6, with the acts that it was put
/// together from, which are writes of their own now.
public enum OldWrite {
  /// Whether bytes are not as this version keeps a write.
  public static func isOld(_ bytes: [UInt8]) -> Bool { bytes.first != Write.packingFormat }

  /// The writes, in the order of their acts, and the record that they are for; none where nothing is left of it. Throws a
  /// `PackingError` when the bytes are damaged.
  public static func converted(
    _ key: RecordKey, packed bytes: [UInt8]
  ) throws(PackingError) -> (key: RecordKey, writes: [Write]) {
    var (write, parts) = try read(bytes)
    guard let type = OldType(rawValue: key.type) else {
      if key.type == ZoneRules.type {
        write.fields.removeAll { $0.name == OldType.rule }
        if write.fields.isEmpty { return (key, []) }
      }
      return (key, [write])
    }
    write.record = RecordWrite(changes: parts.count.map { [.init(name: OldType.count, kind: .largest($0))] } ?? [])
    write.payload = write.payload.map(OldType.state)
    if write.payload == nil { write.context = VersionVector() }
    var earlier: [Write] = []
    for stamp in Set(parts.stamps.values).sorted().reversed() where stamp != write.stamp {
      // The acts before the last one bear the numbers that were put together with it.
      guard let number = parts.replaced.popLast() else { break }
      var act = write
      (act.dot.number, act.stamp, act.seen, act.seal) = (number, stamp, parts.seen[stamp], 0)
      (act.payload, act.record) = (nil, RecordWrite())
      act.fields = write.fields.filter { parts.stamps[$0.name] == stamp }
      write.fields.removeAll { parts.stamps[$0.name] == stamp }
      earlier.append(act)
    }
    let writes = (earlier.reversed() + [write]).map { write in
      var write = write
      write.fields = write.fields.map { change in
        .init(name: type.name(of: change.name), value: type.value(change.name, change.value))
      }.sorted { $0.name < $1.name }
      return write.seal == 0 ? write.sealed() : write
    }
    return (RecordKey(type: type.collection, name: key.name), writes)
  }

  /// What a write holds no more.
  private struct Parts {
    /// The count, as a value with its epoch.
    var count: [UInt8]?
    /// When fields were set by earlier acts.
    var stamps: [String: Stamp] = [:]
    /// What the authors of those acts had seen.
    var seen: [Stamp: Stamp] = [:]
    /// The numbers of the acts that were put together with it, rising.
    var replaced: [Int64] = []
  }

  private static func read(_ bytes: [UInt8]) throws(PackingError) -> (Write, Parts) {
    let format = bytes.first ?? 0
    guard (1...5).contains(format) else {
      if format > Write.packingFormat { throw .unsupportedFormat(found: format, known: Write.packingFormat) }
      throw .malformed(at: 0, reading: "the format", "is \(format)")
    }
    var reader = Unpacker(format < 5 ? bytes : try Unpacker.unsealed(bytes))
    _ = try reader.byte("the format")
    let device = try reader.device("the author's name")
    let number = try reader.number("the number of the write", in: 1...Stamp.latestMilliseconds)
    let milliseconds = try reader.number("the time of the write")
    let counter = UInt32(try reader.number("the counter of the write", in: 0...Int64(UInt32.max)))
    var write = Write(dot: Dot(device: device, number: number), milliseconds: milliseconds, counter: counter)
    var parts = Parts()
    let flags = try reader.byte("the parts of the write")
    if flags & 1 != 0 { write.seen = try reader.stamp(before: milliseconds) }
    for _ in 0..<(try reader.count("the number of devices seen", limit: Unpacker.largestCount)) {
      let seen = try reader.device("the name of a device seen")
      write.context.observe(Dot(device: seen, number: try reader.number("the number of a device seen")))
    }
    if flags & 2 != 0 { write.payload = try reader.data("the payload", limit: Unpacker.largestData) }
    let (epoch, count) = (try reader.number("the epoch"), try reader.number("the count"))
    parts.count = OldType.count(count, epoch: epoch)
    for _ in 0..<(try reader.count("the number of fields", limit: Unpacker.largestCount)) {
      let change = Write.FieldChange(
        name: try reader.text("a field's name", limit: Unpacker.largestData),
        value: try reader.data("a field's value", limit: Unpacker.largestData))
      write.fields.append(change)
      let act = format > 1 ? try reader.byte("the act of a field") : 0
      guard act != 0 else { continue }
      let time = try reader.time("the time of a field", before: milliseconds)
      let counter = UInt32(try reader.number("the counter of a field", in: 0...Int64(UInt32.max)))
      let stamp = Stamp(milliseconds: time, counter: counter, device: device)
      parts.stamps[change.name] = stamp
      if act == 3 { parts.seen[stamp] = try reader.stamp(before: milliseconds) }
    }
    if format > 3 ? flags & 4 != 0 : format == 3 { write.record = try RecordWrite(from: &reader) }
    if format > 3 { write.incarnation = try reader.unsigned("the incarnation of the author") }
    if format == 5 {
      write.seal = UInt32(try reader.number("the checksum of the act", in: 0...Int64(UInt32.max)))
      for _ in 0..<(try reader.count("the number of acts put together", limit: Unpacker.largestCount)) {
        let distance = try reader.signed("an act put together")
        let (replaced, overflow) = number.subtractingReportingOverflow(distance)
        if !overflow, replaced > 0 { parts.replaced.append(replaced) }
      }
      parts.replaced.sort()
    }
    guard reader.isAtEnd else { throw .malformed(at: reader.offset, reading: "the write", "goes on after its end") }
    if write.seal == 0 { write.seal = check(of: write, count: count, epoch: epoch, parts) }
    return (write, parts)
  }

  /// The checksum that earlier versions worked out of what the user did; the zone knows the act by it.
  private static func check(of write: Write, count: Int64, epoch: Int64, _ parts: Parts) -> UInt32 {
    var hash = FNV1a64()
    for number in [write.dot.number, write.milliseconds] { hash.add(UInt64(bitPattern: number)) }
    hash.add(UInt64(write.counter))
    hash.add(write.payload.map { UInt64($0.count) + 1 } ?? 0)
    hash.add(write.payload ?? [])
    for number in [epoch, count] { hash.add(UInt64(bitPattern: number)) }
    for change in write.fields {
      let stamp = parts.stamps[change.name] ?? write.stamp
      hash.add(UInt64(change.name.utf8.count))
      hash.add(change.name.utf8)
      hash.add(UInt64(change.value.count))
      hash.add(change.value)
      hash.add(UInt64(bitPattern: stamp.milliseconds))
      hash.add(UInt64(stamp.counter))
    }
    if write.incarnation != 0 { hash.add(write.incarnation) }
    if let record = write.record {
      var packer = Packer()
      record.pack(into: &packer)
      hash.add(packer.bytes)
    }
    return max(1, UInt32(truncatingIfNeeded: hash.value ^ (hash.value >> 32)))
  }
}
