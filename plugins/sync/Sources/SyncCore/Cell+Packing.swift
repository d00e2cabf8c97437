extension Cell {
  /// The latest format that this version reads; it reads all before it too.
  public static let packingFormat: UInt8 = 12
  /// The format of what is not a record of a schema. Formats from here on end with a checksum, and a single changed bit
  /// makes none of them one without.
  private static let sealedFormat: UInt8 = 8
  /// The format of a record of a schema without a checksum.
  static let recordFormat: UInt8 = 3
  /// The format of what is not a record of a schema: an earlier version can read it.
  static let plainFormat: UInt8 = 2

  /// The cell as compact bytes; equal cells give equal bytes.
  ///
  /// Format byte · device names with what was seen of each · latest time · horizon · tally · entries · fields · the
  /// content of a record, in formats 3 and 12 · extensions · a checksum, from format 8 on.
  /// Devices are written once and named by index, times as distance before the latest of them.
  public func packed() -> [UInt8] {
    var packer = Packer()
    packer.byte(isRecord ? Self.packingFormat : Self.sealedFormat)
    let devices = packDevices(&packer)
    let index = { (device: DeviceID) in devices.firstIndex(of: device) ?? 0 }
    let latest = fields.reduce(horizonMilliseconds) { max($0, $1.stamp.milliseconds) }
    packer.unsigned(UInt64(latest))
    packer.unsigned(horizonMilliseconds == 0 ? 0 : UInt64(latest - horizonMilliseconds) + 1)
    packer.unsigned(UInt64(tally.epoch))
    packer.unsigned(UInt64(tally.count))
    packer.count(entries.count)
    for entry in entries {
      packer.count(index(entry.dot.device))
      packer.unsigned(UInt64(entry.dot.number))
      packer.unsigned(UInt64(horizonMilliseconds - entry.milliseconds))
      packer.unsigned(UInt64(entry.counter) << 1 | (entry.sawEverything ? 1 : 0))
      packer.data(entry.payload)
    }
    packer.count(fields.count)
    for field in fields {
      packer.text(field.name)
      packer.count(index(field.stamp.device))
      packer.unsigned(UInt64(latest - field.stamp.milliseconds))
      packer.unsigned(UInt64(field.stamp.counter))
      packer.data(field.value)
    }
    if isRecord { content.pack(into: &packer) }
    for part in extensions {
      packer.unsigned(part.tag)
      packer.data(part.bytes)
    }
    packer.seal()
    return packer.bytes
  }

  private func packDevices(_ packer: inout Packer) -> [DeviceID] {
    // A device that has stamped a field and is in no context is also named, with number 0.
    var all = context
    for field in fields { all.observe(Dot(device: field.stamp.device, number: 0)) }
    packer.count(all.count)
    for seen in all.seen {
      packer.text(seen.dot.device.name)
      packer.unsigned(UInt64(seen.dot.number))
      if seen.dot.number == 0 { continue }
      for shift in [0, 8, 16, 24] as [UInt32] { packer.byte(UInt8(truncatingIfNeeded: seen.check >> shift)) }
      packer.unsigned(UInt64(seen.day) << 1 | (seen.isRetired ? 1 : 0))
    }
    return all.seen.map(\.dot.device)
  }

  /// Reads packed bytes of this format or an earlier one.
  ///
  /// Throws a `PackingError` that names the offset and the part when they are damaged, or of a newer format. Parts that
  /// a newer version appended to this format are kept in `extensions`. Whether the cell keeps to the limits is not looked
  /// at: see `RecordLimits`.
  public init(packed bytes: [UInt8]) throws(PackingError) {
    self.init()
    if let first = bytes.first, first > Self.recordFormat, ![Self.sealedFormat, Self.packingFormat].contains(first) {
      throw .unsupportedFormat(found: first, known: Self.packingFormat)
    }
    var reader = try Unpacker(bytes, sealedFrom: Self.recordFormat + 1)
    let format = try reader.format()
    let devices = format == 1 ? try reader.devicesOfFormat1() : try reader.devices()
    context = VersionVector(sorted: devices.filter { $0.dot.number > 0 })
    let latest = try reader.number("the latest time")
    if format == 1 {
      horizonMilliseconds = latest
    } else {
      let distance = try reader.number("the horizon", in: 0...latest + 1)
      horizonMilliseconds = distance == 0 ? 0 : latest - distance + 1
    }
    tally = Tally(epoch: try reader.number("the epoch"), count: try reader.number("the count"))
    entries = try reader.entries(of: devices, horizon: horizonMilliseconds)
    fields = try reader.fields(of: devices, latest: latest)
    if format == Self.recordFormat || format == Self.packingFormat { content = try RecordContent(from: &reader) }
    if let stray = entries.first(where: { !context.covers($0.dot) }) {
      throw .malformed(at: reader.offset, reading: "the entry \(stray.dot)", "is not covered by the cell's context")
    }
    while !reader.isAtEnd {
      let offset = reader.offset
      let part = Extension(
        tag: try reader.unsigned("the tag of an extension"),
        bytes: try reader.data("an extension", limit: Unpacker.largestData))
      if let last = extensions.last, last.tag >= part.tag {
        throw .malformed(at: offset, reading: "the tag of an extension", "is not larger than the one before it")
      }
      extensions.append(part)
    }
    if format == 1 { bringUpToDate(latestMilliseconds: latest) }
  }

  /// Format 1 let writes without a state raise the horizon, and noted no day. What it meant is worked out from the
  /// bytes alone, so that every replica gets the same result.
  private mutating func bringUpToDate(latestMilliseconds latest: Int64) {
    horizonMilliseconds = entries.map(\.milliseconds).max() ?? 0
    let day = UInt32(clamping: latest / 86_400_000)
    context = VersionVector(sorted: context.seen.map { .init(dot: $0.dot, day: day) })
  }
}

