import SyncCloud
import Testing

/// The conversion of CloudKit's documented error codes. CloudKit itself is not run.
struct `CloudKit errors` {
  private func failure(_ number: Int?, after seconds: Double? = nil) -> CloudKitFailure {
    CloudKitFailure(number: number, text: "reason", retryAfterSeconds: seconds)
  }

  @Test func `a failed request reports one error per record, with a conflict for a record changed elsewhere`() throws {
    // CloudKit rejects an atomic request as a whole. `head` is valid, but fails with `batchRequestFailed` (22) because
    // others were refused.
    let records = [
      "head": failure(22), "part": failure(14), "new": failure(11), "large": failure(27), "odd": failure(10),
    ]
    let request = try #require(CloudKitFailure(records: records))
    #expect(
      request.problem
        == .partial([
          "head": .batchFailed, "part": .changed, "new": .changed, "large": .tooLarge, "odd": .failed("reason"),
        ]))
    #expect(failure(14).problem == .partial(["": .changed]))
    #expect(CloudKitFailure(records: [:]) == nil)
  }

  @Test(arguments: [26, 28]) func `a missing zone is recognized in a request, record or zone error`(number: Int)
    throws
  {
    #expect(failure(number).problem == .zoneNotFound)
    let byRecord = try #require(CloudKitFailure(records: ["head": failure(22), "part": failure(number)]))
    #expect(byRecord.isMissingZone && byRecord.problem == .zoneNotFound)
    let byZone = CloudKitFailure(number: 2, others: [failure(number)])
    #expect(byZone.isMissingZone && byZone.problem == .zoneNotFound)
    #expect(!failure(14).isMissingZone)
  }

  @Test(arguments: [6, 7, 23]) func `an error from a busy service has a wait time of at most one day`(number: Int) {
    #expect(failure(number, after: 2.5).problem == .throttled(retryAfterMilliseconds: 2500))
    #expect(failure(number).problem == .throttled(retryAfterMilliseconds: 1000))
    #expect(failure(number, after: .nan).problem == .throttled(retryAfterMilliseconds: 1000))
    #expect(failure(number, after: -1).problem == .throttled(retryAfterMilliseconds: 1000))
    #expect(failure(number, after: .infinity).problem == .throttled(retryAfterMilliseconds: 86_400_000))
  }

  @Test(arguments: [3, 4, 34]) func `an error without a response reports the service as unreachable`(number: Int) {
    #expect(failure(number).problem == .unreachable("reason"))
  }

  @Test func `any other CloudKit error is mapped to a matching error, or keeps its reason`() {
    #expect(failure(21).problem == .tokenExpired)
    #expect(failure(9).problem == .notAuthenticated)
    #expect(failure(36).problem == .notAuthenticated)
    #expect(failure(25).problem == .quotaExceeded)
    #expect(failure(27).problem == .limitExceeded)
    #expect(failure(10).problem == .failed("reason"))
    #expect(failure(nil).problem == .failed("reason"))
  }
}
