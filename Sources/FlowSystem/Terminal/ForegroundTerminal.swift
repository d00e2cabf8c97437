import CFlowProcess
import Synchronization

/// The terminal of this process, which one command or question at a time may use.
///
/// A command that has it is a group of this session in the foreground: Ctrl-C and Ctrl-Z are its own. The modes of the terminal are
/// restored however the command ends, and when this process ends.
package enum ForegroundTerminal {
  /// The side of this process that writes on the terminal.
  package struct Host: Sendable {
    /// Takes off the screen what is drawn there, and writes nothing from then on. It gets the name of the command's step.
    let makeRoom: @Sendable (String) -> Void
    /// Writes again; gets whether a signal has ended the command.
    let resume: @Sendable (Bool) -> Void

    /// A side with both parts.
    package init(makeRoom: @escaping @Sendable (String) -> Void, resume: @escaping @Sendable (Bool) -> Void) {
      self.makeRoom = makeRoom
      self.resume = resume
    }
  }

  private enum Offer {
    /// Commands wait until it is known.
    case expected
    case none
    case host(Host)
  }

  private struct State {
    var offer = Offer.none
    /// Whether a command or a question has the terminal.
    var isTaken = false
    /// The modes to restore; nil: they are unchanged.
    var modes: termios?
  }

  private static let state = Mutex(State())

  /// The pause between two looks at what is waited for.
  private static let lookMilliseconds: CInt = 20

  /// Whether this process has a terminal for its input and output, and is in its foreground.
  package static var isOwn: Bool { isatty(0) == 1 && isatty(1) == 1 && tcgetpgrp(0) == getpgrp() }

  /// Announces an offer: until it comes commands wait for it.
  package static func expectOffer() { state.withLock { $0.offer = .expected } }

  /// Lets commands have the terminal from now on.
  package static func offer(_ host: Host) { state.withLock { $0.offer = .host(host) } }

  /// Takes the turn; false while a command or a question has it.
  package static func takeTurn() -> Bool {
    state.withLock { state in
      defer { state.isTaken = true }
      return !state.isTaken
    }
  }

  /// Ends the turn.
  package static func endTurn() { state.withLock { $0.isTaken = false } }

  /// Lends the terminal to a command until it has ended, after other commands that have it, and returns its group, which is not yet
  /// collected. Returns nil if there is no terminal.
  ///
  /// - Parameters:
  ///   - step: the name of the command's step.
  ///   - checkCancellation: called while others have the terminal.
  ///   - start: starts the command with the numbers of its input, output and errors, of which the first is the terminal.
  package static func lend(
    to step: String, checkCancellation: () throws -> Void, start: (CInt, CInt, CInt) throws -> ProcessGroup
  ) throws -> ProcessGroup? {
    guard let host = try host(checkCancellation) else { return nil }
    while !takeTurn() {
      try checkCancellation()
      _ = poll(nil, 0, lookMilliseconds)
    }
    defer { endTurn() }
    // It may be in the background by now (`bg`).
    guard isOwn, let modes = Modes.current else { return nil }
    _ = flow_continue_count()
    host.makeRoom(step)
    var isKilled = false
    defer { host.resume(isKilled) }
    state.withLock { $0.modes = modes.value }
    defer { restore() }
    let group = try start(0, 1, isatty(2) == 1 ? 2 : 1)
    while case .stopped(let signal) = group.awaitChange() {
      // One that reads or writes before it has the terminal.
      let isEarly = (signal == SIGTTIN || signal == SIGTTOU) && tcgetpgrp(0) == getpgrp()
      let inner = isEarly ? modes : Modes.current ?? modes
      if !isEarly, !suspend(group) { continue }
      state.withLock { $0.modes = modes.value }
      inner.set()
      _ = flow_set_foreground(0, group.number)
      group.send(SIGCONT)
    }
    if case .signaled? = group.status() { isKilled = true }
    return group
  }

  private static func host(_ checkCancellation: () throws -> Void) throws -> Host? {
    while true {
      switch state.withLock({ $0.offer }) {
      case .none: return nil
      case .host(let host): return host
      case .expected:
        try checkCancellation()
        _ = poll(nil, 0, lookMilliseconds)
      }
    }
  }

  /// Calls `body` while the terminal does not show what is typed.
  package static func withoutEcho<Result>(_ body: () -> Result) -> Result {
    guard let modes = Modes.current else { return body() }
    state.withLock { $0.modes = modes.value }
    var silent = modes
    silent.hideInput()
    silent.set()
    defer { restore() }
    return body()
  }

  /// Takes the terminal back and restores its modes, if they were changed; also for a process that is about to end.
  package static func restore() {
    let modes = state.withLock { state in
      defer { state.modes = nil }
      return state.modes
    }
    guard let modes else { return }
    _ = flow_set_foreground(0, getpgrp())
    Modes(value: modes).set()
  }

  /// The time in which a process that has sent itself a stop signal stops, also on a busy machine.
  private static let stopMilliseconds: CInt = 10_000

  /// Whether a stop signal stops this process: the system ignores it where nothing could continue the process, as in a group whose
  /// members' parents are all in it or in another session. Of other members than this process that is not known.
  private static var canStop: Bool {
    if flow_ignores(SIGTSTP) != 0 { return false }
    let parent = getppid()
    return getpid() != getpgrp() || getsid(parent) == getsid(0) && getpgid(parent) != getpgrp()
  }

  /// Stops this process with its whole group, as the terminal does at Ctrl-Z, after its command was stopped. Returns false if the
  /// command has ended meanwhile, true once this process is in the foreground again.
  private static func suspend(_ group: ProcessGroup) -> Bool {
    // Without job control the command just continues.
    guard canStop else { return true }
    restore()
    var signal = SIGTSTP
    while true {
      let count = flow_continue_count()
      // The group that the shell made for this command line: with it stops a script or a pipe that this process is part of.
      kill(0, signal)
      var waited: CInt = 0
      while flow_continue_count() == count, waited < stopMilliseconds, group.status() == nil {
        _ = poll(nil, 0, lookMilliseconds)
        waited += lookMilliseconds
      }
      if group.status() != nil { return false }
      let foreground = tcgetpgrp(0)
      if foreground == getpgrp() || foreground < 0 { return true }
      // As every program in the background that needs its terminal.
      signal = SIGTTIN
    }
  }

  /// The modes of the terminal.
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
      // The end of the line is shown all the same.
      value.c_lflag |= tcflag_t(ECHONL)
    }
  }
}
