extension Write {
  /// The version of the packed format.
  package static let packingFormat: UInt8 = 6

  /// The write as compact bytes.
  package func packed() -> [UInt8] {
    var packer = Packer()
    pack(into: &packer)
    return packer.bytes
  }

  /// The number of bytes of `packed()`, computed without packing.
  package var packedBytes: Int { Packer.size(pack(into:)) }

  private func pack(into packer: inout Packer) {
    packer.byte(Self.packingFormat)
    packer.text(dot.device.name)
    packer.unsigned(UInt64(dot.number))
    packer.unsigned(UInt64(milliseconds))
    packer.unsigned(UInt64(counter))
    packer.byte((seen == nil ? 0 : 1) | (payload == nil ? 0 : 2) | (record == nil ? 0 : 4))
    if let seen {
      packer.text(seen.device.name)
      packer.signed(milliseconds - seen.milliseconds)
      packer.unsigned(UInt64(seen.counter))
    }
    packer.count(context.count)
    for seen in context.dots {
      packer.text(seen.device.name)
      packer.unsigned(UInt64(seen.number))
    }
    if let payload { packer.data(payload) }
    packer.count(fields.count)
    for field in fields {
      packer.text(field.name)
      packer.data(field.value)
    }
    record?.pack(into: &packer)
    packer.unsigned(incarnation)
    packer.unsigned(UInt64(seal))
    packer.seal()
  }

  /// Reads a packed write. Throws a `PackingError` with the offset and the part if the bytes are damaged. Limits are
  /// not checked here; see `RecordLimits`.
  package init(packed bytes: [UInt8]) throws(PackingError) {
    var reader = try Unpacker(bytes, sealedAs: Self.packingFormat)
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
    for _ in 0..<(try reader.count("the number of fields", limit: Unpacker.largestCount)) {
      let offset = reader.offset
      let change = FieldChange(
        name: try reader.text("a field's name", limit: Unpacker.largestData),
        value: try reader.data("a field's value", limit: Unpacker.largestData))
      if let last = fields.last, last.name >= change.name {
        throw .malformed(at: offset, reading: "a field", "is not in order of its name")
      }
      fields.append(change)
    }
    if parts & 4 != 0 { record = try RecordWrite(from: &reader) }
    incarnation = try reader.unsigned("the incarnation of the author")
    seal = UInt32(try reader.number("the checksum of the act", in: 0...Int64(UInt32.max)))
    guard reader.isAtEnd else { throw .malformed(at: reader.offset, reading: "the write", "goes on after its end") }
  }
}

extension Unpacker {
  mutating func device(_ what: StaticString) throws(PackingError) -> DeviceID {
    let start = offset
    guard let device = DeviceID(try text(what, limit: DeviceID.maximumLength)) else {
      throw .malformed(at: start, reading: "\(what)", "is not made of letters, digits, '.', '_' and '-'")
    }
    return device
  }

  /// Reads the stamp that the author of a write had seen, stored as the distance to the write's time.
  mutating func stamp(before milliseconds: Int64) throws(PackingError) -> Stamp {
    let device = try device("the author of the stamp seen")
    let time = try time("the time seen", before: milliseconds)
    let counter = UInt32(try number("the counter seen", in: 0...Int64(UInt32.max)))
    return Stamp(milliseconds: time, counter: counter, device: device)
  }

  /// Reads a time stored as the distance to `milliseconds`.
  mutating func time(_ what: StaticString, before milliseconds: Int64) throws(PackingError) -> Int64 {
    let start = offset
    let (time, overflow) = milliseconds.subtractingReportingOverflow(try signed(what))
    guard !overflow, (0...Stamp.latestMilliseconds).contains(time) else {
      throw .malformed(at: start, reading: "\(what)", "is outside the range of times")
    }
    return time
  }
}
