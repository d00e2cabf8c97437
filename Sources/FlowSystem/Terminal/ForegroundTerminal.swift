import CFlowProcess
import FlowPlatform

/// The terminal of this process. One command or question uses it at a time.
///
/// A command that uses the terminal runs in the foreground group of this session, so it receives Ctrl-C and Ctrl-Z
/// itself. The modes of the terminal are restored when the command ends for any reason, and when this process ends.
package enum ForegroundTerminal {
  /// The part of this process that writes to the terminal, such as the live view of a run.
  package struct Host: Sendable {
    /// Clears its output from the screen, and writes nothing until `resume` is called. Receives the name of the
    /// command's step.
    let makeRoom: @Sendable (String) -> Void
    /// Continues to write. Receives true if a signal has ended the command.
    let resume: @Sendable (Bool) -> Void

    package init(makeRoom: @escaping @Sendable (String) -> Void, resume: @escaping @Sendable (Bool) -> Void) {
      self.makeRoom = makeRoom
      self.resume = resume
    }
  }

  private enum Offer {
    /// A host will offer the terminal, so commands wait.
    case expected
    case none
    case host(Host)
  }

  private struct State {
    var offer = Offer.none
    /// True while a command or a question uses the terminal.
    var isTaken = false
    /// The modes to restore, or nil if they have not been changed.
    var modes: termios?
  }

  private static let state = SharedMutex(State())

  /// The interval at which waiting commands check whether the terminal is free, in milliseconds.
  private static let lookMilliseconds: CInt = 20

  /// True if the standard input and output of this process are its terminal, and it runs in the foreground.
  package static var isOwn: Bool { isatty(0) == 1 && isatty(1) == 1 && tcgetpgrp(0) == getpgrp() }

  /// True if a command that needs the terminal must wait.
  package static var isAwaited: Bool {
    state.mutex.withLock { state in
      if case .expected = state.offer { return true }
      if case .none = state.offer { return false }
      return state.isTaken
    }
  }

  /// Announces that the terminal will be offered. Until then, commands wait for it.
  package static func expectOffer() { state.mutex.withLock { $0.offer = .expected } }

  /// Offers the terminal: from now on, commands may use it.
  package static func offer(_ host: Host) { state.mutex.withLock { $0.offer = .host(host) } }

  /// Reserves the terminal. Returns false if a command or a question is using it.
  package static func takeTurn() -> Bool {
    state.mutex.withLock { state in
      defer { state.isTaken = true }
      return !state.isTaken
    }
  }

  /// Ends the reservation of the terminal.
  package static func endTurn() { state.mutex.withLock { $0.isTaken = false } }

  /// Waits until the terminal is free, and lets a command use it until the command has ended. Returns the group of the
  /// command, which has not been reaped, or nil if no terminal is offered or this process is in the background.
  ///
  /// - Parameters:
  ///   - step: The name of the command's step.
  ///   - checkCancellation: Called repeatedly during the wait. It throws an error to end the wait.
  ///   - start: Starts the command with descriptors for its input, output and errors. The input is the terminal.
  package static func lend(
    to step: String, checkCancellation: () throws -> Void, start: (CInt, CInt, CInt) throws -> ProcessGroup
  ) throws -> ProcessGroup? {
    guard let host = try host(checkCancellation) else { return nil }
    while !takeTurn() {
      try checkCancellation()
      _ = poll(nil, 0, lookMilliseconds)
    }
    defer { endTurn() }
    // This process may have been moved to the background in the meantime (`bg`).
    guard isOwn, let modes = Modes.current else { return nil }
    _ = flow_continue_count()
    host.makeRoom(step)
    var isKilled = false
    defer { host.resume(isKilled) }
    state.mutex.withLock { $0.modes = modes.value }
    defer { restore() }
    let group = try start(0, 1, isatty(2) == 1 ? 2 : 1)
    while case .stopped(let signal) = group.awaitChange() {
      // The command used the terminal before it was in the foreground, so the system stopped it.
      let isEarly = (signal == SIGTTIN || signal == SIGTTOU) && tcgetpgrp(0) == getpgrp()
      let inner = isEarly ? modes : Modes.current ?? modes
      if !isEarly, !suspend(group) { continue }
      state.mutex.withLock { $0.modes = modes.value }
      inner.set()
      _ = flow_set_foreground(0, group.number)
      group.send(SIGCONT)
    }
    if case .signaled? = group.status() { isKilled = true }
    return group
  }

  private static func host(_ checkCancellation: () throws -> Void) throws -> Host? {
    while true {
      switch state.mutex.withLock({ $0.offer }) {
      case .none: return nil
      case .host(let host): return host
      case .expected:
        try checkCancellation()
        _ = poll(nil, 0, lookMilliseconds)
      }
    }
  }

  /// Calls `body` while the terminal does not show typed characters.
  package static func withoutEcho<Result>(_ body: () -> Result) -> Result {
    guard let modes = Modes.current else { return body() }
    state.mutex.withLock { $0.modes = modes.value }
    var silent = modes
    silent.hideInput()
    silent.set()
    defer { restore() }
    return body()
  }

  /// Puts this process into the foreground and restores the terminal's modes if they were changed. Also used when the
  /// process is about to end.
  package static func restore() {
    let modes = state.mutex.withLock { state in
      defer { state.modes = nil }
      return state.modes
    }
    guard let modes else { return }
    _ = flow_set_foreground(0, getpgrp())
    Modes(value: modes).set()
  }

  /// The time limit, in milliseconds, for this process to stop after it has sent itself a stop signal. The limit is
  /// long enough for a busy machine.
  private static let stopMilliseconds: CInt = 10_000

  /// True if a stop signal would stop this process. The system ignores the signal if no other process could continue
  /// this one, as in an orphaned process group. Other members of the group are not checked.
  private static var canStop: Bool {
    if flow_ignores(SIGTSTP) != 0 { return false }
    let parent = getppid()
    return getpid() != getpgrp() || getsid(parent) == getsid(0) && getpgid(parent) != getpgrp()
  }

  /// Stops this process and its whole group after its command was stopped, as the terminal does on Ctrl-Z. Returns true
  /// once this process is in the foreground again, or at once without job control. Returns false if the command has
  /// ended in the meantime.
  private static func suspend(_ group: ProcessGroup) -> Bool {
    // Without job control, the command simply continues.
    guard canStop else { return true }
    restore()
    var signal = SIGTSTP
    while true {
      let count = flow_continue_count()
      // Signal the group that the shell created for this command line, so that a script or a pipe with this process
      // stops, too.
      kill(0, signal)
      var waited: CInt = 0
      while flow_continue_count() == count, waited < stopMilliseconds, group.status() == nil {
        _ = poll(nil, 0, lookMilliseconds)
        waited += lookMilliseconds
      }
      if group.status() != nil { return false }
      let foreground = tcgetpgrp(0)
      if foreground == getpgrp() || foreground < 0 { return true }
      // This is the signal that stops a background program when it reads from its terminal.
      signal = SIGTTIN
    }
  }

  private struct Modes {
    var value: termios

    static var current: Modes? {
      var value = termios()
      return tcgetattr(0, &value) == 0 ? Modes(value: value) : nil
    }

    func set() {
      var value = value
      _ = flow_set_modes(0, &value)
    }

    mutating func hideInput() {
      value.c_lflag &= ~tcflag_t(ECHO)
      // Line breaks are still shown.
      value.c_lflag |= tcflag_t(ECHONL)
    }
  }
}
