import FlowSystem

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The entries of a cache folder whose names consist of a prefix and a ``ContentHash``.
struct CacheEntries {
  let folder: String
  /// The common prefix of the names, before the hash.
  let prefix: String

  /// The age at which an unfinished entry is removed. Until then, another process may still be creating it.
  private static let unfinishedSeconds = 3600

  /// Removes all finished entries except the `count` newest ones, and unfinished entries that are old.
  func removeOld(keeping count: Int) {
    let length = prefix.count + ContentHash.textLength
    let entries = (FilePath.names(in: folder) ?? []).filter { $0.hasPrefix(prefix) && $0.count >= length }
    let finished = entries.filter { $0.count == length }.map { (name: $0, seconds: secondsOfChange($0)) }
    for old in finished.sorted(by: { $0.seconds > $1.seconds }).dropFirst(count) { remove(old.name) }
    let now = Int(Date().timeIntervalSince1970)
    for name in entries where name.utf8.dropFirst(length).first == UInt8(ascii: ".") {
      if now - secondsOfChange(name) > Self.unfinishedSeconds { remove(name) }
    }
  }

  private func remove(_ name: String) { try? FileManager.default.removeItem(atPath: "\(folder)/\(name)") }

  private func secondsOfChange(_ name: String) -> Int {
    var status = stat()
    _ = stat("\(folder)/\(name)", &status)
    #if canImport(Darwin)
      return status.st_mtimespec.tv_sec
    #else
      return status.st_mtim.tv_sec
    #endif
  }
}
