import Foundation

/// A server that a test starts and stops. A watchdog process stops it if the tests are killed.
public final class BackgroundProgram: Sendable {
  /// The process id of the server.
  public let number: Int32

  /// The watchdog closes all inherited files, because a reader of a pipe waits until every process has closed it.
  private static let script = """
    log=$1; shift
    lonely() {
      for file in /dev/fd/*; do
        file=${file##*/}
        [ "$file" -le 2 ] || [ "$file" -ge 255 ] || eval "exec $file>&-"
      done
    }
    (lonely; exec "$@" </dev/null >>"$log" 2>&1) &
    number=$!
    (lonely; while kill -0 "$PARENT" && kill -0 $number; do sleep 1; done; kill -KILL $number) </dev/null >/dev/null 2>&1 &
    echo $number
    """

  /// Starts a program and appends its output to the file `log`.
  public init(_ words: [String], log: String, path: String = "/usr/bin:/bin") throws {
    let quoted = ([log] + words).map { "'\($0)'" }.joined(separator: " ")
    let (status, output) = try Shell.run(
      "export PARENT=\(ProcessInfo.processInfo.processIdentifier) PATH='\(path)'; set -- \(quoted)\n" + Self.script)
    guard status == 0, let number = ListedProcess.number(output) else {
      throw Database.Failure(output: output)
    }
    self.number = number
  }

  /// Sends a signal to the program's process.
  public func send(_ signal: Int32) { _ = kill(number, signal) }

  deinit { _ = kill(number, SIGKILL) }
}
