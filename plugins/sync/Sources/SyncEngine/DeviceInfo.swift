import SyncCore

/// The description of a device, stored in a record that only the device itself writes (S8, M10). Every zone contains
/// these records.
package struct DeviceInfo: Hashable, Sendable {
  /// The device's name as shown to users.
  package var deviceName: String
  /// The platform, one of `platforms`.
  package var platform: String
  /// The version of the app that synchronizes on the device.
  package var appVersion: String
  /// The time when the device last started to synchronize, in milliseconds since 1970. It never decreases.
  package var lastSeen: Int64

  /// The collection that contains the descriptions of devices.
  package static let collection = "devices"
  package static let platforms = ["macOS", "iOS", "linux"]
  /// The age of `lastSeen` in milliseconds after which it is renewed. This costs at most one request per hour.
  package static let renewalMilliseconds: Int64 = 3_600_000

  package init(deviceName: String, platform: String, appVersion: String, lastSeen: Int64) {
    self.deviceName = deviceName
    self.platform = platform
    self.appVersion = appVersion
    self.lastSeen = lastSeen
  }

  /// Reads a device's record. Returns nil if a field is missing or has another type.
  package init?(cell: Cell) {
    let values = Dictionary(cell.fields.map { ($0.name, Scalar(bytes: $0.value)) }) { $1 }
    guard case .text(let name)?? = values["device-name"], case .text(let platform)?? = values["platform"],
      case .text(let version)?? = values["app-version"], case .integer(let seen)?? = values["last-seen"]
    else { return nil }
    self.init(deviceName: name, platform: platform, appVersion: version, lastSeen: seen)
  }

  /// Returns the key of a device's description.
  package static func key(of device: DeviceID) -> RecordKey { RecordKey(type: collection, name: device.name) }

  /// The edit that stores this description in the device's record.
  package var edit: RecordEdit {
    let values: [(String, Scalar)] = [
      ("device-name", .text(deviceName)), ("platform", .text(platform)), ("app-version", .text(appVersion)),
      ("last-seen", .integer(lastSeen)),
    ]
    return RecordEdit(fields: Dictionary(uniqueKeysWithValues: values.map { ($0, .set($1.bytes)) }))
  }

  /// Returns the description to store instead of `known`, or nil if `known` is still valid.
  package func renewing(_ known: DeviceInfo?) -> DeviceInfo? {
    guard let known else { return self }
    var result = self
    result.lastSeen = max(lastSeen, known.lastSeen)
    var same = known
    same.lastSeen = result.lastSeen
    return result == same && result.lastSeen - known.lastSeen < Self.renewalMilliseconds ? nil : result
  }

  /// The platform of this device.
  package static var thisPlatform: String {
    #if os(iOS)
      "iOS"
    #elseif os(macOS)
      "macOS"
    #else
      "linux"
    #endif
  }
}
