import Synchronization

/// A command that runs when this process ends, however it ends, or when it is asked for before: it releases what was asked
/// of an engine elsewhere, which would outlive everything here.
///
/// It waits behind a pipe whose only writing end is here, and the ``ProcessGuard``, which kills everything else, does not
/// know of it. It runs three times, a second apart: what was asked for at the last moment may be known there only then.
package final class LastCommand: Sendable {
  private let lifeline: Mutex<Descriptor?>

  /// The waiting process is not a child here, so that it need not be collected. The shell gives a command in the background another
  /// standard input, hence 3.
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

  /// Has `words` wait.
  package init(_ words: [String], environment: [String: String]) throws(SystemError) {
    let pipe = try Descriptor.pipe()
    let null = try Descriptor.null()
    var environment = environment
    // Where this process is a command of another one's, that one's end must not be the command's.
    environment[LeftBehind.variable] = nil
    let shell = try Program(
      ["/bin/sh", "-c", Self.script, "flowrun-last"] + words, environment: environment, folder: "/"
    )
    .start(input: pipe.reading.number, output: null.number, errors: null.number, record: nil)
    var status: CInt = 0
    while waitpid(shell, &status, 0) < 0, errno == EINTR {}
    lifeline = Mutex(pipe.takeWriting())
  }

  /// Has it run now, without waiting for it.
  package func run() { lifeline.withLock { $0 = nil } }

  /// Nothing is to be released: it never runs.
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
