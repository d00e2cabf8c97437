import Synchronization

/// Processes that commands left running in other sessions, for example daemons or processes started with `setsid`. They
/// are found by an environment variable that all descendants of a command inherit, unless they remove it.
///
/// Later steps may use such a process, and it is ended with the run. Only Linux shows the environment of other
/// processes.
package enum LeftBehind {
  /// The name of the environment variable that marks the processes.
  package static let variable = "FLOWRUN_PROCESS"

  /// The value of the variable, which distinguishes the commands of this process from all others.
  static let mark = "\(getpid())-\(UInt64.random(in: 0 ... .max))"

  private static let isMarked = Atomic(false)

  /// The time from SIGTERM to SIGKILL, unless a nested run needs longer.
  private static let graceMilliseconds = 500

  /// The value of the variable for a command that is about to start. Reading it enables the search at the end.
  package static var value: String {
    isMarked.store(true, ordering: .relaxed)
    return mark
  }

  /// Ends all processes that commands left running, first with SIGTERM. Returns their descriptions, such as `'sleep
  /// 600' (4711)`. Call it only when no command is running. If there were commands, it inspects every process of the
  /// system.
  package static func end() -> [String] {
    guard isMarked.load(ordering: .relaxed) else { return [] }
    // Processes that were killed together with their command, but have not ended, were not left running.
    let found = processes().filter { !isBeingKilled($0) }
    if found.isEmpty { return [] }
    let names = found.map(description)
    for process in found { _ = kill(process, SIGTERM) }
    let start = ContinuousClock.now
    while true {
      // A nested run of flowrun gets the time that it needs to clean up.
      let others = processes()
      let grace = max(graceMilliseconds, InnerRuns.milliseconds(of: others))
      if others.isEmpty || .now - start >= .milliseconds(grace) { break }
      _ = poll(nil, 0, 5)
    }
    // During the search, a process that is still alive may start another one, so search again.
    for _ in 0..<3 {
      let others = processes()
      if others.isEmpty { break }
      for process in others { _ = kill(process, SIGKILL) }
    }
    return names
  }

  /// Kills the processes started by another process of flowrun that has ended and had this mark. Returns false if some
  /// of them are left.
  package static func endAll(marked mark: String) -> Bool {
    // During the search, a process that is still alive may start another one, so search again.
    for _ in 0..<10 {
      let found = processes(marked: mark)
      if found.isEmpty { return true }
      for process in found { sendKill(process) }
      _ = poll(nil, 0, 2)
    }
    return processes(marked: mark).isEmpty
  }

  private static func processes() -> [pid_t] { processes(marked: mark) }

  private static func processes(marked mark: String) -> [pid_t] {
    ProcessTable.numbers.filter { $0 > 1 && $0 != getpid() && has(variable, mark, $0) }
  }

  /// True if a process was started with this value of an environment variable. False if the system does not show the
  /// environment.
  static func has(_ variable: String, _ value: String, _ process: pid_t) -> Bool {
    let wanted = Array("\(variable)=\(value)".utf8)
    return bytes(of: "/proc/\(process)/environ").split(separator: 0).contains { $0.elementsEqual(wanted) }
  }

  /// True if a process has received SIGKILL but has not ended. In its status, `SigPnd: 0000000000000100` stands for
  /// signal 9 (proc_pid_status(5)).
  private static func isBeingKilled(_ process: pid_t) -> Bool {
    bytes(of: "/proc/\(process)/status").split(separator: UInt8(ascii: "\n")).contains { line in
      let words = String(decoding: line, as: UTF8.self).split { $0 == ":" || $0 == "\t" }
      guard words.count == 2, words[0] == "SigPnd" || words[0] == "ShdPnd" else { return false }
      return UInt64(words[1], radix: 16).map { $0 & 1 << (SIGKILL - 1) != 0 } ?? false
    }
  }

  /// Describes a process by its command line and its number, such as `'sleep 600' (4711)`.
  static func description(of process: pid_t) -> String { "'\(words(of: process))' (\(process))" }

  /// Returns the command line of a process, shortened for messages.
  private static func words(of process: pid_t) -> String {
    let line = bytes(of: "/proc/\(process)/cmdline").split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    let text = line.joined(separator: " ")
    return text.count > 80 ? String(text.prefix(77)) + "..." : text
  }

  /// Returns the content of a file. It is empty if the file cannot be read or belongs to a zombie process.
  static func bytes(of path: String) -> [UInt8] {
    let file = Descriptor(open(path, O_RDONLY | O_CLOEXEC))
    guard file.number >= 0 else { return [] }
    var all: [UInt8] = []
    withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 1) { buffer in
      // This is more than the system allows for a program's arguments and environment.
      while all.count < 4 << 20, case .bytes(let count) = file.receive(into: buffer), count > 0 {
        all += buffer[..<count]
      }
    }
    return all
  }
}

private func sendKill(_ process: pid_t) { kill(process, SIGKILL) }
