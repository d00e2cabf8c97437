/// The requests and bytes that a device may still send: at most 100 requests in any sliding hour and 1 MB in any day
/// (S43, F25, F26).
///
/// It stores the times of the last hour's requests instead of a token bucket, which would allow 199 in an hour, and the
/// bytes of each of the last 25 hours, which cover any day completely. Sending and receiving cannot starve each other:
/// some requests of each hour are reserved for the user's pushes, and some others, evenly spaced, for receiving. The
/// first fetch of a zone is counted separately and always allowed.
package struct RequestBudget: Hashable, Sendable {
  /// The limits of a budget.
  package struct Limits: Hashable, Sendable {
    /// The maximum number of requests in any sliding hour.
    package var requestsPerHour: Int
    /// The maximum number of bytes in any sliding day.
    package var bytesPerDay: Int
    /// The requests per hour that polls and pulls leave to the user's pushes.
    package var reservedForPushes: Int
    /// The requests per hour that are reserved for polls and pulls, at even intervals.
    package var reservedForReceiving: Int

    /// The default limits: 100 requests, 1,000,000 bytes, 20 requests reserved for pushes and 20 for receiving.
    package init(
      requestsPerHour: Int = 100, bytesPerDay: Int = 1_000_000, reservedForPushes: Int = 20,
      reservedForReceiving: Int = 20
    ) {
      self.requestsPerHour = requestsPerHour
      self.bytesPerDay = bytesPerDay
      self.reservedForPushes = reservedForPushes
      self.reservedForReceiving = reservedForReceiving
    }

    /// No limits, for a file on this machine, which needs no protection.
    package static let none = Limits(
      requestsPerHour: .max, bytesPerDay: .max, reservedForPushes: 0, reservedForReceiving: 0)

    /// True if requests and bytes are limited.
    package var areLimited: Bool { requestsPerHour != .max }

    /// The interval between requests reserved for receiving, in milliseconds.
    var receivingMilliseconds: Int64 { RequestBudget.hourMilliseconds / Int64(max(1, reservedForReceiving)) }
  }

  /// The purpose of a request.
  package enum Purpose: Hashable, Sendable {
    /// Sends the user's actions.
    case push
    /// Any other purpose: polls, pulls, opening a channel.
    case other
  }

  /// A request that was sent.
  package struct Request: Hashable, Sendable {
    /// The time in milliseconds since 1970.
    package var milliseconds: Int64
    /// True if it was one of those reserved for receiving.
    package var isReserved: Bool

    /// Creates a recorded request.
    package init(milliseconds: Int64, isReserved: Bool = false) {
      self.milliseconds = milliseconds
      self.isReserved = isReserved
    }
  }

  /// The limits of this budget.
  package let limits: Limits
  /// The times of the last requests that were not reserved for receiving, oldest first.
  private var generalTimes: [Int64] = []
  /// The times of the last requests that were reserved for receiving, oldest first. Together with `generalTimes` there
  /// are at most as many as the limit.
  private var receivingTimes: [Int64] = []
  /// The bytes per hour since 1970, oldest first; at most 25 hours.
  package private(set) var hours: [HourOfBytes]
  /// The cost of the zone's first fetch, which does not count against any limit.
  package private(set) var firstFetch: FirstFetch

  /// The cost of a zone's first fetch.
  package struct FirstFetch: Hashable, Sendable {
    /// The number of requests after the first one, which counts like any other request.
    package var requests: Int
    /// The received bytes.
    package var bytes: Int

    /// Creates the cost of a first fetch.
    package init(requests: Int = 0, bytes: Int = 0) {
      self.requests = requests
      self.bytes = bytes
    }
  }

  /// The bytes of one hour.
  package struct HourOfBytes: Hashable, Sendable {
    /// The number of hours since 1970.
    package var hour: Int64
    /// The bytes sent and received in this hour.
    package var bytes: Int

    /// Creates the count of an hour.
    package init(hour: Int64, bytes: Int) {
      self.hour = hour
      self.bytes = bytes
    }
  }

  fileprivate static let hourMilliseconds: Int64 = 3_600_000
  /// The number of requests recorded if there is no limit.
  private static let unlimitedLog = 1000

  /// Creates an unspent budget, or one that continues from a saved state.
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

  /// The last requests, with those reserved for receiving at the end.
  package var log: [Request] {
    generalTimes.map { Request(milliseconds: $0) } + receivingTimes.map { Request(milliseconds: $0, isReserved: true) }
  }

  /// The number of requests in the hour before `now`.
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

  /// The number of bytes in the day before `now`. The oldest hour counts in full.
  package func bytes(atMilliseconds now: Int64) -> Int {
    let first = now / Self.hourMilliseconds - 24
    return hours.reduce(0) { $1.hour >= first ? $0 + $1.bytes : $0 }
  }

  /// The earliest time, not before `now`, at which a request of up to `bytes` is allowed.
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

  /// Returns the earliest time of a request without using the requests reserved for receiving.
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

  /// Returns the earliest time at which the preceding hour contains fewer than `allowed` of these requests.
  private static func free(_ allowed: Int, of times: [Int64], _ now: Int64) -> Int64 {
    if allowed <= 0 { return .max }
    return times.count < allowed ? now : max(now, times[times.count - allowed] + hourMilliseconds + 1)
  }

  /// The used share of the budget without the part reserved for receiving, from 0 to 1: that of requests or that of
  /// bytes, whichever is higher.
  package func usedShare(atMilliseconds now: Int64) -> Double {
    guard limits.areLimited else { return 0 }
    let spent = Self.count(generalTimes, inHourBefore: now)
    return max(
      Double(spent) / Double(max(1, limits.requestsPerHour - limits.reservedForReceiving)),
      Double(bytes(atMilliseconds: now)) / Double(limits.bytesPerDay))
  }

  /// The bytes left in the day before `now`.
  package func bytesLeft(atMilliseconds now: Int64) -> Int { max(0, limits.bytesPerDay - bytes(atMilliseconds: now)) }

  /// Moves requests with future times to the present. They were recorded by a clock that was ahead and would otherwise
  /// count for too long.
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
