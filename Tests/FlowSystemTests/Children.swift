import Foundation
import TestSupport
import Testing

@testable import FlowSystem

/// Starts child processes for tests, and finds the processes that they leave behind.
enum Children {
  /// Starts a shell that runs `script` in its own process group.
  static func start(_ script: String) throws -> ProcessGroup {
    let null = try Descriptor.null()
    let group = try ProcessGroup(
      Program(["/bin/sh", "-c", script], environment: ["PATH": "/usr/bin:/bin"], folder: "/"),
      input: null.number, output: null.number, errors: null.number)
    // ThreadSanitizer replaces `vfork` with `fork`, so the shell may not be in its group yet.
    within(seconds: 60) { kill(-group.number, 0) == 0 }
    return group
  }

  /// Returns the path of a new file in which a process that will be killed records the processes that it has started.
  static func newNote() -> String {
    FileManager.default.temporaryDirectory.appending(path: "flowrun-note-\(UUID().uuidString)").path
  }

  /// Returns the recorded process ids and deletes the file.
  static func noted(_ note: String) throws -> [pid_t] {
    defer { try? FileManager.default.removeItem(atPath: note) }
    let numbers = try String(contentsOfFile: note, encoding: .utf8).split(separator: "\n").compactMap { pid_t($0) }
    #expect(!numbers.isEmpty)
    return numbers
  }

  /// Waits until no process of a group is running.
  static func expectGone(group: pid_t) async { await expectGone { members { $0[2] == "\(group)" } } }

  /// Waits until no process of a session is running.
  static func expectGone(session: pid_t) async { await expectGone { ofSession(session) } }

  /// Returns the running processes of a session.
  static func ofSession(_ session: pid_t) -> [pid_t] { members { $0[3] == "\(session)" } }

  /// Waits until a process is no longer running.
  static func expectGone(process: pid_t) async { await expectGone { all().contains(process) ? [process] : [] } }

  private static func expectGone(_ rest: () -> [pid_t]) async {
    // This is much longer than needed. The suite's time limit ends tests that hang.
    let limit = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < limit {
      if rest().isEmpty { return }
      await Task.yield()
    }
    Issue.record("\(rest()) outlived the process that started them")
  }

  /// Returns the running children of this process.
  static func ofThisProcess() -> [pid_t] { members { $0[1] == "\(getpid())" } }

  private static func all() -> [pid_t] { members { _ in true } }

  /// Returns the processes whose state, parent, group and session satisfy `isOne`. Zombies are left out.
  private static func members(where isOne: ([Substring]) -> Bool) -> [pid_t] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { pid_t($0) }.filter { process in
      guard let stat = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
        let end = stat.lastIndex(of: ")")
      else { return false }
      let fields = stat[stat.index(after: end)...].split(separator: " ")
      return fields.count > 4 && fields[0] != "Z" && fields[0] != "X" && isOne(fields)
    }
  }
}
