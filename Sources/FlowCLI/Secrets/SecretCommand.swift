import FlowModel
import FlowSystem

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Runs a program that prints a secret. The program has limited time. If it fails, its standard error is shown.
enum SecretCommand {
  static let limitSeconds = 30

  /// This process's environment, with the variable that identifies leftover processes. `FLOWRUN_STOP` and make's job
  /// server are left out, because they refer to descriptors that the program does not inherit.
  private static var environment: [String: String] {
    var variables = ProcessInfo.processInfo.environment
    variables[LeftBehind.variable] = LeftBehind.value
    variables[InnerRuns.variable] = nil
    variables["MAKEFLAGS"] = variables["MAKEFLAGS"].flatMap(MakeFlags.withoutDescriptors)
    return variables
  }

  /// Returns the standard output of a program without the last line break. Throws if the program cannot be run, fails
  /// or takes longer than ``limitSeconds``, or if its output cannot be a secret.
  static func output(of words: [String], in folder: String) throws(SecretValues.SecretProblem) -> String {
    let path = try find(words[0])
    let name = words[0]
    let result: Result<String, SecretValues.SecretProblem>
    do throws(SystemError) {
      let output = try Descriptor.pipe()
      let errors = try Descriptor.pipe()
      let nothing = try Descriptor.null()
      let program = Program(
        path: path, arguments: CStrings(words), environment: CStrings(environment: Self.environment), folder: folder)
      let group = try ProcessGroup(
        program, input: nothing.number, output: output.writing.number, errors: errors.writing.number)
      let outputPipe = output.takeReading()
      let errorPipe = errors.takeReading()
      var reader = Reader(deadline: .now + .seconds(limitSeconds))
      let isOver = reader.read(outputPipe, errorPipe)
      let status = isOver ? group.collect().status : group.end()
      result = text(reader, status, isOver, name)
    } catch {
      throw SecretValues.SecretProblem(message: "is not available: cannot run '\(name)': \(error.reason)")
    }
    return try result.get()
  }

  private static func text(
    _ reader: Reader, _ status: TerminationStatus, _ isOver: Bool, _ name: String
  ) -> Result<String, SecretValues.SecretProblem> {
    guard isOver else {
      return .failure(
        SecretValues.SecretProblem(message: "is not available: '\(name)' took longer than \(limitSeconds) s"))
    }
    guard status == .exited(code: 0) else {
      let tail = reader.errors.isEmpty ? "" : ": " + String(decoding: reader.errors.prefix(1_000), as: UTF8.self)
      return .failure(SecretValues.SecretProblem(message: "is not available: '\(name)' \(status)\(tail)"))
    }
    do throws(SecretValues.SecretProblem) {
      return .success(try SecretValues.decoded(SecretValues.withoutLineBreak(reader.output)))
    } catch {
      return .failure(error)
    }
  }

  /// Reads a program's standard output and standard error until both end.
  private struct Reader {
    let deadline: ContinuousClock.Instant
    var output: [UInt8] = []
    var errors: [UInt8] = []

    init(deadline: ContinuousClock.Instant) { self.deadline = deadline }

    /// Reads both outputs. Returns false if the deadline passes before both have ended.
    mutating func read(_ first: borrowing Descriptor, _ second: borrowing Descriptor) -> Bool {
      first.setNonBlocking()
      second.setNonBlocking()
      var isFirstOpen = true
      var isSecondOpen = true
      while isFirstOpen || isSecondOpen {
        let rest = (deadline - .now).nanoseconds / 1_000_000
        var files = [
          pollfd(fd: isFirstOpen ? first.number : -1, events: Int16(POLLIN), revents: 0),
          pollfd(fd: isSecondOpen ? second.number : -1, events: Int16(POLLIN), revents: 0),
        ]
        guard rest > 0, poll(&files, 2, CInt(clamping: rest)) != 0 else { return false }
        if files[0].revents != 0 { isFirstOpen = Self.take(first, &output) }
        if files[1].revents != 0 { isSecondOpen = Self.take(second, &errors) }
      }
      return true
    }

    private static func take(_ pipe: borrowing Descriptor, _ bytes: inout [UInt8]) -> Bool {
      withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
        switch pipe.receive(into: buffer) {
        case .nothing: return true
        case .end: return false
        case .bytes(let count):
          // A few bytes more than the maximum are kept, so that a secret that is too long is detected.
          bytes.append(contentsOf: buffer.prefix(min(count, max(0, Limits.secretBytes + 3 - bytes.count))))
          return true
        }
      }
    }
  }

  private static func find(_ program: String) throws(SecretValues.SecretProblem) -> String {
    if program.contains(Character("/")) { return program }
    for folder in (environment["PATH"] ?? "").split(separator: ":")
    where access("\(folder)/\(program)", X_OK) == 0 {
      return "\(folder)/\(program)"
    }
    throw SecretValues.SecretProblem(
      message: "is not available: there is no program '\(program)'", help: "install it or correct its name")
  }
}
