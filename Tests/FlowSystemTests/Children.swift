import Foundation
import Testing

@testable import FlowSystem

/// Children of the tests, and what is left of them.
enum Children {
  /// A shell that runs `script` in a group of its own.
  static func start(_ script: String) throws -> ProcessGroup {
    let null = try Descriptor.null()
    return try ProcessGroup(
      Program(["/bin/sh", "-c", script], environment: ["PATH": "/usr/bin:/bin"], folder: "/"),
      input: null.number, output: null.number, errors: null.number)
  }

  /// Where a process that is killed records what it started.
  static func newNote() -> String {
    FileManager.default.temporaryDirectory.appending(path: "flowrun-note-\(UUID().uuidString)").path
  }

  /// The numbers that were recorded.
  static func noted(_ note: String) throws -> [pid_t] {
    defer { try? FileManager.default.removeItem(atPath: note) }
    let numbers = try String(contentsOfFile: note, encoding: .utf8).split(separator: "\n").compactMap { pid_t($0) }
    #expect(!numbers.isEmpty)
    return numbers
  }

  /// Waits until a group has no member that runs.
  static func expectGone(group: pid_t) async { await expectGone { members { $0[2] == "\(group)" } } }

  /// Waits until a session has no member that runs.
  static func expectGone(session: pid_t) async { await expectGone { ofSession(session) } }

  /// The members of a session that run.
  static func ofSession(_ session: pid_t) -> [pid_t] { members { $0[3] == "\(session)" } }

  /// Waits until a process does not run.
  static func expectGone(process: pid_t) async { await expectGone { all().contains(process) ? [process] : [] } }

  private static func expectGone(_ rest: () -> [pid_t]) async {
    // Far longer than it takes; the suite's limit is for what hangs.
    let limit = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < limit {
      if rest().isEmpty { return }
      await Task.yield()
    }
    Issue.record("\(rest()) outlived the process that started them")
  }

  /// The children of this process that run.
  static func ofThisProcess() -> [pid_t] { members { $0[1] == "\(getpid())" } }

  private static func all() -> [pid_t] { members { _ in true } }

  /// The processes, but for zombies, whose state, parent, group and session are such.
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
