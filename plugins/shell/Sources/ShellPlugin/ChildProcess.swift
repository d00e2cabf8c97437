import FlowModel
import FlowPluginKit
import Subprocess
import Synchronization

#if canImport(System)
  import System
#else
  import SystemPackage
#endif

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// One child in a process group of its own, whose whole group ends with it.
struct ChildProcess {
  var command: Command
  var folder: String
  var environment: Environment

  /// How a child ended.
  struct Ending {
    var status: TerminationStatus
    var output: [UInt8]
    var errorOutput: [UInt8]
    /// Whether it had left processes running, which were then ended.
    var leftBehind: Bool
  }

  /// How long a cancelled child has between SIGTERM and SIGKILL; less than the second that the run gives the step.
  static let grace = Duration.milliseconds(500)

  /// Runs the child to its end; cancelling the task ends its group, by SIGTERM first.
  nonisolated(nonsending) func run() async throws -> Ending {
    var options = PlatformOptions()
    options.processGroupID = 0
    options.teardownSequence = [.gracefulShutDown(toProcessGroup: true, allowedDurationToNextStep: Self.grace)]
    let group = Mutex<pid_t>(0)
    // Whoever of the group outlived its leader, or ignored SIGTERM, ends here. The group's number cannot have been given
    // to another while one of its processes lives, and where none does the call finds nothing.
    func endGroup() -> Bool {
      let group = group.withLock { $0 }
      return group > 0 && kill(-group, SIGKILL) == 0
    }
    do {
      let result = try await Subprocess.run(
        command.program.contains("/") ? .path(FilePath(command.program)) : .name(command.program),
        arguments: Arguments(command.arguments), environment: environment, workingDirectory: FilePath(folder),
        platformOptions: options, input: .none, output: .bytes(limit: Limits.outputBytes),
        error: .bytes(limit: Limits.outputBytes)
      ) { execution in
        let leader = execution.processIdentifier.value
        group.withLock { $0 = leader }
      }
      let leftBehind = endGroup()
      try Task.checkCancellation()
      return Ending(
        status: result.terminationStatus, output: result.standardOutput, errorOutput: result.standardError,
        leftBehind: leftBehind)
    } catch let error as SubprocessError {
      _ = endGroup()
      try Task.checkCancellation()
      throw translate(error)
    } catch {
      _ = endGroup()
      throw error
    }
  }

  /// The error for a command that wrote more than fits.
  static func tooLarge(_ command: Command) -> ActionError {
    ActionError(
      "output-too-large",
      "'\(command.description)' wrote more than \(Limits.outputBytes) bytes; send its output to a file",
      isRetryable: false)
  }

  private func translate(_ error: SubprocessError) -> ActionError {
    switch error.code {
    case .outputLimitExceeded: Self.tooLarge(command)
    case .executableNotFound:
      ActionError(
        "command-not-found", "there is no program '\(command.program)'; install it or correct its name",
        isRetryable: false)
    case .failedToChangeWorkingDirectory:
      ActionError(
        "folder-missing", "cannot run '\(command.description)' in '\(folder)': \(reason(error))", isRetryable: false)
    default:
      ActionError("spawn-failed", "cannot run '\(command.description)': \(reason(error))", isRetryable: true)
    }
  }

  private func reason(_ error: SubprocessError) -> String {
    error.underlyingError.map { "\($0)" } ?? error.description
  }
}
