import FlowModel
import FlowPlatform

/// The recorded state of a file: its path, its length and a digest of its content.
struct InputStamp: Sendable, Hashable {
  var path: String
  /// The length; -1 if the file does not exist, or ``folder`` for a folder.
  var bytes: Int
  /// The inode, or 0 if the file must be read again even if its times have not changed.
  var number: UInt64
  /// The time of the last modification, which programs can set.
  var modifiedNanoseconds: Int
  /// The time of the last change as recorded by the system, which programs cannot set. Copies and caches have other
  /// times, so it only determines whether to read the file again, and never whether its content has changed.
  var changedNanoseconds: Int
  var digest: String

  /// Creates the stamp of a file in its present state. The digest of `known` is reused if inode, length and both times
  /// are equal.
  ///
  /// - Parameter state: The state of the file, if it was just looked up.
  init(_ path: String, in folder: OpenFolder, known: InputStamp?, state: FileState? = nil) {
    self.path = path
    let status = state == nil ? folder.status(of: path) : nil
    guard let now = state ?? FileState(ofRegular: status) else {
      bytes = status.map { $0.st_mode & S_IFMT == S_IFDIR } == true ? Self.folder : -1
      (number, modifiedNanoseconds, changedNanoseconds, digest) = (0, 0, 0, "")
      return
    }
    (bytes, number) = (now.bytes, now.number)
    (modifiedNanoseconds, changedNanoseconds) = (now.modifiedNanoseconds, now.changedNanoseconds)
    if let known, known.state == now {
      digest = known.digest
      return
    }
    if now.isUnsure { number = 0 }
    digest = SHA256.digest(ofFile: folder.place(of: path)) ?? ""
    if digest.isEmpty { bytes = -1 }
  }

  /// Creates the stamp of a file without its content.
  init(_ path: String, _ state: FileState) {
    self.path = path
    (bytes, number, digest) = (state.bytes, state.number, "")
    (modifiedNanoseconds, changedNanoseconds) = (state.modifiedNanoseconds, state.changedNanoseconds)
  }

  /// True if the file has not been written since: the length and both times are equal.
  func hasState(of other: InputStamp) -> Bool {
    bytes == other.bytes && modifiedNanoseconds == other.modifiedNanoseconds
      && changedNanoseconds == other.changedNanoseconds
  }

  /// The state whose change requires reading the file again, or nil if it must be read in any case.
  var state: FileState? {
    guard number != 0 else { return nil }
    return FileState(
      number: number, bytes: bytes, modifiedNanoseconds: modifiedNanoseconds, changedNanoseconds: changedNanoseconds)
  }

  /// The value of ``bytes`` for a folder.
  static let folder = -2

  /// True if the content is the same.
  func isSame(as other: InputStamp) -> Bool {
    path.hasSameBytes(as: other.path) && bytes == other.bytes && digest == other.digest
  }
}
