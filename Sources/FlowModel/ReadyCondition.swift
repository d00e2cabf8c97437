/// The condition that decides when a service that runs a command is ready (`ready-when`).
package struct ReadyCondition: Sendable, Hashable {
  /// The check that determines whether the service is ready.
  package var probe: Probe
  /// The pause between two checks.
  package var every: Duration
  /// The maximum time from the start of the command until the service is ready.
  package var within: Duration

  /// The kinds of checks that determine whether a service is ready.
  package enum Probe: Sendable, Hashable {
    /// The command has printed a line that matches this POSIX extended regular expression.
    case log(String)
    /// The command accepts connections on this port of 127.0.0.1 or ::1.
    case port(Int)
    /// A request to this `http://` address returns a status from 200 to 399.
    case http(HTTPAddress)
    /// This command exits with status 0. It is a string or a list of words.
    case run(Value)
  }

  /// The name of the action's input that contains the condition.
  package static let input = "ready-when"
  /// The keys that select a kind of check. A condition has exactly one of them.
  package static let probes = ["log", "port", "http", "run"]
  /// The default pause between two checks.
  package static let usualPause = Duration.milliseconds(100)
  /// The default maximum time until the service is ready.
  package static let usualTime = Duration.seconds(30)

  /// Parses the value of the input, such as `{ port: 8080, every: 1s, within: 30s }`. Throws if it is invalid.
  package init(_ value: ValueObject) throws(StopPolicy.PolicyProblem) {
    every = Self.usualPause
    within = Self.usualTime
    var probe: Probe?
    for (key, value) in value {
      switch key {
      case "every", "within":
        let time = try Self.duration(value, key)
        if key == "every" { every = time } else { within = time }
      default:
        guard Self.probes.contains(key) else {
          throw StopPolicy.PolicyProblem(
            message:
              "there is no key '\(key)'; expected one of \(Self.probes.joined(separator: ", ")), and 'every' and 'within'"
          )
        }
        guard probe == nil else { throw Self.count }
        probe = try Self.probe(key, value)
      }
    }
    guard let probe else { throw Self.count }
    self.probe = probe
  }

  private static var count: StopPolicy.PolicyProblem {
    StopPolicy.PolicyProblem(message: "it must have exactly one of \(probes.joined(separator: ", "))")
  }

  /// The port that is checked, or nil if the check uses none.
  package var port: Int? {
    switch probe {
    case .port(let port): port
    case .http(let address): address.port
    case .log, .run: nil
    }
  }

  private static func probe(_ key: String, _ value: Value) throws(StopPolicy.PolicyProblem) -> Probe {
    switch key {
    case "log":
      guard let text = value.stringValue, !text.isEmpty else {
        throw StopPolicy.PolicyProblem(message: "'log' is a POSIX extended regular expression, not \(value.shortText)")
      }
      return .log(text)
    case "port":
      guard let port = value.integerValue ?? value.stringValue.flatMap({ Int($0) }), (1...65_535).contains(port) else {
        throw StopPolicy.PolicyProblem(message: "'port' is a number from 1 to 65535, not \(value.shortText)")
      }
      return .port(port)
    case "http":
      guard let address = value.stringValue.flatMap({ HTTPAddress($0) }) else {
        throw StopPolicy.PolicyProblem(
          message: "'http' is an address such as http://127.0.0.1:8080/health, not \(value.shortText)")
      }
      return .http(address)
    default:
      let isCommand = value.stringValue?.contains { !$0.isWhitespace } ?? (value.arrayValue?.isEmpty == false)
      guard isCommand else {
        throw StopPolicy.PolicyProblem(message: "'run' is a command: a text, or a list of a program and its arguments")
      }
      return .run(value)
    }
  }

  private static func duration(_ value: Value, _ key: String) throws(StopPolicy.PolicyProblem) -> Duration {
    guard let time = value.stringValue.flatMap({ try? DurationText.parse($0) }), time > .zero else {
      throw StopPolicy.PolicyProblem(message: "'\(key)' is a duration above zero such as 500ms, not \(value.shortText)")
    }
    return time
  }
}

extension Step {
  /// The action that runs a command as a service.
  package static let serviceAction = "shell.service"

  /// True if the step runs a command as a service.
  package var isCommandService: Bool { uses == Self.serviceAction }

  /// The port at which the readiness of a command service is checked. Nil for other steps, if no port is checked, or if
  /// an expression determines the port.
  package var servicePort: Int? {
    guard isCommandService, let value = with[ReadyCondition.input]?.objectValue else { return nil }
    return (try? ReadyCondition(value))?.port
  }
}

/// An address that begins with `http://`.
package struct HTTPAddress: Sendable, Hashable {
  /// The name or address of the host. An IPv6 address has no brackets.
  package var host: String
  /// The port of the server, 80 by default.
  package var port: Int
  /// The path and query, beginning with a slash.
  package var path: String

  /// Parses an address. Returns nil if it is invalid.
  package init?(_ text: String) {
    let scheme = "http://"
    guard text.lowercased().hasPrefix(scheme),
      !text.unicodeScalars.contains(where: { $0.value <= 32 || $0.value == 127 })
    else { return nil }
    let rest = text.dropFirst(scheme.count).prefix { $0 != "#" }
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    let path = rest.dropFirst(authority.count)
    self.path = path.isEmpty ? "/" : path.hasPrefix("?") ? "/" + path : String(path)
    var host = authority
    var port: Substring?
    if authority.hasPrefix("[") {
      guard let close = authority.firstIndex(of: "]") else { return nil }
      host = authority[authority.index(after: authority.startIndex)..<close]
      let behind = authority[authority.index(after: close)...]
      if behind.hasPrefix(":") { port = behind.dropFirst() } else if !behind.isEmpty { return nil }
    } else if let colon = authority.firstIndex(of: ":") {
      host = authority[..<colon]
      port = authority[authority.index(after: colon)...]
    }
    let number = port.map { Int($0) ?? 0 } ?? 80
    guard !host.isEmpty, !host.contains("@"), !host.contains(":") || authority.hasPrefix("["),
      (1...65_535).contains(number)
    else { return nil }
    self.host = String(host)
    self.port = number
  }

  /// True if the address is on this machine.
  package var isLocal: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }

  /// The whole address as a string.
  package var text: String { "http://\(host.contains(":") ? "[\(host)]" : host):\(port)\(path)" }
}
