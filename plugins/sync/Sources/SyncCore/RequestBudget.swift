/// Limits the traffic of a device: by default to 100 requests in any hour and 1 MB in any day (S43, F25, F26).
///
/// The budget records the times of the last hour's requests instead of using a token bucket, which would allow 199
/// requests in an hour. It also records the bytes of each of the last 25 hours, which cover any day. Sending and
/// receiving cannot starve each other: some requests of each hour are reserved for the user's pushes, others, evenly
/// spaced, for receiving. The first fetch of a zone is counted separately and always allowed.
package struct RequestBudget: Hashable, Sendable {
  package struct Limits: Hashable, Sendable {
    /// The maximum number of requests in any sliding hour.
    package var requestsPerHour: Int
    /// The maximum number of bytes in any sliding day.
    package var bytesPerDay: Int
    /// The requests per hour that are reserved for the user's pushes.
    package var reservedForPushes: Int
    /// The requests per hour that are reserved for polls and pulls, evenly spaced.
    package var reservedForReceiving: Int

    /// Creates limits. By default, they are 100 requests, 1,000,000 bytes, and 20 requests each that are reserved for
    /// pushes and for receiving.
    package init(
      requestsPerHour: Int = 100, bytesPerDay: Int = 1_000_000, reservedForPushes: Int = 20,
      reservedForReceiving: Int = 20
    ) {
      self.requestsPerHour = requestsPerHour
      self.bytesPerDay = bytesPerDay
      self.reservedForPushes = reservedForPushes
      self.reservedForReceiving = reservedForReceiving
    }

    /// No limits. Used for a zone in a file on this machine, which needs no protection.
    package static let none = Limits(
      requestsPerHour: .max, bytesPerDay: .max, reservedForPushes: 0, reservedForReceiving: 0)

    package var areLimited: Bool { requestsPerHour != .max }

    /// The interval between requests reserved for receiving, in milliseconds.
    var receivingMilliseconds: Int64 { RequestBudget.hourMilliseconds / Int64(max(1, reservedForReceiving)) }
  }

  /// The purpose of a request.
  package enum Purpose: Hashable, Sendable {
    /// Sending the user's actions.
    case push
    /// Polling, pulling, opening a channel and everything else.
    case other
  }

  package struct Request: Hashable, Sendable {
    /// The time in milliseconds since 1970.
    package var milliseconds: Int64
    /// True if the request was one of those reserved for receiving.
    package var isReserved: Bool

    package init(milliseconds: Int64, isReserved: Bool = false) {
      self.milliseconds = milliseconds
      self.isReserved = isReserved
    }
  }

  package let limits: Limits
  /// The times of the latest requests that were not reserved for receiving, oldest first.
  private var generalTimes: [Int64] = []
  /// The times of the latest requests that were reserved for receiving, oldest first. Together, both arrays have at
  /// most `capacity` items.
  private var receivingTimes: [Int64] = []
  /// The bytes of each of the last 25 hours, oldest first.
  package private(set) var hours: [HourOfBytes]
  /// The cost of the zone's first fetch, which does not count toward any limit.
  package private(set) var firstFetch: FirstFetch

  package struct FirstFetch: Hashable, Sendable {
    /// The number of requests after the first one. The first request counts toward the limits.
    package var requests: Int
    /// The number of bytes received.
    package var bytes: Int

    package init(requests: Int = 0, bytes: Int = 0) {
      self.requests = requests
      self.bytes = bytes
    }
  }

  package struct HourOfBytes: Hashable, Sendable {
    /// The hour, as the number of hours since 1970.
    package var hour: Int64
    /// The number of bytes sent and received in this hour.
    package var bytes: Int

    package init(hour: Int64, bytes: Int) {
      self.hour = hour
      self.bytes = bytes
    }
  }

  fileprivate static let hourMilliseconds: Int64 = 3_600_000
  /// The number of recorded requests in a budget without limits.
  private static let unlimitedLog = 1000

  /// Creates a budget. The arguments after `limits` continue a saved budget.
  package init(
    limits: Limits = Limits(), log: [Request] = [], hours: [HourOfBytes] = [], firstFetch: FirstFetch = FirstFetch()
  ) {
    self.limits = limits
    self.hours = hours
    self.firstFetch = firstFetch
    for request in log.sorted(by: { $0.milliseconds < $1.milliseconds }).suffix(capacity) {
      if request.isReserved {
        receivingTimes.append(request.milliseconds)
      } else {
        generalTimes.append(request.milliseconds)
      }
    }
  }

  private var capacity: Int { limits.areLimited ? limits.requestsPerHour : Self.unlimitedLog }

  /// The recorded requests. Those reserved for receiving come last.
  package var log: [Request] {
    generalTimes.map { Request(milliseconds: $0) } + receivingTimes.map { Request(milliseconds: $0, isReserved: true) }
  }

  /// Returns the number of requests in the hour before `now`.
  package func requests(atMilliseconds now: Int64) -> Int {
    Self.count(generalTimes, inHourBefore: now) + Self.count(receivingTimes, inHourBefore: now)
  }

  private static func count(_ times: [Int64], inHourBefore now: Int64) -> Int {
    var (low, high) = (times.startIndex, times.endIndex)
    while low < high {
      let middle = (low + high) / 2
      if now - times[middle] <= hourMilliseconds { high = middle } else { low = middle + 1 }
    }
    return times.endIndex - low
  }

  /// Returns the number of bytes sent and received in the day before `now`. The oldest hour counts in full.
  package func bytes(atMilliseconds now: Int64) -> Int {
    let first = now / Self.hourMilliseconds - 24
    return hours.reduce(0) { $1.hour >= first ? $0 + $1.bytes : $0 }
  }

  /// Returns the earliest time, not before `now`, when a request of up to `bytes` is allowed, or `Int64.max` if such a
  /// request is never allowed.
  package func permitted(_ purpose: Purpose, bytes needed: Int, atMilliseconds now: Int64) -> Int64 {
    guard limits.areLimited else { return now }
    var time = general(purpose, now)
    if purpose == .other, time > now { time = min(time, reserved(now)) }
    guard time != .max, needed <= limits.bytesPerDay else { return .max }
    while bytes(atMilliseconds: time) + needed > limits.bytesPerDay {
      time = (time / Self.hourMilliseconds + 1) * Self.hourMilliseconds
    }
    return time
  }

  /// Returns the earliest time when a request is allowed without using those reserved for receiving.
  private func general(_ purpose: Purpose, _ now: Int64) -> Int64 {
    let allowed =
      limits.requestsPerHour - limits.reservedForReceiving - (purpose == .push ? 0 : limits.reservedForPushes)
    return Self.free(allowed, of: generalTimes, now)
  }

  /// Returns the earliest time of a request that is reserved for receiving.
  private func reserved(_ now: Int64) -> Int64 {
    let rested = receivingTimes.last.map { $0 + limits.receivingMilliseconds } ?? now
    return max(rested, Self.free(limits.reservedForReceiving, of: receivingTimes, now))
  }

  /// Returns the earliest time when fewer than `allowed` of these requests are in the preceding hour.
  private static func free(_ allowed: Int, of times: [Int64], _ now: Int64) -> Int64 {
    if allowed <= 0 { return .max }
    return times.count < allowed ? now : max(now, times[times.count - allowed] + hourMilliseconds + 1)
  }

  /// Returns the used share of the budget from 0 to 1, without the requests reserved for receiving. It is the share of
  /// requests or that of bytes, whichever is higher.
  package func usedShare(atMilliseconds now: Int64) -> Double {
    guard limits.areLimited else { return 0 }
    let spent = Self.count(generalTimes, inHourBefore: now)
    return max(
      Double(spent) / Double(max(1, limits.requestsPerHour - limits.reservedForReceiving)),
      Double(bytes(atMilliseconds: now)) / Double(limits.bytesPerDay))
  }

  /// Returns the number of bytes that may still be sent or received at `now`.
  package func bytesLeft(atMilliseconds now: Int64) -> Int { max(0, limits.bytesPerDay - bytes(atMilliseconds: now)) }

  /// Moves future times to the present. They were recorded while the clock was ahead, and would otherwise count for too
  /// long.
  package mutating func correct(atMilliseconds now: Int64) {
    generalTimes = generalTimes.map { min($0, now) }
    receivingTimes = receivingTimes.map { min($0, now) }
    let present = now / Self.hourMilliseconds
    let ahead = hours.filter { $0.hour > present }.reduce(0) { $0 + $1.bytes }
    guard ahead > 0 else { return }
    hours.removeAll { $0.hour > present }
    spend(bytes: ahead, atMilliseconds: now)
  }

  /// Records a request sent now.
  package mutating func spendRequest(_ purpose: Purpose, atMilliseconds now: Int64) {
    let isReserved = purpose == .other && limits.areLimited && general(.other, now) > now
    let time = max(now, generalTimes.last ?? now, receivingTimes.last ?? now)
    if isReserved { receivingTimes.append(time) } else { generalTimes.append(time) }
    guard generalTimes.count + receivingTimes.count > capacity else { return }
    if receivingTimes.isEmpty || generalTimes.first.map({ $0 <= receivingTimes[0] }) ?? false {
      generalTimes.removeFirst()
    } else {
      receivingTimes.removeFirst()
    }
  }

  /// Records the cost of the zone's first fetch.
  package mutating func spendOnFirstFetch(requests: Int = 0, bytes: Int = 0) {
    firstFetch.requests += requests
    firstFetch.bytes += bytes
  }

  /// Records bytes sent or received now.
  package mutating func spend(bytes: Int, atMilliseconds now: Int64) {
    let hour = max(now / Self.hourMilliseconds, hours.last?.hour ?? 0)
    if hours.last?.hour == hour {
      hours[hours.count - 1].bytes += bytes
    } else {
      hours.append(HourOfBytes(hour: hour, bytes: bytes))
      if hours.count > 25 { hours.removeFirst(hours.count - 25) }
    }
  }
}
