import FlowDiagnostics
import FlowModel

/// The keys of `ready-when` in a service.
enum ReadyKey: String, FormatKey {
  case log, port, http, run, every, within

  static let owner = "ready-when"

  static func remedy(insteadOf value: Value) -> String? {
    if let port = value.integerValue { return "write '{ port: \(port) }'" }
    guard let text = value.stringValue else { return nil }
    return HTTPAddress(text) == nil ? "write '{ log: \(value.shortText) }'" : "write '{ http: \(value.shortText) }'"
  }

  static func counterpart(of foreign: String) -> String? {
    switch foreign {
    case "http_get", "http-get", "httpGet", "url": ReadyKey.http.rawValue
    case "exec", "command", "cmd", "test": ReadyKey.run.rawValue
    case "line", "ready_log_line", "log-line", "regex": ReadyKey.log.rawValue
    case "period", "interval", "period_seconds", "periodSeconds": ReadyKey.every.rawValue
    case "timeout", "timeout_seconds", "deadline": ReadyKey.within.rawValue
    default: nil
    }
  }

  static func remedy(for foreign: String, value: String?) -> String? {
    counterpart(of: foreign).map { Correction(foreign, to: $0).question }
  }

  var row: KeyRow {
    switch self {
    case .log: KeyRow(.name, "A POSIX extended regular expression that a line of its output matches, without colors")
    case .port: KeyRow(.count(1...65_535), "The port of 127.0.0.1 or ::1 that accepts connections")
    case .http: KeyRow(.name, "The http:// address that answers with a status from 200 to 399")
    case .run: KeyRow(.command, "The command that exits with status 0")
    case .every:
      KeyRow(.durationAboveZero, default: DurationText.format(ReadyCondition.usualPause), "The pause between two looks")
    case .within:
      KeyRow(
        .durationAboveZero, default: DurationText.format(ReadyCondition.usualTime),
        "The time in which it must be ready after it was started; then it fails as not-ready")
    }
  }
}

/// The keys of `restart` in a service.
enum RestartKey: String, FormatKey {
  case onExit = "on-exit"
  case delay, attempts

  static let owner = "restart"

  static func remedy(insteadOf value: Value) -> String? {
    switch value.stringValue {
    case "always", "unless-stopped": "write '{ on-exit: always }'"
    case "on-failure", "on_failure", "failure": "write '{ on-exit: failure }'"
    case "no", "never": "write '{ on-exit: never }', or leave it out"
    default: nil
    }
  }

  static func counterpart(of foreign: String) -> String? {
    switch foreign {
    case "restart", "policy", "on_exit", "condition": RestartKey.onExit.rawValue
    case "backoff", "backoff_seconds", "pause": RestartKey.delay.rawValue
    case "max_restarts", "max-restarts", "retries", "max_attempts": RestartKey.attempts.rawValue
    default: nil
    }
  }

  static func remedy(for foreign: String, value: String?) -> String? {
    counterpart(of: foreign).map { Correction(foreign, to: $0).question }
  }

  var row: KeyRow {
    let usual = RestartPolicy()
    return switch self {
    case .onExit:
      KeyRow(
        .word(RestartPolicy.Ends.allCases.map(\.rawValue)), default: usual.ends.rawValue,
        "The ends after which it is started again: always, failure (another status than 0) or never")
    case .delay: KeyRow(.duration, default: DurationText.format(usual.delay), "The pause before it is started again")
    case .attempts:
      KeyRow(
        .integerOr(RestartPolicy.attemptRange, word: RestartPolicy.unlimited),
        default: usual.attempts.map { String($0) } ?? RestartPolicy.unlimited,
        "How often it is started again, counted since it was last ready, or unlimited")
    }
  }
}

/// The values of `keep`, which name what stays alive after the last step.
enum KeptPart: String, CaseIterable {
  case services
}
