import Synchronization

/// A command that runs when this process ends for any reason, or earlier on request. It releases an engine's remote
/// resources, which would otherwise outlive this process.
///
/// A waiting process reads from a pipe whose only writing end is in this process. It is not recorded for the
/// ``ProcessGuard``, which kills all other processes. It runs the command three times at intervals of one second,
/// because an engine may list a recent request only after a delay.
package final class LastCommand: Sendable {
  private let lifeline: Mutex<Descriptor?>

  /// The script of the waiting process. The shell forks it, so that it is not a child of this process and need not be
  /// reaped. It reads from descriptor 3, because the shell replaces the standard input of a background command.
  private static let script = """
    trap '' HUP INT QUIT TERM PIPE ALRM USR1 USR2 TSTP
    exec 3<&0
    {
      read -r word <&3
      [ "$word" = nothing ] && exit
      for look in 1 2 3; do
        "$@"
        sleep 1
      done
    } &
    """

  /// Starts the process that waits to run the command `words`.
  package init(_ words: [String], environment: [String: String]) throws(SystemError) {
    let pipe = try Descriptor.pipe()
    let null = try Descriptor.null()
    var environment = environment
    // If this process runs in a command of another flowrun, the end of that command must not end the waiting process.
    environment[LeftBehind.variable] = nil
    let shell = try Program(
      ["/bin/sh", "-c", Self.script, "flowrun-last"] + words, environment: environment, folder: "/"
    )
    .start(input: pipe.reading.number, output: null.number, errors: null.number, record: nil)
    var status: CInt = 0
    while waitpid(shell, &status, 0) < 0, errno == EINTR {}
    lifeline = Mutex(pipe.takeWriting())
  }

  /// Starts the command now. Does not wait for it.
  package func run() { lifeline.withLock { $0 = nil } }

  /// Ends the waiting process, so that the command never runs.
  package func drop() {
    lifeline.withLock { lifeline in
      switch lifeline {
      case .none: return
      case .some(let open): _ = open.send(Array("nothing\n".utf8)[...])
      }
      lifeline = nil
    }
  }
}
