import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A program that a test starts. It inherits only its standard streams and a clean signal mask.
///
/// Tests do not use Foundation's `Process`, because on Linux it sometimes crashes if a program that it watches is
/// killed.
public final class StartedProgram: Sendable {
  /// The file or pipe to which one of the program's standard streams is connected.
  public enum Stream {
    /// The null device: empty input, discarded output.
    case null
    /// A file at this path. If the program writes to it, the file is created or emptied.
    case file(String)
    /// A pipe. The program's end is closed in this process after the start.
    case pipe(Pipe)
    /// The same file or pipe as standard output.
    case output
  }

  /// The reason why a program could not be started.
  public struct StartProblem: Error, CustomStringConvertible {
    /// The name of the program and the system's message.
    public let description: String
  }

  /// The process id of the program.
  public let number: pid_t

  /// The status from `waitpid`, or nil if the end of the program has not been observed.
  private let status = Mutex<Int32?>(nil)

  /// Starts a program in a folder.
  ///
  /// - Parameters:
  ///   - words: The program, which is found on `PATH`, and its arguments.
  ///   - environment: All environment variables of the program. By default, it has those of this process.
  public init(
    _ words: [String], in folder: String = ".", environment: [String: String] = ProcessInfo.processInfo.environment,
    input: Stream = .null, output: Stream = .null, errors: Stream = .null
  ) throws {
    var files = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&files)
    defer { posix_spawn_file_actions_destroy(&files) }
    var ends: [FileHandle] = []
    for (descriptor, stream) in [(Int32(0), input), (1, output), (2, errors)] {
      switch stream {
      case .null: posix_spawn_file_actions_addopen(&files, descriptor, "/dev/null", O_RDWR, 0)
      case .output: posix_spawn_file_actions_adddup2(&files, 1, descriptor)
      case .file(let path):
        let flags = descriptor == 0 ? O_RDONLY : O_WRONLY | O_CREAT | O_TRUNC
        posix_spawn_file_actions_addopen(&files, descriptor, path, flags, 0o600)
      case .pipe(let pipe):
        let end = descriptor == 0 ? pipe.fileHandleForReading : pipe.fileHandleForWriting
        posix_spawn_file_actions_adddup2(&files, end.fileDescriptor, descriptor)
        if !ends.contains(end) { ends.append(end) }
        // Otherwise this program and later ones would inherit the other end and keep the pipe open.
        for handle in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
          _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC)
        }
      }
    }

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    var all = sigset_t()
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    // The shell changes the folder and is then replaced by the program, so the process id stays the same.
    let line = ["/bin/sh", "-c", #"cd "$0" && exec "$@""#, folder] + words
    var texts: [UnsafeMutablePointer<CChar>?] = line.map { strdup($0) } + [nil]
    var entries: [UnsafeMutablePointer<CChar>?] = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in texts + entries { free(text) } }
    var child = pid_t()
    let code = posix_spawn(&child, line[0], &files, &attributes, &texts, &entries)
    for end in ends { try? end.close() }
    guard code == 0 else { throw StartProblem(description: "\(words[0]): \(String(cString: strerror(code)))") }
    number = child
  }

  /// Sends a signal to the program unless it is known to have ended.
  public func send(_ signal: Int32) {
    status.withLock { if $0 == nil { kill(number, signal) } }
  }

  /// True if the program has ended.
  public var hasEnded: Bool { collect() != nil }

  /// Waits until the program ends. Returns its exit code, or 128 plus the number of the signal that ended it. Returns
  /// nil if it had to be killed after `limit` seconds.
  @discardableResult public func exitCode(withinSeconds limit: Int = 60) -> Int32? {
    var isOver = false
    for _ in 0..<(limit * 500) {
      isOver = hasEnded
      if isOver { break }
      var pause = timespec(tv_sec: 0, tv_nsec: 2_000_000)
      nanosleep(&pause, nil)
    }
    guard isOver, let status = collect() else {
      endByForce()
      return nil
    }
    let signal = status & 0x7F
    return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
  }

  /// Kills the program and waits until it has ended.
  public func endByForce() {
    send(SIGKILL)
    _ = within(seconds: 60) { hasEnded }
  }

  private func collect() -> Int32? {
    status.withLock { known in
      var status: Int32 = 0
      if known == nil, waitpid(number, &status, WNOHANG) == number { known = status }
      return known
    }
  }
}
