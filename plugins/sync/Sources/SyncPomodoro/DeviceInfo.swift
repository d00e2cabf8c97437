import SyncCore

/// A `CD_DeviceInfo` record: what a device says of itself, under its own identity and written by it alone (S8, M10).
public struct DeviceInfo: Hashable, Sendable {
  /// The device's readable name.
  public var deviceName: String
  /// One of those that `Pomodoro.schema` names.
  public var platform: String
  /// The version of the app that synchronizes there.
  public var appVersion: String
  /// When the device last began to synchronize, in milliseconds since 1970; never goes back.
  public var lastSeen: Int64

  /// How old `lastSeen` gets before it is written again, in milliseconds: one request an hour at most.
  public static let renewalMilliseconds: Int64 = 3_600_000

  /// Describes a device.
  public init(deviceName: String, platform: String, appVersion: String, lastSeen: Int64) {
    self.deviceName = deviceName
    self.platform = platform
    self.appVersion = appVersion
    self.lastSeen = lastSeen
  }

  /// Reads a device's record; nil when a field is missing or no number.
  public init?(cell: Cell) {
    let texts = Dictionary(cell.fields.map { ($0.name, String(decoding: $0.value, as: UTF8.self)) }) { $1 }
    guard let name = texts["deviceName"], let platform = texts["platform"], let version = texts["appVersion"],
      let seen = texts["lastSeen"].flatMap({ Int64($0) })
    else { return nil }
    self.init(deviceName: name, platform: platform, appVersion: version, lastSeen: seen)
  }

  /// The record of a device.
  public static func key(of device: DeviceID) -> RecordKey {
    RecordKey(type: Pomodoro.deviceInfoType, name: device.name)
  }

  /// The fields to write, as text.
  public var fields: [Write.FieldChange] {
    [
      ("deviceName", deviceName), ("platform", platform), ("appVersion", appVersion), ("lastSeen", String(lastSeen)),
    ].map { .init(name: $0.0, value: Array($0.1.utf8)) }
  }

  /// This description as it replaces an older one; nil when the older one still does.
  public func renewing(_ known: DeviceInfo?) -> DeviceInfo? {
    guard let known else { return self }
    var result = self
    result.lastSeen = max(lastSeen, known.lastSeen)
    var same = known
    same.lastSeen = result.lastSeen
    return result == same && result.lastSeen - known.lastSeen < Self.renewalMilliseconds ? nil : result
  }

  /// What this device runs on, in the words of `Pomodoro.schema`.
  public static var thisPlatform: String {
    #if os(iOS)
      "iOS"
    #elseif os(macOS)
      "macOS"
    #else
      "linux"
    #endif
  }
}
