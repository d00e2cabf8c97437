import FlowSystem

/// Paths as the command line names them.
enum FilePath {
  /// A path made absolute against the working directory.
  static func absolute(_ path: String) -> String {
    if path.hasPrefix("/") { return path }
    guard let folder = getcwd(nil, 0) else { return path }
    defer { free(folder) }
    return String(cString: folder) + "/" + path
  }

  /// Whether there is anything at a path.
  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// The folder that a path lies in.
  static func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// What a path leads to through links, whether there is anything or not.
  static func target(of path: String) -> String {
    var path = path
    // As many links as the system itself follows.
    for _ in 0..<40 {
      let text = [UInt8](unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer, count in
        let length = buffer.withMemoryRebound(to: CChar.self) { readlink(path, $0.baseAddress!, $0.count) }
        count = max(0, length)
      }
      guard !text.isEmpty else { return path }
      let link = String(decoding: text, as: UTF8.self)
      path = link.hasPrefix("/") ? link : folder(of: path) + "/" + link
    }
    return path
  }

  /// Whether two paths lead to one regular file, or would once it is made. Pipes and devices may be named twice.
  static func areSame(_ first: String, _ second: String) -> Bool {
    var (one, other) = (stat(), stat())
    let (isOne, isOther) = (stat(first, &one) == 0, stat(second, &other) == 0)
    if isOne || isOther {
      return isOne && isOther && one.st_mode & S_IFMT == S_IFREG && one.st_dev == other.st_dev
        && one.st_ino == other.st_ino
    }
    let (left, right) = (target(of: first), target(of: second))
    guard name(of: left) == name(of: right), stat(folder(of: left), &one) == 0, stat(folder(of: right), &other) == 0
    else { return false }
    return one.st_dev == other.st_dev && one.st_ino == other.st_ino
  }

  /// The last part of a path.
  private static func name(of path: String) -> Substring {
    path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...]
  }
}
