/// Writes a JSON object member by member, so that a large object is never completely in memory.
///
/// ```swift
/// var stream = JSONObjectStream()
/// stream.add("workflow", "launch")
/// stream.open("steps")
/// stream.add("store", ["outcome": "success"])
/// stream.close()
/// stream.close()
/// write(stream.drain())
/// ```
///
/// The bytes are the same as those of ``JSONText`` with the layout `indented`.
package struct JSONObjectStream {
  private var output: [UInt8] = [UInt8(ascii: "{")]
  /// For each open object, from the outermost to the innermost, true if it has no members so far.
  private var isEmpty = [true]
  private let writer = JSONWriter(layout: .indented, numbers: .exact)

  package init() {}

  /// The number of bytes written since the last call to ``drain()``.
  package var count: Int { output.count }

  /// Adds a member to the innermost open object.
  package mutating func add(_ key: String, _ value: Value) {
    begin(key)
    writer.append(value, to: &output, level: isEmpty.count)
  }

  /// Adds a member whose value is an object, and opens that object.
  package mutating func open(_ key: String) {
    begin(key)
    output.append(UInt8(ascii: "{"))
    isEmpty.append(true)
  }

  /// Ends the innermost open object.
  package mutating func close() {
    let wasEmpty = isEmpty.removeLast()
    if wasEmpty {
      output.append(UInt8(ascii: "}"))
    } else {
      writer.close(UInt8(ascii: "}"), to: &output, level: isEmpty.count)
    }
  }

  /// Returns and removes the bytes that have been written so far.
  package mutating func drain() -> [UInt8] {
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
