import FlowDiagnostics
import FlowModel
import FlowSystem
import Synchronization

/// Standard output and standard error, written whole lines at a time with `write(2)`.
///
/// What people read is made visible on the way: nothing that a file, a command or a plugin says can move the cursor. What
/// cannot be written is told once, and ends the process with 74 where nothing worse has happened.
enum StandardOutput {
  /// Why standard output takes no more.
  struct Failure: Sendable {
    /// What the system said.
    let code: Int32

    /// Whether whoever read it has gone away, as `head` does when it has its lines.
    var isReaderGone: Bool { code == EPIPE }
  }

  private struct State {
    var failure: Failure?
    var isForgiven = false
    var handler: (@Sendable (Failure) -> Void)?
    var errorRoute: (@Sendable (String) -> Void)?
  }

  private static let state = Mutex(State())

  /// Whether standard output is a terminal.
  static var isTerminal: Bool { isatty(1) == 1 }

  /// Whether standard output is a terminal that colors are welcome on.
  static var allowsColor: Bool { isTerminal && Environment.allowsColor }

  /// Whether standard error is a terminal.
  static var isErrorOnTerminal: Bool { isatty(2) == 1 }

  /// Whether standard error is a terminal that colors are welcome on.
  static var errorAllowsColor: Bool { isatty(2) == 1 && Environment.allowsColor }

  /// Whether standard output has failed; nobody need make more of it.
  static var hasFailed: Bool { state.withLock { $0.failure != nil } }

  /// Whether output was lost that somebody would miss.
  static var isLost: Bool { state.withLock { $0.failure != nil && !$0.isForgiven } }

  /// Calls `handler` when standard output fails, or at once if it has.
  static func whenFailed(_ handler: @escaping @Sendable (Failure) -> Void) {
    let failure = state.withLock { state in
      state.handler = handler
      return state.failure
    }
    if let failure { handler(failure) }
  }

  /// Notes that nobody misses what could not be written: the reader went away, and what counts is written elsewhere.
  static func forgiveFailure() { state.withLock { $0.isForgiven = true } }

  /// Hands what goes to standard error to `route` instead: to the live view, which would be torn by lines it knows
  /// nothing of. Nil ends it.
  static func routeErrors(to route: (@Sendable (String) -> Void)?) { state.withLock { $0.errorRoute = route } }

  /// Writes text for people to standard output.
  static func write(_ text: String) {
    write(bytes: TerminalText.visibleLines(text, keepsColors: allowsColor), to: 1)
  }

  /// Writes what redraws the terminal to standard output: its texts have been made visible.
  static func draw(_ text: String) { write(bytes: text, to: 1) }

  /// Writes a value as JSON and a line break to standard output.
  static func write(json: Value, layout: JSONText.Layout = .compact) {
    write(JSONText.bytes(of: json, layout: layout) + [10])
  }

  /// Writes bytes for programs to standard output.
  static func write(_ bytes: [UInt8]) { bytes.withUnsafeBufferPointer { write($0, to: 1) } }

  /// Writes text for people to standard error.
  static func writeError(_ text: String) {
    let text = TerminalText.visibleLines(text, keepsColors: errorAllowsColor)
    if let route = state.withLock({ $0.errorRoute }) { return route(text) }
    write(bytes: text, to: 2)
  }

  private static func write(bytes text: String, to file: Int32) {
    var text = text
    text.withUTF8 { write($0, to: file) }
  }

  private static func write(_ buffer: UnsafeBufferPointer<UInt8>, to file: Int32) {
    if file == 1, hasFailed { return }
    var rest = UnsafeRawBufferPointer(buffer)
    while !rest.isEmpty {
      let written = SystemCall.write(file, rest)
      if written >= 0 {
        rest = UnsafeRawBufferPointer(rebasing: rest[written...])
      } else if errno == EAGAIN {
        // Somebody has made the file not wait; the reader is slow, as it may be.
        var watched = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
        poll(&watched, 1, -1)
      } else {
        // Of standard error there is nobody to tell.
        if file == 1 { fail(Failure(code: errno)) }
        return
      }
    }
  }

  private static func fail(_ failure: Failure) {
    let (isFirst, handler) = state.withLock { state in
      guard state.failure == nil else { return (false, state.handler) }
      state.failure = failure
      // The view draws on standard output, and is drawing just now.
      state.errorRoute = nil
      return (true, state.handler)
    }
    guard isFirst else { return }
    if !failure.isReaderGone {
      writeError("flowrun: cannot write standard output: \(String(cString: strerror(failure.code)))\n")
    }
    handler?(failure)
  }
}
