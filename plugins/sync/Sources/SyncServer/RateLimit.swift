#if Network
  import SyncEngine
  import Synchronization

  /// Limits the requests to each zone within any second (S44). The error of a refused request includes the time to
  /// wait.
  final class RateLimit: Sendable {
    private let perSecond: Int
    private let times = Mutex<[String: [Int64]]>([:])

    init(perSecond: Int) { self.perSecond = perSecond }

    /// Counts a request, or throws if the limit has been reached within the last second.
    func take(zone: String, atMilliseconds now: Int64) throws(BackendError) {
      let wait = times.withLock { times -> Int64? in
        var recent = (times[zone] ?? []).filter { now - $0 < 1000 }
        defer { times[zone] = recent }
        if recent.count >= perSecond { return 1000 - (now - recent[recent.count - perSecond]) }
        recent.append(now)
        return nil
      }
      if let wait { throw .rateLimited(retryAfterMilliseconds: max(1, wait)) }
    }
  }
#endif
