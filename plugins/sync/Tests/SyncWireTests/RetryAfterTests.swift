import SyncEngine
import SyncWire
import Testing

/// The header `Retry-After` in every form that HTTP allows.
struct RetryAfterTests {
  /// 1994-11-06 08:49:07 UTC, half a minute before the dates below.
  private static let now: Int64 = 784_111_747_000

  private func wait(_ header: String, now: Int64 = now) -> BackendError.Remedy {
    Wire.error([], status: 429, retryAfter: header, nowMilliseconds: now).remedy
  }

  @Test(arguments: [
    "30", "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
  ])
  func `S36: a Retry-After header with seconds, or with a date in any format, defines a pause`(_ header: String) {
    #expect(wait(header) == .retry(afterMilliseconds: 30_000))
  }

  @Test func `a Retry-After date in the past causes no pause, and a distant date causes a pause of one day`() {
    #expect(wait("Sun, 06 Nov 1994 08:49:06 GMT") == .retry(afterMilliseconds: 0))
    #expect(wait("Tue, 06 Nov 2040 08:49:37 GMT") == .retry(afterMilliseconds: 86_400_000))
    #expect(wait("999999999999") == .retry(afterMilliseconds: 86_400_000))
  }

  @Test func `S36, M2: a Retry-After date is compared with the response's date, not with the device's clock`() {
    for wrong in [-7_200_000, 0, 86_400_000] as [Int64] {
      let error = Wire.error(
        [], status: 503, retryAfter: "Sun, 06 Nov 1994 08:49:37 GMT", date: "Sun, 06 Nov 1994 08:49:35 GMT",
        nowMilliseconds: Self.now + wrong)
      #expect(error.remedy == .retry(afterMilliseconds: 2_000))
    }
    let error = Wire.error(
      [], status: 503, retryAfter: "Sun, 06 Nov 1994 08:49:37 GMT", date: "today", nowMilliseconds: Self.now)
    #expect(error.remedy == .retry(afterMilliseconds: 30_000))
  }

  @Test func `a pause is computed correctly across leap years and centuries`() {
    // 2000-02-29 00:00:00 UTC and the first second of the next day.
    #expect(wait("Wed, 01 Mar 2000 00:00:01 GMT", now: 951_782_400_000) == .retry(afterMilliseconds: 86_400_000))
    #expect(wait("Tue, 29 Feb 2000 23:59:59 GMT", now: 951_782_400_000) == .retry(afterMilliseconds: 86_399_000))
    // A two-digit year is in the nearest century.
    #expect(wait("Saturday, 01-Jan-00 00:00:09 GMT", now: 946_684_799_000) == .retry(afterMilliseconds: 10_000))
  }

  @Test(arguments: [
    "", "soon", "-1", "1.5", "Sun, 06 Nov 1994", "Sun, 32 Nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Abc 1994 08:49:37 GMT", "Sun, 06 Nov 1994 25:49:37 GMT",
    "Sun, 06 Nov 1994 08:49:37 CET",
  ])
  func `a Retry-After header in any other format defines no pause`(_ header: String) {
    #expect(wait(header) == .retry(afterMilliseconds: nil))
  }

  @Test func `a Retry-After header defines a pause for any status, but a value in the body takes precedence`() {
    let header = "Sun, 06 Nov 1994 08:49:37 GMT"
    let error = Wire.error([], status: 503, retryAfter: header, nowMilliseconds: Self.now)
    #expect(error.remedy == .retry(afterMilliseconds: 30_000))
    let body = Wire.body(of: .rateLimited(retryAfterMilliseconds: 700))
    let told = Wire.error(body, status: 429, retryAfter: header, nowMilliseconds: Self.now)
    #expect(told.remedy == .retry(afterMilliseconds: 700))
  }
}
