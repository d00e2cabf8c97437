import FlowCommandKit
import FlowDiagnostics
import FlowSystem

/// The workflow that is used if the command line does not name one.
///
/// Every folder on the path is checked. Otherwise, another user who can write to a parent folder could make this user
/// run commands.
enum DefaultWorkflow {
  static let name = "flowrun.yaml"

  private static let others = mode_t(S_IWOTH)

  /// Returns the path of the file in the working folder or the nearest parent folder, or nil if there is none. The
  /// search ends at a folder that contains `.git`. Without such a folder on the same file system, only the working
  /// folder is searched. Throws a usage error if another user can change the file or a folder on the way to it.
  static func find() throws(UsageProblem) -> String? {
    guard let start = status("./") else { return nil }
    var folders: [String] = []
    var last = start
    var prefix = ""
    while true {
      folders.append(prefix)
      if linkStatus(prefix + ".git") != nil { break }
      prefix += "../"
      // The parent of the root folder is the root folder itself.
      guard let above = status(prefix), above.st_dev == start.st_dev, above.st_ino != last.st_ino else {
        folders = [""]
        break
      }
      last = above
    }
    for (index, folder) in folders.enumerated() {
      let path = folder + name
      guard linkStatus(path) != nil else { continue }
      for passed in folders[...index] { try check(passed.isEmpty ? "./" : passed) }
      try check(path)
      return path
    }
    return nil
  }

  private static func check(_ path: String) throws(UsageProblem) {
    guard let status = status(path), let link = linkStatus(path) else { return }
    let shown = TerminalText.visible(FilePath.absolute(path))
    let remedy = "name the file to run it: flowrun \(FilePath.absolute(path).hasSuffix(name) ? shown : "FILE") STEP"
    for owner in [status.st_uid, link.st_uid] where owner != geteuid() && owner != 0 {
      throw UsageProblem("'\(shown)' belongs to another user, so \(name) is not looked up there; \(remedy)")
    }
    if status.st_mode & others != 0 {
      throw UsageProblem("'\(shown)' can be written by all users, so \(name) is not looked up there; \(remedy)")
    }
  }

  private static func status(_ path: String) -> stat? {
    var status = stat()
    return stat(path, &status) == 0 ? status : nil
  }

  private static func linkStatus(_ path: String) -> stat? {
    var status = stat()
    return lstat(path, &status) == 0 ? status : nil
  }
}
