import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension Process {
  /// Waits for its end and gives its exit code, or the number of the signal that ended it. After so many seconds it is ended
  /// by force; then there is none.
  ///
  /// `waitUntilExit` has no deadline, and hears of an end only by a socket that a program started meanwhile can have
  /// inherited and hold open.
  @discardableResult public func exitCode(withinSeconds limit: Int) -> Int32? {
    var code: Int32?
    let isOver = within(seconds: limit) {
      code = codeAtEnd
      return code != nil
    }
    if !isOver { endByForce() }
    return code
  }

  /// Ends it as the system does when it must, and waits until it has ended.
  public func endByForce() {
    if hasEnded { return }
    kill(processIdentifier, SIGKILL)
    _ = within(seconds: 60) { hasEnded }
  }

  /// Whether it runs no more, by the system's word.
  public var hasEnded: Bool { codeAtEnd != nil }

  private var codeAtEnd: Int32? {
    if !isRunning { return terminationStatus }
    var information = siginfo_t()
    // Left for Foundation to collect, which fails here only in the moment between its doing so and its saying so.
    guard waitid(P_PID, id_t(processIdentifier), &information, WEXITED | WNOHANG | WNOWAIT) == 0,
      information.si_signo != 0
    else { return nil }
    #if os(Linux)
      return information._sifields._sigchld.si_status
    #else
      return information.si_status
    #endif
  }
}
