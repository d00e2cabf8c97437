extension Cell {
  /// The format that this version writes.
  public static let packingFormat: UInt8 = 1
  /// The largest packed cell in bytes; a write that would pass it is refused.
  public static let maximumPackedBytes = 16_384

  /// The cell as compact bytes; equal cells give equal bytes.
  ///
  /// Format byte · device names · context · horizon · tally · entries · fields · extensions. Devices are written once and
  /// named by index, times as distance before the horizon.
  public func packed() -> [UInt8] {
    var packer = Packer()
    packer.byte(Self.packingFormat)
    let devices = packDevices(&packer)
    let index = { (device: DeviceID) in devices.firstIndex(of: device) ?? 0 }
    for device in devices { packer.unsigned(UInt64(context[device])) }
    packer.unsigned(UInt64(horizonMilliseconds))
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
      packer.unsigned(UInt64(horizonMilliseconds - field.stamp.milliseconds))
      packer.unsigned(UInt64(field.stamp.counter))
      packer.data(field.value)
    }
    for part in extensions {
      packer.unsigned(part.tag)
      packer.data(part.bytes)
    }
    return packer.bytes
  }

  private func packDevices(_ packer: inout Packer) -> [DeviceID] {
    var devices = context.dots.map(\.device)
    for field in fields where !devices.contains(field.stamp.device) { devices.append(field.stamp.device) }
    devices.sort()
    packer.count(devices.count)
    for device in devices { packer.text(device.name) }
    return devices
  }

  /// Reads packed bytes.
  ///
  /// Throws a `PackingError` that names the offset and the part when they are damaged, or of a newer format. Parts that
  /// a newer version appended to this format are kept in `extensions`.
  public init(packed bytes: [UInt8]) throws(PackingError) {
    self.init()
    var reader = Unpacker(bytes)
    let format = try reader.byte("the format")
    guard format == Self.packingFormat else {
      throw .unsupportedFormat(found: format, known: Self.packingFormat)
    }
    let devices = try reader.devices()
    var dots: [Dot] = []
    for device in devices {
      let number = try reader.number("the number of a device")
      if number > 0 { dots.append(Dot(device: device, number: number)) }
    }
    context = VersionVector(sorted: dots)
    horizonMilliseconds = try reader.number("the horizon")
    tally = Tally(epoch: try reader.number("the epoch"), count: try reader.number("the count"))
    entries = try reader.entries(of: devices, horizon: horizonMilliseconds)
    fields = try reader.fields(of: devices, horizon: horizonMilliseconds)
    if let stray = entries.first(where: { !context.covers($0.dot) }) {
      throw .malformed(at: reader.offset, reading: "the entry \(stray.dot)", "is not covered by the cell's context")
    }
    while !reader.isAtEnd {
      let offset = reader.offset
      let part = Extension(
        tag: try reader.unsigned("the tag of an extension"),
        bytes: try reader.data("an extension", limit: Self.maximumPackedBytes))
      if let last = extensions.last, last.tag >= part.tag {
        throw .malformed(at: offset, reading: "the tag of an extension", "is not larger than the one before it")
      }
      extensions.append(part)
    }
  }
}

extension Unpacker {
  fileprivate mutating func devices() throws(PackingError) -> [DeviceID] {
    var devices: [DeviceID] = []
    for _ in 0..<(try count("the number of devices", limit: Cell.maximumDevices * 2)) {
      let start = offset
      guard let device = DeviceID(try text("a device's name", limit: DeviceID.maximumLength)) else {
        throw .malformed(at: start, reading: "a device's name", "is not made of letters, digits, '.', '_' and '-'")
      }
      if let last = devices.last, last >= device {
        throw .malformed(at: start, reading: "a device's name", "is not in order")
      }
      devices.append(device)
    }
    return devices
  }

  fileprivate mutating func entries(of devices: [DeviceID], horizon: Int64) throws(PackingError) -> [Entry] {
    var entries: [Entry] = []
    for _ in 0..<(try count("the number of entries", limit: Cell.maximumDevices)) {
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
          sawEverything: counter & 1 == 1, payload: try data("a payload", limit: Entry.maximumPayloadBytes)))
    }
    return entries
  }

  fileprivate mutating func fields(of devices: [DeviceID], horizon: Int64) throws(PackingError) -> [Field] {
    var fields: [Field] = []
    for _ in 0..<(try count("the number of fields", limit: Field.maximumCount)) {
      let start = offset
      let name = try text("a field's name", limit: Field.maximumNameBytes)
      if let last = fields.last, last.name >= name {
        throw .malformed(at: start, reading: "a field", "is not in order of its name")
      }
      let device = try device(of: devices)
      let milliseconds = try time(before: horizon)
      let counter = UInt32(try number("the counter of a field", in: 0...Int64(UInt32.max)))
      fields.append(
        Field(
          name: name, stamp: Stamp(milliseconds: milliseconds, counter: counter, device: device),
          value: try data("a field's value", limit: Field.maximumValueBytes)))
    }
    return fields
  }

  private mutating func device(of devices: [DeviceID]) throws(PackingError) -> DeviceID {
    let start = offset
    let index = try count("the index of a device", limit: Cell.maximumDevices * 2)
    guard index < devices.count else {
      throw .malformed(at: start, reading: "the index of a device", "is \(index) and there are \(devices.count)")
    }
    return devices[index]
  }

  private mutating func time(before horizon: Int64) throws(PackingError) -> Int64 {
    horizon - (try number("the distance of a time before the horizon", in: 0...horizon))
  }
}
