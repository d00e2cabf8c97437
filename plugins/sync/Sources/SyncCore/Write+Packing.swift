extension Write {
  /// The latest format that this version reads, which names the incarnation and the act's checksum; it reads all before it
  /// too.
  public static let packingFormat: UInt8 = 5
  /// The format that names an incarnation of 32 bits.
  private static let shortFormat: UInt8 = 4

  /// The write as compact bytes.
  public func packed() -> [UInt8] {
    var packer = Packer()
    packer.byte(isNamed ? Self.packingFormat : record == nil ? Cell.plainFormat : Cell.recordFormat)
    packer.text(dot.device.name)
    packer.unsigned(UInt64(dot.number))
    packer.unsigned(UInt64(milliseconds))
    packer.unsigned(UInt64(counter))
    let isOfRecord: UInt8 = isNamed && record != nil ? 4 : 0
    packer.byte((seen == nil ? 0 : 1) | (payload == nil ? 0 : 2) | isOfRecord)
    if let seen { pack(seen, &packer) }
    packer.count(context.count)
    for seen in context.dots {
      packer.text(seen.device.name)
      packer.unsigned(UInt64(seen.number))
    }
    if let payload { packer.data(payload) }
    packer.unsigned(UInt64(tally.epoch))
    packer.unsigned(UInt64(tally.count))
    packer.count(fields.count)
    for field in fields {
      packer.text(field.name)
      packer.data(field.value)
      packer.byte(field.act.map { $0.seen == nil ? 1 : 3 } ?? 0)
      guard let act = field.act else { continue }
      packer.signed(milliseconds - act.milliseconds)
      packer.unsigned(UInt64(act.counter))
      if let seen = act.seen { pack(seen, &packer) }
    }
    record?.pack(into: &packer)
    guard isNamed else { return packer.bytes }
    packer.unsigned(incarnation)
    packer.unsigned(UInt64(seal))
    packer.count(replaced.count)
    for number in replaced { packer.signed(dot.number - number) }
    packer.seal()
    return packer.bytes
  }

  private var isNamed: Bool { incarnation != 0 || seal != 0 || !replaced.isEmpty }

  private func pack(_ stamp: Stamp, _ packer: inout Packer) {
    packer.text(stamp.device.name)
    packer.signed(milliseconds - stamp.milliseconds)
    packer.unsigned(UInt64(stamp.counter))
  }

  /// Reads packed bytes of this format or an earlier one; throws a `PackingError` that names the offset and the part when
  /// they are damaged. Whether the write keeps to the limits is not looked at: see `RecordLimits`.
  public init(packed bytes: [UInt8]) throws(PackingError) {
    if let first = bytes.first, first > Self.packingFormat {
      throw .unsupportedFormat(found: first, known: Self.packingFormat)
    }
    var reader = try Unpacker(bytes, sealedFrom: Self.packingFormat)
    let format = try reader.format(upTo: Self.packingFormat)
    let device = try reader.device("the author's name")
    let number = try reader.number("the number of the write", in: 1...Stamp.latestMilliseconds)
    let milliseconds = try reader.number("the time of the write")
    let counter = UInt32(try reader.number("the counter of the write", in: 0...Int64(UInt32.max)))
    self.init(dot: Dot(device: device, number: number), milliseconds: milliseconds, counter: counter)
    let parts = try reader.byte("the parts of the write")
    if parts & 1 != 0 { seen = try reader.stamp(before: milliseconds) }
    for _ in 0..<(try reader.count("the number of devices seen", limit: Unpacker.largestCount)) {
      let seen = try reader.device("the name of a device seen")
      context.observe(Dot(device: seen, number: try reader.number("the number of a device seen")))
    }
    if parts & 2 != 0 { payload = try reader.data("the payload", limit: Unpacker.largestData) }
    tally = Tally(epoch: try reader.number("the epoch"), count: try reader.number("the count"))
    for _ in 0..<(try reader.count("the number of fields", limit: Unpacker.largestCount)) {
      let offset = reader.offset
      let change = try reader.change(before: milliseconds, format: format)
      if let last = fields.last, last.name >= change.name {
        throw .malformed(at: offset, reading: "a field", "is not in order of its name")
      }
      fields.append(change)
    }
    let isOfRecord = format >= Self.shortFormat ? parts & 4 != 0 : format > Cell.plainFormat
    if isOfRecord { record = try RecordWrite(from: &reader) }
    if format >= Self.shortFormat { incarnation = try reader.unsigned("the incarnation of the author") }
    if format == Self.packingFormat {
      seal = UInt32(try reader.number("the checksum of the act", in: 0...Int64(UInt32.max)))
      for _ in 0..<(try reader.count("the number of acts put together", limit: Unpacker.largestCount)) {
        let offset = reader.offset
        let (number, overflow) = dot.number.subtractingReportingOverflow(try reader.signed("an act put together"))
        guard !overflow, number > 0 else {
          throw .malformed(at: offset, reading: "an act put together", "has no number")
        }
        replaced.append(number)
      }
    }
    guard reader.isAtEnd else { throw .malformed(at: reader.offset, reading: "the write", "goes on after its end") }
  }
}

extension Unpacker {
  /// Reads the format byte; throws when it is of the future.
  mutating func format(upTo latest: UInt8 = Cell.packingFormat) throws(PackingError) -> UInt8 {
    let start = offset
    let format = try byte("the format")
    if format == 0 { throw .malformed(at: start, reading: "the format", "is 0") }
    guard format <= latest else { throw .unsupportedFormat(found: format, known: latest) }
    return format
  }

  fileprivate mutating func device(_ what: StaticString) throws(PackingError) -> DeviceID {
    let start = offset
    guard let device = DeviceID(try text(what, limit: DeviceID.maximumLength)) else {
      throw .malformed(at: start, reading: "\(what)", "is not made of letters, digits, '.', '_' and '-'")
    }
    return device
  }

  fileprivate mutating func change(
    before milliseconds: Int64, format: UInt8
  ) throws(PackingError) -> Write.FieldChange {
    var change = Write.FieldChange(
      name: try text("a field's name", limit: Self.largestData),
      value: try data("a field's value", limit: Self.largestData))
    guard format > 1 else { return change }
    let start = offset
    let parts = try byte("the act of a field")
    guard parts != 0 else { return change }
    guard parts == 1 || parts == 3 else { throw .malformed(at: start, reading: "the act of a field", "is \(parts)") }
    let time = try time("the time of a field", before: milliseconds)
    let counter = UInt32(try number("the counter of a field", in: 0...Int64(UInt32.max)))
    change.act = Write.Act(
      milliseconds: time, counter: counter, seen: parts == 3 ? try stamp(before: milliseconds) : nil)
    return change
  }

  fileprivate mutating func stamp(before milliseconds: Int64) throws(PackingError) -> Stamp {
    let device = try device("the author of the stamp seen")
    let time = try time("the time seen", before: milliseconds)
    let counter = UInt32(try number("the counter seen", in: 0...Int64(UInt32.max)))
    return Stamp(milliseconds: time, counter: counter, device: device)
  }

  private mutating func time(_ what: StaticString, before milliseconds: Int64) throws(PackingError) -> Int64 {
    let start = offset
    let (time, overflow) = milliseconds.subtractingReportingOverflow(try signed(what))
    guard !overflow, (0...Stamp.latestMilliseconds).contains(time) else {
      throw .malformed(at: start, reading: "\(what)", "is outside the range of times")
    }
    return time
  }
}
