/// What a device may still send: at most 100 requests in any sliding hour and 1 MB in any day (S43, F25, F26).
///
/// It keeps the times of the last hour's requests, not a bucket of tokens, which would let 199 through in an hour; and the
/// bytes of each of the last 25 hours, which cover any day wholly. Neither sending nor receiving starves the other: some
/// requests of each hour are kept for the user's pushes, and some others, evenly spread, for hearing of other devices. What a
/// device needs to fetch the zone for the first time is counted apart and used up by nothing.
public struct RequestBudget: Hashable, Sendable {
  /// What may be spent.
  public struct Limits: Hashable, Sendable {
    /// Requests in any sliding hour.
    public var requestsPerHour: Int
    /// Bytes in any sliding day.
    public var bytesPerDay: Int
    /// Requests of an hour that polls and pulls leave to the user's pushes.
    public var reservedForPushes: Int
    /// Requests of an hour that are kept for polls and pulls, one every so often.
    public var reservedForReceiving: Int

    /// The limits of the design: 100 requests, 1,000,000 bytes, 20 kept for pushes and 20 for receiving.
    public init(
      requestsPerHour: Int = 100, bytesPerDay: Int = 1_000_000, reservedForPushes: Int = 20,
      reservedForReceiving: Int = 20
    ) {
      self.requestsPerHour = requestsPerHour
      self.bytesPerDay = bytesPerDay
      self.reservedForPushes = reservedForPushes
      self.reservedForReceiving = reservedForReceiving
    }

    /// No limits: for a file on this machine, which needs no protection.
    public static let none = Limits(
      requestsPerHour: .max, bytesPerDay: .max, reservedForPushes: 0, reservedForReceiving: 0)

    /// Whether there are any.
    public var areLimited: Bool { requestsPerHour != .max }

    /// How far apart the requests kept for receiving are, in milliseconds.
    var receivingMilliseconds: Int64 { RequestBudget.hourMilliseconds / Int64(max(1, reservedForReceiving)) }
  }

  /// What a request is for.
  public enum Purpose: Hashable, Sendable {
    /// Sends the user's actions.
    case push
    /// Everything else: polls, pulls, opening a channel.
    case other
  }

  /// A request that went.
  public struct Request: Hashable, Sendable {
    /// When, in milliseconds since 1970.
    public var milliseconds: Int64
    /// Whether it is one of those that are kept for receiving.
    public var isReserved: Bool

    /// Notes a request.
    public init(milliseconds: Int64, isReserved: Bool = false) {
      self.milliseconds = milliseconds
      self.isReserved = isReserved
    }
  }

  /// What may be spent.
  public let limits: Limits
  /// When the last requests went that are not kept for receiving, oldest first.
  private var generalTimes: [Int64] = []
  /// When those went that are kept for receiving, oldest first. Both together are at most as many as the limit.
  private var receivingTimes: [Int64] = []
  /// Bytes by hour since 1970, oldest first; at most 25.
  public private(set) var hours: [HourOfBytes]
  /// What the first fetch of the zone took, which counts against no limit.
  public private(set) var firstFetch: FirstFetch

  /// What the first fetch of the zone took.
  public struct FirstFetch: Hashable, Sendable {
    /// Requests behind the first one, which counts like any other.
    public var requests: Int
    /// Bytes that came.
    public var bytes: Int

    /// Makes a sum.
    public init(requests: Int = 0, bytes: Int = 0) {
      self.requests = requests
      self.bytes = bytes
    }
  }

  /// The bytes of one hour.
  public struct HourOfBytes: Hashable, Sendable {
    /// Hours since 1970.
    public var hour: Int64
    /// Bytes sent and received in it.
    public var bytes: Int

    /// Makes a sum.
    public init(hour: Int64, bytes: Int) {
      self.hour = hour
      self.bytes = bytes
    }
  }

  fileprivate static let hourMilliseconds: Int64 = 3_600_000
  /// The number of requests that are kept where there is no limit.
  private static let unlimitedLog = 1000

