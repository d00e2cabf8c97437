/// What a device may still send: at most 100 requests in any sliding hour and 1 MB in any day (S43, F25, F26).
///
/// It keeps the times of the last hundred requests, not a bucket of tokens, which would let 199 through in an hour; and
/// the bytes of each of the last 25 hours, which cover any day wholly.
public struct RequestBudget: Hashable, Sendable {
  /// What may be spent.
  public struct Limits: Hashable, Sendable {
    /// Requests in any sliding hour.
    public var requestsPerHour: Int
    /// Bytes in any sliding day.
    public var bytesPerDay: Int
    /// Requests of an hour that polls and pulls leave to the user's pushes.
    public var reservedForPushes: Int

    /// The limits of the design: 100 requests, 1,000,000 bytes, 20 kept for pushes.
    public init(requestsPerHour: Int = 100, bytesPerDay: Int = 1_000_000, reservedForPushes: Int = 20) {
      self.requestsPerHour = requestsPerHour
      self.bytesPerDay = bytesPerDay
      self.reservedForPushes = reservedForPushes
    }
  }

  /// What a request is for.
  public enum Purpose: Hashable, Sendable {
    /// Sends the user's actions.
    case push
    /// Everything else: polls, pulls, opening a channel.
    case other
  }

  /// What may be spent.
  public let limits: Limits
  /// When the last requests went, oldest first; at most as many as the limit.
  public private(set) var times: [Int64]
  /// Bytes by hour since 1970, oldest first; at most 25.
  public private(set) var hours: [HourOfBytes]

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

  private static let hourMilliseconds: Int64 = 3_600_000

  /// A budget of which nothing is spent, or one that goes on where a saved one stopped.
  public init(limits: Limits = Limits(), times: [Int64] = [], hours: [HourOfBytes] = []) {
    self.limits = limits
    self.times = Array(times.sorted().suffix(limits.requestsPerHour))
    self.hours = hours
  }

  /// Requests in the hour that ends now.
  public func requests(atMilliseconds now: Int64) -> Int {
    times.count - (times.firstIndex { now - $0 <= Self.hourMilliseconds } ?? times.count)
  }

  /// Bytes in the day that ends now; the oldest hour counts whole.
  public func bytes(atMilliseconds now: Int64) -> Int {
    let first = now / Self.hourMilliseconds - 24
    return hours.reduce(0) { $1.hour >= first ? $0 + $1.bytes : $0 }
  }

  /// The earliest time from `now` on at which a request that may need `bytes` is allowed.
  public func permitted(_ purpose: Purpose, bytes needed: Int, atMilliseconds now: Int64) -> Int64 {
    let allowed = limits.requestsPerHour - (purpose == .push ? 0 : limits.reservedForPushes)
    var time = now
    if allowed <= 0 { return .max }
    if times.count >= allowed {
      time = max(time, times[times.count - allowed] + Self.hourMilliseconds + 1)
    }
    guard needed <= limits.bytesPerDay else { return .max }
    while bytes(atMilliseconds: time) + needed > limits.bytesPerDay {
      time = (time / Self.hourMilliseconds + 1) * Self.hourMilliseconds
    }
    return time
  }

  /// The share of the budget that is spent: 1 is all of it, by requests or by bytes, whichever is more.
  public func usedShare(atMilliseconds now: Int64) -> Double {
    max(
      Double(requests(atMilliseconds: now)) / Double(limits.requestsPerHour),
      Double(bytes(atMilliseconds: now)) / Double(limits.bytesPerDay))
  }

  /// Bytes that are left in the day that ends now.
  public func bytesLeft(atMilliseconds now: Int64) -> Int { max(0, limits.bytesPerDay - bytes(atMilliseconds: now)) }

  /// Notes a request that goes now.
  public mutating func spendRequest(atMilliseconds now: Int64) {
    times.append(max(now, times.last ?? now))
    if times.count > limits.requestsPerHour { times.removeFirst(times.count - limits.requestsPerHour) }
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
