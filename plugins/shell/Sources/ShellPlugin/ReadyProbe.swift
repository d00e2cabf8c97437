import FlowModel
import FlowSystem

/// A check that determines whether a service is ready.
enum ReadyProbe: Sendable {
  /// The service is ready when it prints a matching line.
  case line(LinePattern)
  /// The service is ready when this port of the machine accepts connections.
  case port(Int)
  /// The service is ready when an HTTP request to this address returns a status from 200 to 399.
  case http(HTTPAddress)
  /// The service is ready when this program exits with status 0 within 5 s.
  case command(Program)

  private static let lookTime = Duration.seconds(5)
  /// The loopback addresses that are tried when a port is checked.
  private static let hosts = ["127.0.0.1", "::1"]
  /// The null device, which receives the output of ``command(_:)``.
  private static let nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC)

  /// The result of one check.
  enum Answer {
    case notReady
    case ready
    /// The port answers, but the process that listens on it does not belong to the service.
    case stranger(description: String)
  }

  /// Checks once whether the service is ready. A check by a program ends early when `isOver` returns true.
  func look(at group: ProcessGroup, unless isOver: () -> Bool) -> Answer {
    let isAnswered =
      switch self {
      case .line: false
      case .port(let port): Self.isAnswered(port)
      case .http(let address): Self.isAnswered(address)
      case .command(let program): Self.succeeds(program, unless: isOver)
      }
    guard isAnswered else { return .notReady }
    // Another program may have started to use the port since it was found free.
    guard let port = portToBeFree, let stranger = PortListeners(at: port).stranger(to: group) else { return .ready }
    return .stranger(description: stranger)
  }

  /// The port on which nothing may answer before the service starts, or nil if there is none.
  var portToBeFree: Int? {
    switch self {
    case .port(let port): port
    case .http(let address): address.isLocal ? address.port : nil
    case .line, .command: nil
    }
  }

  /// The reason why the service is not ready, for messages.
  var description: String {
    switch self {
    case .line: "no line matched"
    case .port(let port): "nothing answered at port \(port)"
    case .http(let address): "no good answer from \(address.text)"
    case .command: "its command did not succeed"
    }
  }

  /// True if this port of the machine accepts connections.
  static func isAnswered(_ port: Int) -> Bool {
    hosts.contains { PlainRequest.isAnswered(host: $0, port: port, by: ContinuousClock.now + lookTime) }
  }

  private static func isAnswered(_ address: HTTPAddress) -> Bool {
    var request = PlainRequest(host: address.host, port: address.port, path: address.path, body: [])
    request.method = "GET"
    request.awaitsBody = false
    guard let answer = try? request.send(by: ContinuousClock.now + lookTime) else { return false }
    return (200..<400).contains(answer.status)
  }

  private static func succeeds(_ program: Program, unless isOver: () -> Bool) -> Bool {
    guard
      let group = try? ProcessGroup(program, input: CommandStart.nothing, output: nowhere, errors: nowhere)
    else { return false }
    let deadline = ContinuousClock.now + lookTime
    while group.status() == nil, !isOver(), ContinuousClock.now < deadline { _ = poll(nil, 0, 5) }
    return group.end() == .exited(code: 0)
  }
}
