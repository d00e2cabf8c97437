#if Network
  /// A statement, together with the values of its parameters.
  package struct PostgresStatement: Sendable {
    /// The SQL text, with `$1`, `$2`, … in place of the parameters.
    package var sql: String
    package var parameters: [PostgresParameter]

    package init(sql: String, parameters: [PostgresParameter]) {
      self.sql = sql
      self.parameters = parameters
    }
  }

  /// The value of a statement's parameter.
  package enum PostgresParameter: Sendable {
    case text(String)
    case integer(Int64)
    case bytes([UInt8])
  }

  /// Parameters in libpq's format: stored one after another, with texts and numbers as C strings.
  struct PostgresArguments {
    private var content: [UInt8] = []
    private var offsets: [Int] = []
    private var lengths: [Int32] = []
    private var formats: [Int32] = []

    init(_ parameters: [PostgresParameter]) {
      offsets.reserveCapacity(parameters.count)
      lengths.reserveCapacity(parameters.count)
      formats.reserveCapacity(parameters.count)
      for parameter in parameters {
        offsets.append(content.count)
        switch parameter {
        case .text(let text): content.append(contentsOf: text.utf8)
        case .integer(let number): content.append(contentsOf: String(number).utf8)
        case .bytes(let bytes): content.append(contentsOf: bytes)
        }
        lengths.append(Int32(content.count - (offsets.last ?? 0)))
        if case .bytes = parameter { formats.append(1) } else { formats.append(0) }
        content.append(0)
      }
    }

    /// Calls the body with the number of parameters and the start, length and format of each.
    func withPointers<Value>(
      _ body: (Int32, [UnsafePointer<CChar>?], [Int32], [Int32]) -> Value
    ) -> Value {
      content.withUnsafeBytes { buffer in
        // The starts point into `content`, which outlives the call.
        let base = buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
        return body(Int32(offsets.count), offsets.map { offset in base.map { $0 + offset } }, lengths, formats)
      }
    }
  }
#endif
