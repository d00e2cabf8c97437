import SyncEngine
import SyncWire
import Testing

/// Error responses from a sync server, or from a proxy or another program in between.
struct ForeignAnswerTests {
  @Test(
    "a response that is not an error of the sync server is retried, regardless of its status",
    arguments: [400, 401, 403, 404, 405, 410, 413, 418, 500, 502, 504],
    ["", "oops", "<html>Bad Request</html>", #"{"error":"oops"}"#, #"{"error":{"message":"oops"}}"#])
  func isRetried(status: Int, body: String) {
    let error = Wire.error(Array(body.utf8), status: status)
    #expect(error.remedy == .retry(afterMilliseconds: nil))
    #expect("\(error)".contains("status \(status)") || "\(error)".contains("oops"), "\(error)")
  }

  @Test func `errors of the sync server keep their remedy when they are transmitted`() {
    let errors: [BackendError] = [
      .invalid("a"), .forbidden("b"), .tooLarge, .limitExceeded, .notAuthenticated("c"), .zoneMissing("d"),
      .cursorExpired, .unsupportedFormat("e"),
    ]
    for error in errors {
      let read = Wire.error(Wire.body(of: error), status: Wire.status(of: error))
      #expect(read.remedy == error.remedy, "\(error) came as \(read)")
    }
  }

  @Test(arguments: [BackendError.invalid("a"), .forbidden("b"), .tooLarge, .limitExceeded])
  func `an older server's refusal pauses the device and reports that the server is older`(error: BackendError) {
    let read = Wire.error(Wire.body(of: error), status: Wire.status(of: error), version: Wire.version - 1)
    #expect(read == .unsupportedFormat(Wire.serverIsOlder))
    #expect(read.remedy == .pause)
  }

  @Test func `other errors of an older server have the same remedy as those of a current one`() {
    let errors: [BackendError] = [.rateLimited(retryAfterMilliseconds: 5000), .cursorExpired, .notAuthenticated("c")]
    for error in errors {
      let read = Wire.error(Wire.body(of: error), status: Wire.status(of: error), version: Wire.version - 1)
      #expect(read.remedy == error.remedy, "\(error) came as \(read)")
    }
  }
}
