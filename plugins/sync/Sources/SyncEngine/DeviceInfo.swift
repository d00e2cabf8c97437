import SyncCore

/// What a device says of itself, in a record that it alone writes (S8, M10). Every zone has these records.
public struct DeviceInfo: Hashable, Sendable {
  /// The device's readable name.
  public var deviceName: String
  /// One of `platforms`.
  public var platform: String
  /// The version of the app that synchronizes there.
  public var appVersion: String
  /// When the device last began to synchronize, in milliseconds since 1970; never goes back.
  public var lastSeen: Int64

  /// The collection of these records.
  public static let collection = "devices"
  /// The platforms that a device can run on.
  public static let platforms = ["macOS", "iOS", "linux"]
  /// How old `lastSeen` gets before it is written again, in milliseconds: one request an hour at most.
  public static let renewalMilliseconds: Int64 = 3_600_000

  /// Describes a device.
  public init(deviceName: String, platform: String, appVersion: String, lastSeen: Int64) {
    self.deviceName = deviceName
    self.platform = platform
    self.appVersion = appVersion
    self.lastSeen = lastSeen
  }

  /// Reads a device's record; nil when a field is missing or of another type.
  public init?(cell: Cell) {
    let values = Dictionary(cell.fields.map { ($0.name, Scalar(bytes: $0.value)) }) { $1 }
    guard case .text(let name)?? = values["device-name"], case .text(let platform)?? = values["platform"],
      case .text(let version)?? = values["app-version"], case .integer(let seen)?? = values["last-seen"]
    else { return nil }
    self.init(deviceName: name, platform: platform, appVersion: version, lastSeen: seen)
  }

  /// The record of a device.
  public static func key(of device: DeviceID) -> RecordKey { RecordKey(type: collection, name: device.name) }

  /// What writes it.
  public var edit: RecordEdit {
    let values: [(String, Scalar)] = [
      ("device-name", .text(deviceName)), ("platform", .text(platform)), ("app-version", .text(appVersion)),
      ("last-seen", .integer(lastSeen)),
    ]
    return RecordEdit(fields: Dictionary(uniqueKeysWithValues: values.map { ($0, .set($1.bytes)) }))
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

  /// What this device runs on.
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
