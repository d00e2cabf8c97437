/// Writes a JSON object member by member, so that a large one is never in memory as a whole.
///
/// ```swift
/// var stream = JSONObjectStream()
/// stream.add("workflow", "launch")
/// stream.open("steps")
/// stream.add("store", ["outcome": "success"])
/// stream.close()
/// stream.close()
/// write(stream.take())
/// ```
///
/// The text equals that of ``JSONText`` with the layout `indented`, byte for byte.
public struct JSONObjectStream {
  private var output: [UInt8] = [UInt8(ascii: "{")]
  /// For each open object, true if it has no members yet.
  private var isEmpty = [true]
  private let writer = JSONWriter(layout: .indented, numbers: .exact)

  /// Creates a stream with the outermost object open.
  public init() {}

  /// The number of bytes that have been written and not yet taken.
  public var count: Int { output.count }

  /// Adds a member to the innermost open object.
  public mutating func add(_ key: String, _ value: Value) {
    begin(key)
    writer.append(value, to: &output, level: isEmpty.count)
  }

  /// Adds an empty object as a member and opens it.
  public mutating func open(_ key: String) {
    begin(key)
    output.append(UInt8(ascii: "{"))
    isEmpty.append(true)
  }

  /// Closes the innermost open object.
  public mutating func close() {
    let wasEmpty = isEmpty.removeLast()
    if wasEmpty {
      output.append(UInt8(ascii: "}"))
    } else {
      writer.close(UInt8(ascii: "}"), to: &output, level: isEmpty.count)
    }
  }

  /// Returns the bytes written since the last call.
  public mutating func take() -> [UInt8] {
    defer { output.removeAll(keepingCapacity: true) }
    return output
  }

  private mutating func begin(_ key: String) {
    writer.separate(isFirst: isEmpty[isEmpty.count - 1], to: &output, level: isEmpty.count)
    isEmpty[isEmpty.count - 1] = false
    JSONWriter.append(string: key, to: &output)
    output.append(UInt8(ascii: ":"))
    output.append(UInt8(ascii: " "))
  }
}