extension Unpacker {
  fileprivate mutating func devices() throws(PackingError) -> [VersionVector.Seen] {
    var devices: [VersionVector.Seen] = []
    for _ in 0..<(try count("the number of devices", limit: Self.largestCount)) {
      var seen = VersionVector.Seen(dot: Dot(device: try deviceName(after: devices.last?.dot.device), number: 0))
      seen.dot.number = try number("the number of a device")
      if seen.dot.number > 0 {
        for shift in [0, 8, 16, 24] as [UInt32] { seen.check |= UInt32(try byte("the check of a write")) << shift }
        let day = try number("the day of a write", in: 0...Int64(UInt32.max) << 1 | 1)
        (seen.day, seen.isRetired) = (UInt32(day >> 1), day & 1 == 1)
      }
      devices.append(seen)
    }
    return devices
  }

  fileprivate mutating func devicesOfFormat1() throws(PackingError) -> [VersionVector.Seen] {
    var devices: [VersionVector.Seen] = []
    for _ in 0..<(try count("the number of devices", limit: Self.largestCount)) {
      devices.append(.init(dot: Dot(device: try deviceName(after: devices.last?.dot.device), number: 0)))
    }
    for index in devices.indices { devices[index].dot.number = try number("the number of a device") }
    return devices
  }

  private mutating func deviceName(after last: DeviceID?) throws(PackingError) -> DeviceID {
    let start = offset
    guard let device = DeviceID(try text("a device's name", limit: DeviceID.maximumLength)) else {
      throw .malformed(at: start, reading: "a device's name", "is not made of letters, digits, '.', '_' and '-'")
    }
    if let last, last >= device { throw .malformed(at: start, reading: "a device's name", "is not in order") }
    return device
  }

  fileprivate mutating func entries(
    of devices: [VersionVector.Seen], horizon: Int64
  ) throws(PackingError) -> [Entry] {
    var entries: [Entry] = []
    for _ in 0..<(try count("the number of entries", limit: Self.largestCount)) {
      let start = offset
      let device = try device(of: devices)
      if let last = entries.last, last.dot.device >= device {
        throw .malformed(at: start, reading: "an entry", "is not in order of its devices")
      }
      let sequence = try number("the number of an entry", in: 1...Stamp.latestMilliseconds)
      let milliseconds = try time(before: horizon)
      let counter = try number("the counter of an entry", in: 0...Int64(UInt32.max) << 1 | 1)
      entries.append(
        Entry(
          dot: Dot(device: device, number: sequence), milliseconds: milliseconds, counter: UInt32(counter >> 1),
          sawEverything: counter & 1 == 1, payload: try data("a payload", limit: Self.largestData)))
    }
    return entries
  }

  fileprivate mutating func fields(
    of devices: [VersionVector.Seen], latest: Int64
  ) throws(PackingError) -> [Field] {
    var fields: [Field] = []
    for _ in 0..<(try count("the number of fields", limit: Self.largestCount)) {
      let start = offset
      let name = try text("a field's name", limit: Self.largestData)
      if let last = fields.last, last.name >= name {
        throw .malformed(at: start, reading: "a field", "is not in order of its name")
      }
      let device = try device(of: devices)
      let milliseconds = try time(before: latest)
      let counter = UInt32(try number("the counter of a field", in: 0...Int64(UInt32.max)))
      fields.append(
        Field(
          name: name, stamp: Stamp(milliseconds: milliseconds, counter: counter, device: device),
          value: try data("a field's value", limit: Self.largestData)))
    }
    return fields
  }

  private mutating func device(of devices: [VersionVector.Seen]) throws(PackingError) -> DeviceID {
    let start = offset
    let index = try count("the index of a device", limit: Self.largestCount)
    guard index < devices.count else {
      throw .malformed(at: start, reading: "the index of a device", "is \(index) and there are \(devices.count)")
    }
    return devices[index].dot.device
  }

  private mutating func time(before latest: Int64) throws(PackingError) -> Int64 {
    latest - (try number("the distance of a time before the latest", in: 0...latest))
  }
}
