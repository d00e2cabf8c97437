import FlowDiagnostics
import FlowModel
import FlowSecrets
import FlowSystem
import Synchronization

/// Standard output and standard error, written whole lines at a time with `write(2)`.
///
/// What people read is made visible on the way: nothing that a file, a command or a plugin says can move the cursor. What
/// cannot be written is reported once, and ends the process with 74 where nothing worse has happened.
package enum StandardOutput {
  /// Why standard output takes no more.
  package struct Failure: Sendable {
    /// What the system said.
    package let code: Int32

    /// Whether its reader has gone away, as `head` does when it has its lines, and a terminal that is closed.
    package var isReaderGone: Bool { code == EPIPE || code == EIO && StandardOutput.isTerminal }

    /// Why, in words.
    package var reason: String { code == ETIMEDOUT ? "nothing reads it" : String(cString: strerror(code)) }
  }

  private struct State {
    var failure: Failure?
    var isForgiven = false
    var handler: (@Sendable (Failure) -> Void)?
    var errorRoute: (@Sendable (String) -> Void)?
    /// Whether the process is to end: who does not read loses what is left.
    var isHurried = false
    /// Hides secrets in what people read; nil: there are none.
    var mask: SecretMask?
    /// The output that waits until a command has given the terminal back. Nil if output is written at once.
    var held: [(file: Int32, bytes: [UInt8])]?
    var heldByteCount = 0
  }

  /// How much is written at a time where someone reads: what a pipe that is said to have room takes without waiting.
  private static let pieceBytes = 4096
  /// How often a slow reader is looked after.
  private static let lookMilliseconds: CInt = 100
  /// How long a reader who takes nothing is waited for when the process is to end.
  private static let patienceMilliseconds: CInt = 2000

  private static let state = Mutex(State())

  /// Whether standard output is a terminal.
  package static let isTerminal = isatty(1) == 1

  /// Whether standard output is a terminal that colors are welcome on.
  package static var allowsColor: Bool { isTerminal && Environment.allowsColor }

  /// Whether standard error is a terminal.
  package static var isErrorOnTerminal: Bool { isatty(2) == 1 }

  /// Whether standard error is a terminal that colors are welcome on.
  package static var errorAllowsColor: Bool { isatty(2) == 1 && Environment.allowsColor }

  /// Whether standard output has failed, so that no more need be written.
  package static var hasFailed: Bool { state.withLock { $0.failure != nil } }

  /// Whether the reader of standard output is gone, as far as the system shows before something is written.
  package static var isReaderGone: Bool {
    var watched = pollfd(fd: 1, events: 0, revents: 0)
    return hasFailed || poll(&watched, 1, 0) > 0 && watched.revents & Int16(POLLERR | POLLHUP) != 0
  }

  /// Whether output was lost that someone would miss.
  package static var isLost: Bool { state.withLock { $0.failure != nil && !$0.isForgiven } }

  /// Calls `handler` when standard output fails, or at once if it has.
  package static func whenFailed(_ handler: @escaping @Sendable (Failure) -> Void) {
    let failure = state.withLock { state in
      state.handler = handler
      return state.failure
    }
    if let failure { handler(failure) }
  }

  /// Notes that what could not be written is not missed: the reader went away, and what counts is written elsewhere.
  package static func forgiveFailure() { state.withLock { $0.isForgiven = true } }

  /// Waits no longer than 2 s for a reader who takes nothing: the process is to end. Without this one may be as slow as
  /// it likes, as a person is who looks through pages.
  package static func hurry() { state.withLock { $0.isHurried = true } }

  /// Hands what goes to standard error to `route` instead: to the live view, which would be torn by lines it knows
  /// nothing of. Nil ends it.
  package static func routeErrors(to route: (@Sendable (String) -> Void)?) { state.withLock { $0.errorRoute = route } }

  /// Hides these secrets from now on in everything that people read. It was hidden where it came out; this is the last look
  /// before it is written.
  package static func hide(_ mask: SecretMask?) { if let mask { state.withLock { $0.mask = mask } } }

  /// The bytes that wait at most while the terminal is a command's.
  private static let heldBytes = 16 << 20

  /// Writes nothing to the terminal until ``release(beginning:)``: a command has it.
  package static func hold() { state.withLock { $0.held = $0.held ?? [] } }

  /// Writes a text for the terminal, then what has waited, and waits no longer.
  package static func release(beginning text: String) {
    put(Array(text.utf8), to: 1)
    while let held = takeHeld() {
      for piece in held { put(piece.bytes, to: piece.file) }
    }
  }

  /// Returns the output that has waited since the last call. If there is none, returns nil and ends the wait.
  private static func takeHeld() -> [(file: Int32, bytes: [UInt8])]? {
    state.withLock { state in
      guard var held = state.held, !held.isEmpty else {
        state.held = nil
        return nil
      }
      if state.heldByteCount > heldBytes {
        held.append((1, Array("flowrun: the rest of what was printed meanwhile is in 'flowrun logs'\n".utf8)))
      }
      state.held = []
      state.heldByteCount = 0
      return held
    }
  }

  /// Keeps bytes for later if a command has the terminal; returns whether it does.
  private static func keeps(_ buffer: UnsafeBufferPointer<UInt8>, for file: Int32) -> Bool {
    guard file == 1 || isErrorOnTerminal else { return false }
    return state.withLock { state in
      guard state.held != nil else { return false }
      if state.heldByteCount <= heldBytes { state.held?.append((file, Array(buffer))) }
      state.heldByteCount += buffer.count
      return true
    }
  }

  private static func hidden(_ text: String) -> String { state.withLock { $0.mask }?.masked(text) ?? text }

  /// Writes text for people to standard output.
  package static func write(_ text: String) {
    let text = hidden(text)
    write(bytes: TerminalText.visibleLines(text, keepsColors: allowsColor), to: 1)
  }

  /// Writes what redraws the terminal to standard output: its texts have been made visible.
  package static func draw(_ text: String) { write(bytes: hidden(text), to: 1) }

  /// Writes a value as JSON and a line break to standard output.
  package static func write(json: Value, layout: JSONText.Layout = .compact) {
    write(JSONText.bytes(of: json, layout: layout) + [10])
  }

  /// Writes bytes for programs to standard output.
  package static func write(_ bytes: [UInt8]) { bytes.withUnsafeBufferPointer { write($0, to: 1) } }

  /// Writes text for people to standard error.
  package static func writeError(_ text: String) {
    let text = TerminalText.visibleLines(hidden(text), keepsColors: errorAllowsColor)
    if let route = state.withLock({ $0.errorRoute }) { return route(text) }
    write(bytes: text, to: 2)
  }

  private static func write(bytes text: String, to file: Int32) {
    var text = text
    text.withUTF8 { write($0, to: file) }
  }

  private static func write(_ buffer: UnsafeBufferPointer<UInt8>, to file: Int32) {
    if !keeps(buffer, for: file) { put(buffer, to: file) }
  }

  private static func put(_ bytes: [UInt8], to file: Int32) { bytes.withUnsafeBufferPointer { put($0, to: file) } }

  private static func put(_ buffer: UnsafeBufferPointer<UInt8>, to file: Int32) {
    if file == 1, hasFailed { return }
    var rest = UnsafeRawBufferPointer(buffer)
    let isRegular = isRegularFile(file)
    while !rest.isEmpty {
      // A write that waits for its reader could not be ended: it is made when there is room, and no longer than that.
      if !isRegular, !awaitRoom(file) { return fail(ETIMEDOUT, file) }
      let piece = isRegular ? rest : firstPiece(of: rest)
      let written = SystemCall.write(file, piece)
      if written >= 0 {
        rest = UnsafeRawBufferPointer(rebasing: rest[written...])
      } else if errno != EAGAIN {
        return fail(errno, file)
      }
    }
  }

  /// Whole lines where that is possible, so that nothing comes into the midst of one.
  private static func firstPiece(of bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    guard bytes.count > pieceBytes else { return bytes }
    let piece = bytes.prefix(pieceBytes)
    let end = piece.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? piece.endIndex
    return UnsafeRawBufferPointer(rebasing: piece[..<end])
  }

  /// Waits until a file takes more; false when no room is made and the process should end.
  private static func awaitRoom(_ file: Int32) -> Bool {
    var waited: CInt = 0
    while true {
      var watched = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
      // If it cannot be watched, the write reports the error.
      if poll(&watched, 1, lookMilliseconds) != 0 { return true }
      waited = state.withLock { $0.isHurried } ? waited + lookMilliseconds : 0
      if waited >= patienceMilliseconds { return false }
    }
  }

  private static func isRegularFile(_ file: Int32) -> Bool {
    var status = stat()
    return fstat(file, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// A failure of standard error cannot be reported.
  private static func fail(_ code: Int32, _ file: Int32) { if file == 1 { fail(Failure(code: code)) } }

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
      writeError("flowrun: cannot write standard output: \(failure.reason)\n")
    }
    handler?(failure)
  }
}
