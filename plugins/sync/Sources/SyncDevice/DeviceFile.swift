import FlowPlatform
import struct SyncCore.DeviceID
import SyncEngine
import SyncPomodoro
import SyncSQLite

/// The paths of devices' own files. Different devices and zones always have different files.
package enum DeviceFile {
  /// The maximum length of a device's name, in characters.
  package static let longestName = 40

  package static func path(device: String, zone: String, in folder: String) -> String {
    "\(folder)/sync-\(name(device))\(zone == Pomodoro.zone ? "" : "@" + zone).sqlite"
  }

  /// Returns the files of all devices in a folder, or of one device, in the order of their names. This includes files
  /// with another name, set by `file` of `sync.connect`. `folder` may also be the path of a single file.
  package static func all(in folder: String, device: String?) -> [String] {
    if FilePath.isFile(folder) {
      return isDeviceFile(folder) && isFile(folder, of: device) ? [folder] : []
    }
    let names = FilePath.names(in: folder) ?? []
    let wanted = device.map { "sync-\(name($0))" }
    return names.compactMap { name in
      let path = "\(folder)/\(name)"
      guard name.hasPrefix("sync-"), name.hasSuffix(".sqlite") else {
        return isDeviceFile(path) && isFile(path, of: device) ? path : nil
      }
      guard let wanted else { return path }
      let stem = name.dropLast(".sqlite".count)
      return stem == wanted || stem.hasPrefix(wanted + "@") || stem.hasPrefix(wanted + "~") ? path : nil
    }
  }

  /// True if the content shows that a file is a device's own file. Its name does not matter.
  private static func isDeviceFile(_ path: String) -> Bool {
    let file = Descriptor(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK))
    guard file.number >= 0 else { return false }
    let beginning = [UInt8](unsafeUninitializedCapacity: 16) { $1 = max(0, read(file.number, $0.baseAddress, 16)) }
    return beginning == Array("SQLite format 3\0".utf8) && SQLiteReplicaStore.identity(of: path) != nil
  }

  /// True if a file with another name belongs to this device, or if `device` is nil.
  private static func isFile(_ path: String, of device: String?) -> Bool {
    guard let device else { return true }
    return SQLiteReplicaStore.identity(of: path).flatMap { Replica.device(ofIdentity: $0) }?.stem == stem(device)
  }

  /// Returns the readable part of the identity of a device with this name.
  private static func stem(_ device: String) -> String { DeviceID(stem: device, random: 0).stem }

  /// Returns a device's name for use in a file name. Different names stay different. Characters other than letters,
  /// digits, `.`, `_` and `-` are replaced by `%` and two hexadecimal digits for each of their bytes.
  package static func name(_ text: String) -> String {
    text.reduce(into: "") { result, character in
      if character.isLetter || character.isNumber || "._-".contains(character) {
        result.append(character)
      } else {
        for byte in character.utf8 { result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true) }
      }
    }
  }
}
