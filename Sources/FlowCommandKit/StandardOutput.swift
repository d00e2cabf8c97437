import FlowDiagnostics
import FlowModel
import FlowPlatform
import FlowSecrets
import FlowSystem

/// Writes whole lines to standard output and standard error with `write(2)`.
///
/// Control characters in human-readable text are made visible, so that files, commands and plugins cannot move the
/// cursor. A write error is reported once. The process then ends with 74 unless its exit code is already more severe.
package enum StandardOutput {
  /// The reason why standard output could not be written.
  package struct Failure: Sendable {
    /// The error number of the failed system call.
    package let code: Int32

    /// True if the reader has ended, as `head` does after its last line, or if the terminal has been closed.
    package var isReaderGone: Bool { code == EPIPE || code == EIO && StandardOutput.isTerminal }

    package var reason: String { code == ETIMEDOUT ? "nothing reads it" : String(cString: strerror(code)) }
  }

  private struct State {
    var failure: Failure?
    var isForgiven = false
    var handler: (@Sendable (Failure) -> Void)?
    var errorRoute: (@Sendable (String) -> Void)?
    /// True if the process is about to end. A slow reader then loses the rest of the output.
    var isHurried = false
    /// Hides secrets in human-readable text. Nil if there are none.
    var mask: SecretMask?
    /// Output that is held back until a command releases the terminal. Nil if output is written immediately.
    var held: [(file: Int32, bytes: [UInt8])]?
    var heldByteCount = 0
  }

  /// The maximum size of one write to a pipe or terminal. If `poll` reports that a pipe is writable, it accepts this
  /// many bytes without blocking.
  private static let pieceBytes = 4096
  /// The interval at which a blocked write is retried.
  private static let lookMilliseconds: CInt = 100
  /// The maximum time to wait for a slow reader when the process is about to end.
  private static let patienceMilliseconds: CInt = 2000

  private static let state = SharedMutex(State())

  /// True if standard output is a terminal.
  package static let isTerminal = isatty(1) == 1

  /// True if standard output is a terminal on which colors can be used.
  package static var allowsColor: Bool { isTerminal && Environment.allowsColor }

  /// True if standard error is a terminal.
  package static var isErrorOnTerminal: Bool { isatty(2) == 1 }

  /// True if standard error is a terminal on which colors can be used.
  package static var errorAllowsColor: Bool { isatty(2) == 1 && Environment.allowsColor }

  /// True if writing standard output has failed, so that further output is pointless.
  package static var hasFailed: Bool { state.mutex.withLock { $0.failure != nil } }

  /// True if writing standard output has failed, or if the system reports the end of its reader without a write.
  package static var isReaderGone: Bool {
    var watched = pollfd(fd: 1, events: 0, revents: 0)
    return hasFailed || poll(&watched, 1, 0) > 0 && watched.revents & Int16(POLLERR | POLLHUP) != 0
  }

  /// True if output was lost and ``forgiveFailure()`` has not been called.
  package static var isLost: Bool { state.mutex.withLock { $0.failure != nil && !$0.isForgiven } }

  /// Calls `handler` when writing standard output fails, or immediately if it has already failed.
  package static func whenFailed(_ handler: @escaping @Sendable (Failure) -> Void) {
    let failure = state.mutex.withLock { state in
      state.handler = handler
      return state.failure
    }
    if let failure { handler(failure) }
  }

  /// Ignores write errors, for runs whose reader closed the output intentionally and whose results are also written
  /// elsewhere.
  package static func forgiveFailure() { state.mutex.withLock { $0.isForgiven = true } }

  /// Limits the time for a slow reader to 2 s, because the process is about to end. Otherwise, there is no limit,
  /// because a person may be reading in a pager.
  package static func hurry() { state.mutex.withLock { $0.isHurried = true } }

  /// Passes text for standard error to `route`, because other lines would destroy the layout of the live view. Passing
  /// nil ends this.
  package static func routeErrors(to route: (@Sendable (String) -> Void)?) {
    state.mutex.withLock { $0.errorRoute = route }
  }

  /// Hides these secrets in all further human-readable text. Such text has already been masked where it was created;
  /// this is the last safeguard.
  package static func hide(_ mask: SecretMask?) { if let mask { state.mutex.withLock { $0.mask = mask } } }

  /// The maximum number of bytes that are held back while a command uses the terminal.
  private static let heldBytes = 16 << 20

  /// Holds back output for the terminal until ``release(beginning:)``, because a command uses the terminal.
  package static func hold() { state.mutex.withLock { $0.held = $0.held ?? [] } }

  /// Writes `text` to the terminal, and then all output that was held back. Further output is written immediately.
  package static func release(beginning text: String) {
    put(Array(text.utf8), to: 1)
    while let held = takeHeld() {
      for piece in held { put(piece.bytes, to: piece.file) }
    }
  }

  /// Returns the output that has been held back since the last call. If there is none, returns nil and stops holding
  /// back output.
  private static func takeHeld() -> [(file: Int32, bytes: [UInt8])]? {
    state.mutex.withLock { state in
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

  /// Holds back bytes for the terminal while a command uses it. Bytes beyond ``heldBytes`` are only counted. Returns
  /// false if nothing is to be held back.
  private static func keeps(_ buffer: UnsafeBufferPointer<UInt8>, for file: Int32) -> Bool {
    guard file == 1 || isErrorOnTerminal else { return false }
    return state.mutex.withLock { state in
      guard state.held != nil else { return false }
      if state.heldByteCount <= heldBytes { state.held?.append((file, Array(buffer))) }
      state.heldByteCount += buffer.count
      return true
    }
  }

  private static func hidden(_ text: String) -> String { state.mutex.withLock { $0.mask }?.masked(text) ?? text }

  /// Writes human-readable text to standard output. Control characters are made visible.
  package static func write(_ text: String) {
    let text = hidden(text)
    write(bytes: TerminalText.visibleLines(text, keepsColors: allowsColor), to: 1)
  }

  /// Writes control sequences and text that redraw the terminal. Control characters in the text must already be
  /// visible.
  package static func draw(_ text: String) { write(bytes: hidden(text), to: 1) }

  /// Writes a value as JSON to standard output, followed by a line break.
  package static func write(json: Value, layout: JSONText.Layout = .compact) {
    write(JSONText.bytes(of: json, layout: layout) + [10])
  }

  /// Writes bytes for programs to standard output, unchanged.
  package static func write(_ bytes: [UInt8]) { bytes.withUnsafeBufferPointer { write($0, to: 1) } }

  /// Writes human-readable text to standard error. Control characters are made visible.
  package static func writeError(_ text: String) {
    let text = TerminalText.visibleLines(hidden(text), keepsColors: errorAllowsColor)
    if let route = state.mutex.withLock({ $0.errorRoute }) { return route(text) }
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
      // A blocked write could not be interrupted. So each write waits until there is room for it and is not larger than
      // that room.
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

  /// Returns the first bytes to write. They end with a complete line if possible, so that other output does not appear
  /// inside a line.
  private static func firstPiece(of bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    guard bytes.count > pieceBytes else { return bytes }
    let piece = bytes.prefix(pieceBytes)
    let end = piece.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? piece.endIndex
    return UnsafeRawBufferPointer(rebasing: piece[..<end])
  }

  /// Waits until a file can be written. Returns false if that takes too long while the process is about to end.
  private static func awaitRoom(_ file: Int32) -> Bool {
    var waited: CInt = 0
    while true {
      var watched = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
      // If `poll` fails, the following write reports the error.
      if poll(&watched, 1, lookMilliseconds) != 0 { return true }
      waited = state.mutex.withLock { $0.isHurried } ? waited + lookMilliseconds : 0
      if waited >= patienceMilliseconds { return false }
    }
  }

  private static func isRegularFile(_ file: Int32) -> Bool {
    var status = stat()
    return fstat(file, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Handles a write error. If standard error has failed, the error cannot be reported.
  private static func fail(_ code: Int32, _ file: Int32) { if file == 1 { fail(Failure(code: code)) } }

  private static func fail(_ failure: Failure) {
    let (isFirst, handler) = state.mutex.withLock { state in
      guard state.failure == nil else { return (false, state.handler) }
      state.failure = failure
      // The live view cannot show the error: it draws on standard output, and may be doing so now.
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
