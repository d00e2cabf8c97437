#if Network
  import Foundation
  import SyncWire
  import TestSupport

  typealias Database = TestSupport.Database
  typealias Shell = TestSupport.Shell

  extension TestSupport.Shell {
    /// Runs a script on a separate thread, so that a server in this process can respond in the meantime.
    static func runAside(_ script: String, input: String) async throws -> (status: Int32, output: String) {
      try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try run(script, input: input) }) }
      }
    }
  }

  /// Sends requests with curl, including ones that a client of the sync server would not send.
  enum Curl {
    static func get(_ address: String) async throws -> (status: Int, body: String) {
      let (_, output) = try await Shell.runAside("curl -s -m 10 -w '\\n%{http_code}' \(address)", input: "")
      let lines = output.split(separator: "\n", omittingEmptySubsequences: false)
      return (Int(lines.last ?? "") ?? 0, lines.dropLast().joined(separator: "\n"))
    }

    static func post(
      _ address: String, token: String, body: [UInt8], version: Int = Wire.version
    ) async throws -> (status: Int, body: String) {
      let path = address.split(separator: "/").suffix(2)
      let head = RequestHead(kind: String(path.last ?? ""), zone: String(path.first ?? "")) { name in
        switch name {
        case "authorization": "Bearer \(token)"
        case Wire.versionHeader: "\(version)"
        default: nil
        }
      }
      let (_, output) = try await Shell.runAside(
        "base64 -d | curl -s -m 10 -X POST -H 'Authorization: Bearer \(token)' -H '\(Wire.versionHeader): \(version)' -H '\(RequestHead.checkHeader): \(head.check(body: body))' -H 'Expect:' --data-binary @- -w '\\n%{http_code}' \(address)",
        input: Data(body).base64EncodedString())
      let lines = output.split(separator: "\n", omittingEmptySubsequences: false)
      return (Int(lines.last ?? "") ?? 0, lines.dropLast().joined(separator: "\n"))
    }
  }
#endif
