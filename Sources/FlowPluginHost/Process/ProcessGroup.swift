import CFlowProcess
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A process group whose members never outlive this process.
///
/// Its leader is a guard: a `sh` that reads from a pipe whose only writing end is here. When this process ends, however
/// it ends, the kernel closes that end, the guard reads the end of the file and kills its own group, itself included.
/// (`PR_SET_PDEATHSIG` would fire when the *thread* that spawned the child ends.) As the guard is not reaped before the
/// group is killed, the group's number cannot pass to others meanwhile.
final class ProcessGroup: Sendable {
  /// The group's number, which is the guard's process number.
  let number: pid_t
  /// Held open as long as the group is to live.
  private let lifeline: Descriptor
  private let isEnded = Mutex(false)

  /// `trap`: what ends the group's other members politely must not end the guard.
  private static let script = "trap '' HUP INT QUIT TERM USR1 USR2; read -r _; kill -KILL 0"

  /// Starts the guard.
  init() throws(SystemError) {
    ignoreBrokenPipes
    let pipe = try Descriptor.pipe()
    let null = try Descriptor.null()
    number = try spawn(
      ["/bin/sh", "-c", Self.script, "flowrun-guard"], environment: [:], directory: "/", input: pipe.reading.number,
      output: null.number, error: null.number, group: 0)
    lifeline = pipe.takeWriting()
  }

  /// Kills every member and waits for the guard, which is at once.
  func end() {
    let isFirst = isEnded.withLock { isEnded in
      defer { isEnded = true }
      return !isEnded
    }
    guard isFirst else { return }
    _ = kill(-number, SIGKILL)
    var status: CInt = 0
    while waitpid(number, &status, 0) < 0, errno == EINTR {}
  }

  deinit { end() }
}

extension Descriptor.Pipe {
  /// Keeps the writing end and closes the other.
  consuming func takeWriting() -> Descriptor { writing }
  /// Keeps the reading end and closes the other.
  consuming func takeReading() -> Descriptor { reading }
}

/// A write to a child that is gone must be an error, not the end of this process; a handler that is there stays.
private let ignoreBrokenPipes: Void = {
  var action = sigaction()
  guard sigaction(SIGPIPE, nil, &action) == 0 else { return }
  #if canImport(Darwin)
    let isDefault = action.__sigaction_u.__sa_handler == nil
  #else
    let isDefault = action.__sigaction_handler.sa_handler == nil
  #endif
  if isDefault { _ = signal(SIGPIPE, SIG_IGN) }
}()

/// Starts a child with a clean environment and no descriptors but these three; throws what failed.
func spawn(
  _ command: [String], environment: [String: String], directory: String, input: CInt, output: CInt, error: CInt,
  group: pid_t
) throws(SystemError) -> pid_t {
  var child: pid_t = 0
  let failure = withCStrings(command) { arguments in
    withCStrings(environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }) { variables in
      directory.withCString { directory in
        var request = flow_spawn_request(
          program: arguments[0], arguments: arguments, environment: variables, directory: directory, input: input,
          output: output, error: error, group: group)
        return flow_spawn(&request, &child)
      }
    }
  }
  if failure != 0 { throw SystemError("cannot start '\(command[0])'", failure) }
  return child
}

/// Lends a null-terminated array of C strings.
private func withCStrings<R>(
  _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> R
) -> R {
  var copies: [UnsafeMutablePointer<CChar>?] = strings.map { strdup($0) }
  defer { for copy in copies { free(copy) } }
  copies.append(nil)
  return copies.withUnsafeMutableBufferPointer { body($0.baseAddress!) }
}
