import Foundation
import SyncEngine
import SyncPomodoro
import SyncSQLite

/// Where a device keeps its own file: one for each device and zone, whatever they are called.
enum DeviceFile {
  /// The longest name of a device, in characters.
  static let longestName = 40

  /// The file of a device in a folder. Where an earlier version made one for this zone, under a name that it could have
  /// given to another device as well, that is used.
  static func path(device: String, zone: String, in folder: String) -> String {
    let isPlain = zone == Pomodoro.zone
    let path = "\(folder)/sync-\(name(device))\(isPlain ? "" : "@" + zone).sqlite"
    let earlier = "\(folder)/sync-\(name(device))-\(zone).sqlite"
    let files = FileManager.default
    if !isPlain, !files.fileExists(atPath: path), files.fileExists(atPath: earlier),
      SQLiteReplicaStore.zone(of: earlier) == zone
    {
      return earlier
    }
    return path
  }

  /// The own files of the devices in a folder, all or one device's, sorted.
  static func all(in folder: String, device: String?) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let wanted = device.map { "sync-\(name($0))" }
    return names.filter { $0.hasPrefix("sync-") && $0.hasSuffix(".sqlite") }
      .filter { file in
        guard let wanted else { return true }
        let stem = file.dropLast(".sqlite".count)
        return stem == wanted || stem.hasPrefix(wanted + "@")
      }
      .sorted().map { "\(folder)/\($0)" }
  }

  /// A name as part of a file's name, such that no two names become one: what is neither letter, digit, `.`, `_` nor `-`
  /// is written as `%` and two digits a byte.
  static func name(_ text: String) -> String {
    text.reduce(into: "") { result, character in
      if character.isLetter || character.isNumber || "._-".contains(character) {
        result.append(character)
      } else {
        for byte in character.utf8 { result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true) }
      }
    }
  }
}
