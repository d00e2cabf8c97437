#if Network
  import CPostgreSQL

  /// The rows of a statement's result, in binary format.
  package final class PostgresRows {
    private let result: OpaquePointer?

    init(_ result: OpaquePointer?) { self.result = result }

    deinit { PQclear(result) }

    /// True if the statement succeeded.
    package var isGood: Bool {
      let status = PQresultStatus(result)
      return status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK
    }

    /// True if this is the result that marks the end of a pipeline.
    var isEnd: Bool { PQresultStatus(result) == PGRES_PIPELINE_SYNC }

    package var count: Int { Int(PQntuples(result)) }

    /// The error message on one line.
    package var message: String {
      result.map { Self.oneLine(String(cString: PQresultErrorMessage($0))) } ?? "no answer"
    }

    /// The SQLSTATE of the error, which has five characters, or nil if there is none.
    package var state: String? { PQresultErrorField(result, Int32(UInt8(ascii: "C"))).map { String(cString: $0) } }

    /// True if the value in the given row and column is NULL.
    package func isNull(_ row: Int, _ column: Int) -> Bool { PQgetisnull(result, Int32(row), Int32(column)) == 1 }

    package func integer(_ row: Int, _ column: Int) -> Int64 {
      guard let start = PQgetvalue(result, Int32(row), Int32(column)) else { return 0 }
      let bytes = UnsafeRawBufferPointer(start: start, count: length(row, column))
      return bytes.reduce(0) { $0 << 8 | Int64($1) }
    }

    package func text(_ row: Int, _ column: Int) -> String { String(decoding: bytes(row, column), as: UTF8.self) }

    /// Returns the number of bytes of a value.
    package func length(_ row: Int, _ column: Int) -> Int { Int(PQgetlength(result, Int32(row), Int32(column))) }

    package func bytes(_ row: Int, _ column: Int) -> [UInt8] {
      guard let start = PQgetvalue(result, Int32(row), Int32(column)) else { return [] }
      return Array(UnsafeRawBufferPointer(start: start, count: length(row, column)))
    }

    /// Returns a message without line breaks.
    package static func oneLine(_ text: String) -> String {
      text.split(whereSeparator: \.isNewline).map { $0.drop { $0 == " " || $0 == "\t" } }.joined(separator: "; ")
    }
  }
#endif
