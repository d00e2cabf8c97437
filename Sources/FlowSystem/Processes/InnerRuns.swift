import CFlowProcess
import FlowPlatform

/// The nested runs: processes of flowrun that commands of this process have started. Each of them reports the time that
/// it needs to stop.
///
/// All commands inherit the writing end of one pipe. `FLOWRUN_STOP` contains its number and identity. A nested run
/// writes a line with the number of the command, its own process number and the time in milliseconds.
package enum InnerRuns {
  /// The environment variable that identifies the pipe and the command, as `61:DEVICE:FILE:COMMAND`.
  package static let variable = "FLOWRUN_STOP"

  /// The longest stop time that is accepted from a nested run, in milliseconds.
  package static let longestMilliseconds = 3_600_000

  fileprivate struct State: ~Copyable {
    var pipe: Descriptor.Pipe?
    var identity = ""
    var commandCount = 0
    /// The beginning of a line that has not been received completely.
    var rest: [UInt8] = []
    /// The reported stop times in milliseconds, by the number of the command and by process.
    var times: [Int: [pid_t: Int]] = [:]
    /// The reported stop times of processes whose command has ended.
    var leftTimes: [pid_t: Int] = [:]
  }

  private static let state = SharedMutex(State())

  /// A command in which nested runs may be started.
  package final class Command: Sendable {
    private let number: Int
    /// The descriptor of the pipe's writing end, which the command inherits.
    let descriptor: CInt
    /// The value of ``InnerRuns/variable`` in the command's environment.
    package let value: String

    fileprivate init(number: Int, descriptor: CInt, value: String) {
      self.number = number
      self.descriptor = descriptor
      self.value = value
    }

    deinit {
      let number = number
      state.mutex.withLock { state in
        guard let times = state.times.removeValue(forKey: number), !times.isEmpty else { return }
        if state.leftTimes.count > Self.mostLeft { state.leftTimes = [:] }
        state.leftTimes.merge(times) { $1 }
      }
    }

    /// The maximum number of processes whose times are kept after their command has ended.
    fileprivate static let mostLeft = 1000

    /// Returns the longest time that a nested run of the command needs to stop, or 0 if there is none.
    ///
    /// - Parameters:
    ///   - group: The process group of the command. Runs started with `setsid` or `timeout` are outside it.
    ///   - others: True to include runs outside the group.
    func milliseconds(in group: pid_t, others: Bool) -> Int {
      running(in: group).filter { others || getpgid($0.key) == group }.values.max() ?? 0
    }

    /// Returns the nested runs of the command that are outside its group.
    func processes(outside group: pid_t) -> [pid_t] { running(in: group).keys.filter { getpgid($0) != group } }

    private func running(in group: pid_t) -> [pid_t: Int] {
      let times = state.mutex.withLock { state in
        read(&state)
        return state.times[number] ?? [:]
      }
      return times.filter { process, _ in
        let isOurs = getpgid(process) == group || LeftBehind.has(variable, value, process)
        return isOurs && ProcessTable.entry(of: process)?.hasEnded != true
      }
    }
  }

  /// Returns the longest time that one of these processes needs to stop, or 0 if none of them is a nested run. The
  /// processes must belong to commands of this process.
  static func milliseconds(of processes: [pid_t]) -> Int {
    state.mutex.withLock { state in
      read(&state)
      // Processes may outlive their command.
      let times = [state.leftTimes] + state.times.values
      return processes.flatMap { process in times.compactMap { $0[process] } }.max() ?? 0
    }
  }

  /// Registers a command that is about to start. Returns nil if there is no pipe for its reports.
  package static func begin() -> Command? {
    state.mutex.withLock { state in
      if state.writing == nil { open(&state) }
      guard let descriptor = state.writing else { return nil }
      // Empty the pipe, so that nested runs can write to it.
      read(&state)
      state.commandCount += 1
      let number = state.commandCount
      state.times[number] = [:]
      return Command(number: number, descriptor: descriptor, value: "\(state.identity):\(number)")
    }
  }

  private static func open(_ state: inout State) {
    do throws(SystemError) {
      let pipe = try Descriptor.pipe()
      // A nested run must not block if this process does not read.
      pipe.setNonBlocking()
      var status = stat()
      guard fstat(pipe.writing.number, &status) == 0 else { return }
      state.identity = "\(FLOW_REPORT_FILE):\(status.st_dev):\(status.st_ino)"
      state.pipe = consume pipe
    } catch {
      // Without a pipe, a default stop time is assumed for nested runs.
    }
  }

  private static func read(_ state: inout State) {
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
      while let count = state.receive(into: buffer) { state.rest += buffer[..<count] }
    }
    while let end = state.rest.firstIndex(of: UInt8(ascii: "\n")) {
      record(String(decoding: state.rest[..<end], as: UTF8.self), &state)
      state.rest.removeFirst(end + 1)
    }
    // No valid line is that long, so the text is discarded.
    if state.rest.count > 4096 { state.rest = [] }
  }

  /// Records a report. Any program may have written the line, so it is accepted only for a command that has been
  /// started.
  private static func record(_ line: String, _ state: inout State) {
    let words = line.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3, let command = Int(words[0]), let process = ProcessNumber(words[1]),
      let time = Int(words[2]),
      time > 0
    else { return }
    let milliseconds = min(time, longestMilliseconds)
    if state.times[command] != nil {
      state.times[command]?[process.value] = milliseconds
    } else if (1...max(1, state.commandCount)).contains(command), state.leftTimes.count <= Command.mostLeft {
      state.leftTimes[process.value] = milliseconds
    }
  }

  /// Reports the time that this process needs to stop, if it is a nested run.
  ///
  /// The environment variable may be wrong, and its descriptor may belong to any file. The report is therefore written
  /// only if the pipe's identity matches.
  package static func report(milliseconds: Int) {
    guard let text = getenv(variable).map({ String(cString: $0) }) else { return }
    let words = text.split(separator: ":", omittingEmptySubsequences: false)
    guard words.count == 4, let number = CInt(words[0]), number > 2, let device = UInt64(words[1]),
      let file = UInt64(words[2]), let command = Int(words[3])
    else { return }
    var status = stat()
    guard fstat(number, &status) == 0, status.st_mode & S_IFMT == S_IFIFO,
      UInt64(truncatingIfNeeded: status.st_dev) == device, UInt64(truncatingIfNeeded: status.st_ino) == file,
      fcntl(number, F_GETFL) & (O_ACCMODE | O_NONBLOCK) == O_WRONLY | O_NONBLOCK
    else { return }
    _ = Array("\(command) \(getpid()) \(min(milliseconds, longestMilliseconds))\n".utf8).withUnsafeBytes {
      SystemCall.write(number, $0)
    }
  }
}

extension InnerRuns.State {
  /// The descriptor of the pipe's writing end, or nil if there is no pipe.
  fileprivate var writing: CInt? {
    switch pipe {
    case .none: nil
    case .some(let pipe): pipe.writing.number
    }
  }

  /// Reads the next bytes from the pipe and returns their number, or nil if there are none.
  fileprivate func receive(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
    switch pipe {
    case .none: return nil
    case .some(let pipe):
      guard case .bytes(let count) = pipe.reading.receive(into: buffer), count > 0 else { return nil }
      return count
    }
  }
}
