import FlowModel
import SyncPomodoro

/// A command that a person types while the timer is shown.
enum TimerCommand: Hashable {
  case start(TimerKind, Duration)
  case set(TimerKind)
  case pause, resume, done, reset, offline, online, status, parked, help
  case setting(String, String)
  case retry(Int64?)
  case discard(Int64)
  case retire(String)

  /// The reason why a line is not a command. The description includes the expected form.
  struct TimerProblem: Error, Hashable, CustomStringConvertible {
    let description: String
  }

  private static let words = [
    "focus", "break", "snooze", "idle", "pause", "resume", "done", "reset", "offline", "online", "status", "set",
    "parked", "retry", "discard", "retire", "help",
  ]

  static let overview = """
    focus 25m · break 5m · snooze · idle · pause · resume · done (one pomodoro more) · reset (a new day) · \
    set NAME VALUE · offline · online · status · parked · retry [NUMBER] · discard NUMBER · retire DEVICE · help
    """

  /// Parses a line. Returns nil for an empty line. Throws a `TimerProblem` for an invalid command.
  init?(_ line: String) throws(TimerProblem) {
    let parts = line.split(separator: " ", maxSplits: 2).map(String.init)
    guard let word = parts.first?.lowercased() else { return nil }
    let argument = parts.count > 1 ? parts[1] : nil
    switch word {
    case "focus": self = .start(.focus, try Self.duration(argument, "focus", "25m"))
    case "break": self = .start(.breakTime, try Self.duration(argument, "break", "5m"))
    case "set":
      guard parts.count == 3 else {
        throw TimerProblem(description: "'set' takes a name and a value, as in: set theme dark")
      }
      self = .setting(parts[1], parts[2])
    case "retry": self = .retry(try argument.map { text throws(TimerProblem) in try Self.position(text, "retry") })
    case "discard":
      guard let argument else { throw TimerProblem(description: "'discard' needs a number, as 'parked' shows it") }
      self = .discard(try Self.position(argument, "discard"))
    case "retire":
      guard let argument else {
        throw TimerProblem(description: "'retire' needs a device's name, as 'status' shows it")
      }
      self = .retire(argument)
    default:
      guard let plain = Self.plain[word] else {
        throw TimerProblem(description: "'\(word)' is not a command\(Self.suggestion(word)); help lists them")
      }
      if let argument { throw TimerProblem(description: "'\(word)' takes nothing after it, not '\(argument)'") }
      self = plain
    }
  }

  private static let plain: [String: TimerCommand] = [
    "snooze": .set(.snooze), "idle": .set(.idle), "pause": .pause, "resume": .resume, "done": .done, "reset": .reset,
    "offline": .offline, "online": .online, "status": .status, "parked": .parked, "help": .help,
  ]

  private static func position(_ text: String, _ word: String) throws(TimerProblem) -> Int64 {
    guard let position = Int64(text), position > 0 else {
      throw TimerProblem(description: "'\(text)' is not a change number, as in: \(word) 3")
    }
    return position
  }

  private static func duration(_ text: String?, _ word: String, _ example: String) throws(TimerProblem) -> Duration {
    guard let text else { throw TimerProblem(description: "'\(word)' needs a duration, as in: \(word) \(example)") }
    guard let duration = try? DurationText.parse(text), duration > .zero, duration <= .seconds(86_400) else {
      throw TimerProblem(description: "'\(text)' is not a duration up to 24h, as in: \(word) \(example)")
    }
    return duration
  }

  private static func suggestion(_ word: String) -> String {
    let near = words.first { candidate in
      candidate.hasPrefix(word.prefix(2)) || Set(candidate).symmetricDifference(word).count <= 2
    }
    return near.map { "; did you mean '\($0)'?" } ?? ""
  }
}
