import FlowModel

/// What the host says to a plugin's program, as lines of JSON-RPC 2.0.
enum HostMessage {
  /// The version of the protocol spoken here.
  static let protocolVersion = 1

  /// The id of the `initialize` request, before all calls.
  static let initializeID = 0

  /// The first message: who are you?
  static func initialize() -> [UInt8] {
    Array(
      #"{"jsonrpc":"2.0","id":\#(initializeID),"method":"initialize","params":{"protocol":\#(protocolVersion)}}"#.utf8)
      + [UInt8(ascii: "\n")]
  }

  /// A call of an action.
  static func run(
    id: Int, action: String, inputs: ValueObject, environment: [String: String], attempt: Int, remaining: Duration?
  ) -> [UInt8] {
    var line: [UInt8] = []
    line.reserveCapacity(256)
    line += #"{"jsonrpc":"2.0","id":"#.utf8
    JSONText.append(integer: id, to: &line)
    line += #","method":"run","params":{"action":"#.utf8
    JSONText.append(string: action, to: &line)
    line += #","inputs":"#.utf8
    JSONText.append(.object(inputs), to: &line)
    line += #","env":{"#.utf8
    for (index, variable) in environment.sorted(by: { $0.key < $1.key }).enumerated() {
      if index > 0 { line.append(UInt8(ascii: ",")) }
      JSONText.append(string: variable.key, to: &line)
      line.append(UInt8(ascii: ":"))
      JSONText.append(string: variable.value, to: &line)
    }
    line += #"},"attempt":"#.utf8
    JSONText.append(integer: attempt, to: &line)
    line += #","remainingMilliseconds":"#.utf8
    if let remaining {
      JSONText.append(integer: remaining.nanoseconds / 1_000_000, to: &line)
    } else {
      line += "null".utf8
    }
    line += "}}\n".utf8
    return line
  }

  /// Asks to give up a call.
  static func cancel(id: Int) -> [UInt8] {
    Array(#"{"jsonrpc":"2.0","method":"cancel","params":{"id":\#(id)}}"#.utf8) + [UInt8(ascii: "\n")]
  }

  /// Asks to end; the end of standard input follows.
  static func shutdown() -> [UInt8] { Array(#"{"jsonrpc":"2.0","method":"shutdown"}"#.utf8) + [UInt8(ascii: "\n")] }
}
