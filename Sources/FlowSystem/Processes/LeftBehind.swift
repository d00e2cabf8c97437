import Synchronization

/// What commands left running in sessions of their own, as `setsid` and daemons do: found by a variable of the environment
/// that all descendants of a command have, unless they take care to lose it.
///
/// Such a process may serve the steps that follow; with the run it ends. Only Linux says what another process's
/// environment is.
package enum LeftBehind {
  /// The name of the variable.
  package static let variable = "FLOWRUN_PROCESS"

  /// What distinguishes the commands of this process from those of every other.
  static let mark = "\(getpid())-\(UInt64.random(in: 0 ... .max))"

  private static let isMarked = Atomic(false)

  /// How long they have between SIGTERM and SIGKILL.
  private static let graceMilliseconds = 500

  /// The variable's value in a command's environment.
  package static var value: String {
    isMarked.store(true, ordering: .relaxed)
    return mark
  }

  /// Ends them all, first with SIGTERM, and says which they were: `'sleep 600' (4711)`. To be called when no command runs
  /// any more; costs a look at every process where there were commands.
  package static func end() -> [String] {
    guard isMarked.load(ordering: .relaxed) else { return [] }
    // Those that were killed with their command and are not gone yet were not left running.
    let found = processes().filter { !isBeingKilled($0) }
    if found.isEmpty { return [] }
    let names = found.map { "'\(words(of: $0))' (\($0))" }
    for process in found { _ = kill(process, SIGTERM) }
    let start = ContinuousClock.now
    while true {
      // A run of flowrun has the time that it needs for its cleanup.
      let others = processes()
      let grace = max(graceMilliseconds, InnerRuns.milliseconds(of: others))
      if others.isEmpty || .now - start >= .milliseconds(grace) { break }
      _ = poll(nil, 0, 5)
    }
    // One may start another while it is looked for; anyone who is killed starts none.
    for _ in 0..<3 {
      let others = processes()
      if others.isEmpty { break }
      for process in others { _ = kill(process, SIGKILL) }
    }
    return names
  }

  /// Kills what bears another process's mark, which that process itself did not outlive; false: something is left.
  package static func endAll(marked mark: String) -> Bool {
    // One may start another while it is looked for; anyone who is killed starts none.
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

  /// Whether a process was started with a variable of this value; false where the system does not say.
  static func has(_ variable: String, _ value: String, _ process: pid_t) -> Bool {
    let wanted = Array("\(variable)=\(value)".utf8)
    return bytes(of: "/proc/\(process)/environ").split(separator: 0).contains { $0.elementsEqual(wanted) }
  }

  /// Whether SIGKILL has been sent to a process: `SigPnd: 0000000000000100` is signal 9 (proc_pid_status(5)).
  private static func isBeingKilled(_ process: pid_t) -> Bool {
    bytes(of: "/proc/\(process)/status").split(separator: UInt8(ascii: "\n")).contains { line in
      let words = String(decoding: line, as: UTF8.self).split { $0 == ":" || $0 == "\t" }
      guard words.count == 2, words[0] == "SigPnd" || words[0] == "ShdPnd" else { return false }
      return UInt64(words[1], radix: 16).map { $0 & 1 << (SIGKILL - 1) != 0 } ?? false
    }
  }

  /// What a process was started with, as a person would write it.
  private static func words(of process: pid_t) -> String {
    let line = bytes(of: "/proc/\(process)/cmdline").split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    let text = line.joined(separator: " ")
    return text.count > 80 ? String(text.prefix(77)) + "..." : text
  }

  /// What is in a file that is read at once; nothing where it may not be read, or is a zombie's.
  private static func bytes(of path: String) -> [UInt8] {
    let file = Descriptor(open(path, O_RDONLY | O_CLOEXEC))
    guard file.number >= 0 else { return [] }
    var all: [UInt8] = []
    withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 1) { buffer in
      // More than the system lets a program be started with.
      while all.count < 4 << 20, case .bytes(let count) = file.receive(into: buffer), count > 0 {
        all += buffer[..<count]
      }
    }
    return all
  }
}

private func sendKill(_ process: pid_t) { kill(process, SIGKILL) }
