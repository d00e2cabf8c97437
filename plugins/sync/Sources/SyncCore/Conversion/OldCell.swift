/// A record as an earlier version kept it: in a format of before 12, or under one of the types that zones had before there
/// were schemas. It is read once, when a zone or a device's file is opened, and kept as a record of a collection from then on.
public enum OldCell {
  /// Whether a record is not as this version keeps it.
  public static func isOld(_ key: RecordKey, _ bytes: [UInt8]) -> Bool {
    bytes.first != Cell.packingFormat || OldType(rawValue: key.type) != nil
  }

  /// The key that a record has now.
  public static func key(_ key: RecordKey) -> RecordKey {
    OldType(rawValue: key.type).map { RecordKey(type: $0.collection, name: key.name) } ?? key
  }

  /// The record as this version keeps it; the same bytes give the same record everywhere. Throws a `PackingError` when they
  /// are damaged.
  public static func converted(
    _ key: RecordKey, packed bytes: [UInt8]
  ) throws(PackingError) -> (key: RecordKey, cell: Cell) {
    let (old, count) = try read(bytes)
    var cell = old
    guard let type = OldType(rawValue: key.type) else {
      if key.type == ZoneRules.type { cell.fields.removeAll { $0.name == OldType.rule } }
      return (key, cell)
    }
    cell.fields = old.fields.map { Field(name: type.name(of: $0.name), stamp: $0.stamp, value: type.value(of: $0)) }
      .sorted { $0.name < $1.name }
    for index in cell.entries.indices { cell.entries[index].payload = OldType.state(old.entries[index].payload) }
    // It was never deleted: the last write of every device keeps it.
    cell.content.living = cell.context.dots
    cell.content.changed = old.latestStamp
    if let count { cell.content.parts = [.init(name: OldType.count, state: .largest(count))] }
    return (self.key(key), cell)
  }

  /// The cell in any format, and the timer's count as a value with its epoch.
  private static func read(_ bytes: [UInt8]) throws(PackingError) -> (Cell, count: [UInt8]?) {
    let format = bytes.first ?? 0
    guard [1, 2, 3, 8, 12].contains(format) else {
      if format > Cell.packingFormat { throw .unsupportedFormat(found: format, known: Cell.packingFormat) }
      throw .malformed(at: 0, reading: "the format", "is \(format)")
    }
    var reader = Unpacker(format < 8 ? bytes : try Unpacker.unsealed(bytes))
    _ = try reader.byte("the format")
    var cell = Cell()
    let devices = format == 1 ? try reader.devicesOfFormat1() : try reader.devices()
    cell.context = VersionVector(sorted: devices.filter { $0.dot.number > 0 })
    let latest = try reader.number("the latest time")
    var horizon = latest
    if format > 1 {
      let distance = try reader.number("the horizon", in: 0...latest + 1)
      horizon = distance == 0 ? 0 : latest - distance + 1
    }
    cell.horizonMilliseconds = horizon
    let (epoch, count) = (try reader.number("the epoch"), try reader.number("the count"))
    cell.entries = try reader.entries(of: devices, horizon: horizon)
    cell.fields = try reader.fields(of: devices, latest: latest)
    if format == 3 || format == 12 { cell.content = try RecordContent(from: &reader, latest: nil) }
    try cell.readRest(from: &reader)
    if format == 1 {
      // Writes without a state raised the horizon, and no day was noted.
      cell.horizonMilliseconds = cell.entries.map(\.milliseconds).max() ?? 0
      let day = UInt32(clamping: latest / 86_400_000)
      cell.context = VersionVector(sorted: cell.context.seen.map { .init(dot: $0.dot, day: day) })
    }
    return (cell, OldType.count(count, epoch: epoch))
  }
}

extension Unpacker {
  fileprivate mutating func devicesOfFormat1() throws(PackingError) -> [VersionVector.Seen] {
    var devices: [VersionVector.Seen] = []
    for _ in 0..<(try count("the number of devices", limit: Self.largestCount)) {
      devices.append(.init(dot: Dot(device: try deviceName(after: devices.last?.dot.device), number: 0)))
    }
    for index in devices.indices { devices[index].dot.number = try number("the number of a device") }
    return devices
  }
}

/// The types of records that zones had before there were schemas, and what became of them: collections of the timer's schema
/// and of what devices say of themselves.
enum OldType: String {
  case timerState = "CD_TimerState"
  case settings = "CD_Settings"
  case deviceInfo = "CD_DeviceInfo"

  /// The rule that named one of these types for a collection.
  static let rule = "_alias"
  /// The field that holds what was the count.
  static let count = "completed"

  var collection: String {
    switch self {
    case .timerState: "timers"
    case .settings: "settings"
    case .deviceInfo: "devices"
    }
  }

  /// What a field is called now.
  func name(of field: String) -> String {
    guard self == .deviceInfo else { return field }
    return ["deviceName": "device-name", "appVersion": "app-version", "lastSeen": "last-seen"][field] ?? field
  }

  /// What was a text is a value now.
  func value(_ name: String, _ bytes: [UInt8]) -> [UInt8] {
    let text = String(decoding: bytes, as: UTF8.self)
    if self == .deviceInfo, name == "lastSeen" { return (Int64(text).map { .integer($0) } ?? Scalar.null).bytes }
    return Scalar.text(text).bytes
  }

  func value(of field: Field) -> [UInt8] { value(field.name, field.value) }

  /// A timer's state as that of a record; of what cannot be read, an empty one.
  static func state(_ payload: [UInt8]) -> [UInt8] {
    var reader = Unpacker(payload)
    let kinds = ["idle", "snooze", "breakTime", "focus"]
    guard let first = try? reader.byte("the timer's kind"), first & 0x7F < kinds.count,
      let remaining = try? reader.number("the timer's remaining time")
    else { return RecordState().payload }
    var values = [
      "state": Scalar.text(kinds[Int(first & 0x7F)]).bytes, "remaining": Scalar.integer(remaining).bytes,
      "is-paused": Scalar.boolean(first & 0x80 != 0).bytes,
    ]
    let rest = payload[reader.offset...]
    if !rest.isEmpty { values["other-data"] = Scalar.text(String(decoding: rest, as: UTF8.self)).bytes }
    return RecordState(values: values).payload
  }

  /// A count within its epoch, nil where nothing was counted.
  static func count(_ count: Int64, epoch: Int64) -> [UInt8]? {
    count == 0 && epoch == 0 ? nil : EpochValue.bytes(Scalar.integer(count).bytes, epoch: epoch)
  }
}
