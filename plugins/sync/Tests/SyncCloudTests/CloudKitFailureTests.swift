import SyncCloud
import Testing

/// How CloudKit's documented error codes are translated. CloudKit itself is not run.
@Suite struct `Errors of CloudKit` {
  private func failure(_ number: Int?, after seconds: Double? = nil) -> CloudKitFailure {
    CloudKitFailure(number: number, text: "reason", retryAfterSeconds: seconds)
  }

  @Test func `are translated for each record, and one changed by another device is a conflict`() throws {
    // In an atomic request, one record is refused and all others fail because of it.
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

  @Test(arguments: [26, 28]) func `cause the zone to be created again if it is missing or was deleted`(number: Int)
    throws
  {
    #expect(failure(number).problem == .zoneNotFound)
    let byRecord = try #require(CloudKitFailure(records: ["head": failure(22), "part": failure(number)]))
    #expect(byRecord.isMissingZone && byRecord.problem == .zoneNotFound)
    let byZone = CloudKitFailure(number: 2, others: [failure(number)])
    #expect(byZone.isMissingZone && byZone.problem == .zoneNotFound)
    #expect(!failure(14).isMissingZone)
  }

  @Test(arguments: [6, 7, 23]) func `of a busy service cause a retry within a day`(number: Int) {
    #expect(failure(number, after: 2.5).problem == .throttled(retryAfterMilliseconds: 2500))
    #expect(failure(number).problem == .throttled(retryAfterMilliseconds: 1000))
    #expect(failure(number, after: .nan).problem == .throttled(retryAfterMilliseconds: 1000))
    #expect(failure(number, after: -1).problem == .throttled(retryAfterMilliseconds: 1000))
    #expect(failure(number, after: .infinity).problem == .throttled(retryAfterMilliseconds: 86_400_000))
  }

  @Test(arguments: [3, 4, 34]) func `without a response cause a retry`(number: Int) {
    #expect(failure(number).problem == .unreachable("reason"))
  }

  @Test func `of other kinds are not retried and contain the reason`() {
    #expect(failure(21).problem == .tokenExpired)
    #expect(failure(9).problem == .notAuthenticated)
    #expect(failure(36).problem == .notAuthenticated)
    #expect(failure(25).problem == .quotaExceeded)
    #expect(failure(27).problem == .limitExceeded)
    #expect(failure(10).problem == .failed("reason"))
    #expect(failure(nil).problem == .failed("reason"))
  }
}
