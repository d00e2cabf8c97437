import FlowModel
import FlowPlatform

/// What a file was: its path, its length, and what distinguishes its content.
struct InputStamp: Sendable, Hashable {
  var path: String
  /// -1: there was none, ``folder``: it is a folder.
  var bytes: Int
  /// The inode; 0: the file must be read again, whatever its times are.
  var number: UInt64
  /// When the content was last modified, which programs can set.
  var modifiedNanoseconds: Int
  /// When the system last saw a change of the file, which no program can set. Copies and caches have others, so that it says
  /// only whether to read the file again, never that its content has changed.
  var changedNanoseconds: Int
  var digest: String

  /// The file as it is now; `known` is what it was, whose digest is used again where inode, length and both times are equal.
  ///
  /// - Parameter state: the state of the file, if it was looked up just before.
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

  /// A file of which only the state is known.
  init(_ path: String, _ state: FileState) {
    self.path = path
    (bytes, number, digest) = (state.bytes, state.number, "")
    (modifiedNanoseconds, changedNanoseconds) = (state.modifiedNanoseconds, state.changedNanoseconds)
  }

  /// Whether the file has not been written since: the length and both times are equal.
  func hasState(of other: InputStamp) -> Bool {
    bytes == other.bytes && modifiedNanoseconds == other.modifiedNanoseconds
      && changedNanoseconds == other.changedNanoseconds
  }

  /// The file must be read again if this changes; nil: it must be in any case.
  var state: FileState? {
    guard number != 0 else { return nil }
    return FileState(
      number: number, bytes: bytes, modifiedNanoseconds: modifiedNanoseconds, changedNanoseconds: changedNanoseconds)
  }

  /// What ``bytes`` are of a folder.
  static let folder = -2

  /// Whether the content is the same.
  func isSame(as other: InputStamp) -> Bool {
    path.hasSameBytes(as: other.path) && bytes == other.bytes && digest == other.digest
  }
}
