extension Cell {
  /// The version of the packed format.
  package static let packingFormat: UInt8 = 12

  /// The cell as compact bytes. Equal cells have equal bytes.
  ///
  /// Format byte · device names with the number seen of each · latest time · horizon · two unused zeros · entries ·
  /// fields · content of a record · extensions · checksum. Each device is written once and then referenced by index.
  /// Times are stored as the distance to the latest one.
  package func packed() -> [UInt8] {
    var packer = Packer()
    pack(into: &packer)
    return packer.bytes
  }

  /// The number of bytes of `packed()`, computed without packing.
  package var packedBytes: Int { Packer.size(pack(into:)) }

  private func pack(into packer: inout Packer) {
    packer.byte(Self.packingFormat)
    let devices = packDevices(&packer)
    let index = { (device: DeviceID) in devices.firstIndex(of: device) ?? 0 }
    let latest = fields.reduce(horizonMilliseconds) { max($0, $1.stamp.milliseconds) }
    packer.unsigned(UInt64(latest))
    packer.unsigned(horizonMilliseconds == 0 ? 0 : UInt64(latest - horizonMilliseconds) + 1)
    for _ in 0..<Self.unusedNumbers { packer.unsigned(0) }
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
    content.pack(into: &packer, latest: latestValue)
    for part in extensions {
      packer.unsigned(part.tag)
      packer.data(part.bytes)
    }
    packer.seal()
  }

  /// Earlier versions stored the epoch and the count of a timer here. Both are written as 0.
  private static let unusedNumbers = 2

  private func packDevices(_ packer: inout Packer) -> [DeviceID] {
    // Devices that stamped a field but are missing from the context are listed with number 0.
    var all = context
    for field in fields where all.note(of: field.stamp.device) == nil {
      all.observe(Dot(device: field.stamp.device, number: 0))
    }
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

  /// Reads a packed cell.
  ///
  /// Throws a `PackingError` with the offset and the part if the bytes are damaged or have another format. Parts that a
  /// newer version has appended are kept in `extensions`. Limits are not checked here; see `RecordLimits`.
  package init(packed bytes: [UInt8]) throws(PackingError) {
    self.init()
    var reader = try Unpacker(bytes, sealedAs: Self.packingFormat)
    let devices = try reader.devices()
    context = VersionVector(sorted: devices.filter { $0.dot.number > 0 })
    let latest = try reader.number("the latest time")
    let distance = try reader.number("the horizon", in: 0...latest + 1)
    horizonMilliseconds = distance == 0 ? 0 : latest - distance + 1
    for _ in 0..<Self.unusedNumbers { _ = try reader.number("an unused number", in: 0...0) }
    entries = try reader.entries(of: devices, horizon: horizonMilliseconds)
    fields = try reader.fields(of: devices, latest: latest)
    content = try RecordContent(from: &reader, latest: latestValue)
    try readRest(from: &reader)
  }

  /// Reads the extensions until the end of the bytes. Throws if the context does not cover an entry, or if the
  /// extensions are damaged or not in order.
  mutating func readRest(from reader: inout Unpacker) throws(PackingError) {
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
  }
}

extension Unpacker {
  mutating func devices() throws(PackingError) -> [VersionVector.Seen] {
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

  mutating func deviceName(after last: DeviceID?) throws(PackingError) -> DeviceID {
    let start = offset
    let device = try device("a device's name")
    if let last, last >= device { throw .malformed(at: start, reading: "a device's name", "is not in order") }
    return device
  }

  mutating func entries(
    of devices: [VersionVector.Seen], horizon: Int64
  ) throws(PackingError) -> [StateEntry] {
    var entries: [StateEntry] = []
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
        StateEntry(
          dot: Dot(device: device, number: sequence), milliseconds: milliseconds, counter: UInt32(counter >> 1),
          sawEverything: counter & 1 == 1, payload: try data("a payload", limit: Self.largestData)))
    }
    return entries
  }

  mutating func fields(
    of devices: [VersionVector.Seen], latest: Int64
  ) throws(PackingError) -> [RecordField] {
    var fields: [RecordField] = []
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
        RecordField(
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