  /// A budget of which nothing is spent, or one that continues where a saved one stopped.
  public init(
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

  /// The last requests, those that are kept for receiving at the end.
  public var log: [Request] {
    generalTimes.map { Request(milliseconds: $0) } + receivingTimes.map { Request(milliseconds: $0, isReserved: true) }
  }

  /// Requests in the hour that ends now.
  public func requests(atMilliseconds now: Int64) -> Int {
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

  /// Bytes in the day that ends now; the oldest hour counts whole.
  public func bytes(atMilliseconds now: Int64) -> Int {
    let first = now / Self.hourMilliseconds - 24
    return hours.reduce(0) { $1.hour >= first ? $0 + $1.bytes : $0 }
  }

  /// The earliest time from `now` on at which a request that may need `bytes` is allowed.
  public func permitted(_ purpose: Purpose, bytes needed: Int, atMilliseconds now: Int64) -> Int64 {
    guard limits.areLimited else { return now }
    var time = general(purpose, now)
    if purpose == .other, time > now { time = min(time, reserved(now)) }
    guard time != .max, needed <= limits.bytesPerDay else { return .max }
    while bytes(atMilliseconds: time) + needed > limits.bytesPerDay {
      time = (time / Self.hourMilliseconds + 1) * Self.hourMilliseconds
    }
    return time
  }

  /// When a request is allowed that takes nothing from what is kept for receiving.
  private func general(_ purpose: Purpose, _ now: Int64) -> Int64 {
    let allowed =
      limits.requestsPerHour - limits.reservedForReceiving - (purpose == .push ? 0 : limits.reservedForPushes)
    return Self.free(allowed, of: generalTimes, now)
  }

  /// When one of those is allowed that are kept for receiving.
  private func reserved(_ now: Int64) -> Int64 {
    let rested = receivingTimes.last.map { $0 + limits.receivingMilliseconds } ?? now
    return max(rested, Self.free(limits.reservedForReceiving, of: receivingTimes, now))
  }

  /// When fewer than `allowed` of these requests are in the hour before.
  private static func free(_ allowed: Int, of times: [Int64], _ now: Int64) -> Int64 {
    if allowed <= 0 { return .max }
    return times.count < allowed ? now : max(now, times[times.count - allowed] + hourMilliseconds + 1)
  }

  /// The share that is spent of what is not kept for receiving: 1 is all of it, by requests or by bytes, whichever is more.
  public func usedShare(atMilliseconds now: Int64) -> Double {
    guard limits.areLimited else { return 0 }
    let spent = Self.count(generalTimes, inHourBefore: now)
    return max(
      Double(spent) / Double(max(1, limits.requestsPerHour - limits.reservedForReceiving)),
      Double(bytes(atMilliseconds: now)) / Double(limits.bytesPerDay))
  }

  /// Bytes that are left in the day that ends now.
  public func bytesLeft(atMilliseconds now: Int64) -> Int { max(0, limits.bytesPerDay - bytes(atMilliseconds: now)) }

  /// Has what was spent under a clock that has been ahead since then count as spent now, so that it does not count for as
  /// long as the clock was wrong.
  public mutating func correct(atMilliseconds now: Int64) {
    generalTimes = generalTimes.map { min($0, now) }
    receivingTimes = receivingTimes.map { min($0, now) }
    let present = now / Self.hourMilliseconds
    let ahead = hours.filter { $0.hour > present }.reduce(0) { $0 + $1.bytes }
    guard ahead > 0 else { return }
    hours.removeAll { $0.hour > present }
    spend(bytes: ahead, atMilliseconds: now)
  }

  /// Notes a request that goes now.
  public mutating func spendRequest(_ purpose: Purpose, atMilliseconds now: Int64) {
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

  /// Notes what the first fetch of the zone took.
  public mutating func spendOnFirstFetch(requests: Int = 0, bytes: Int = 0) {
    firstFetch.requests += requests
    firstFetch.bytes += bytes
  }

  /// Notes bytes that went or came now.
  public mutating func spend(bytes: Int, atMilliseconds now: Int64) {
    let hour = max(now / Self.hourMilliseconds, hours.last?.hour ?? 0)
    if hours.last?.hour == hour {
      hours[hours.count - 1].bytes += bytes
    } else {
      hours.append(HourOfBytes(hour: hour, bytes: bytes))
      if hours.count > 25 { hours.removeFirst(hours.count - 25) }
    }
  }
}
