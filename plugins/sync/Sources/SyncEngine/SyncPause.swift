import SyncCore

/// The reason why nothing is sent, and the end of the pause. It is saved with the device's state so that it can be read
/// during a run and afterwards.
public struct SyncPause: Hashable, Sendable {
  /// The start of the pause, in milliseconds since 1970 on the device's clock.
  package var sinceMilliseconds: Int64
  /// The time when the pause ends on its own, or nil if a person must act first.
  package var untilMilliseconds: Int64?
  /// The end of a pause requested by the server, or nil. Such a pause never ends earlier, not even after a restart.
  package var askedUntilMilliseconds: Int64?
  /// A stable code for the reason, for use by programs.
  public var code: String
  /// The reason as text.
  public var reason: String

  /// The maximum length of a saved reason, in bytes.
  static let reasonLimit = 1000
  /// The longest pause requested by a server that is kept after a restart, in milliseconds. It also limits pauses that
  /// were measured while the clock was wrong.
  private static let askedLimitMilliseconds: Int64 = 86_400_000

  package init(
    sinceMilliseconds: Int64, untilMilliseconds: Int64?, askedUntilMilliseconds: Int64? = nil, code: String,
    reason: String
  ) {
    self.sinceMilliseconds = sinceMilliseconds
    self.untilMilliseconds = untilMilliseconds
    self.askedUntilMilliseconds = askedUntilMilliseconds
    self.code = code
    self.reason = reason
  }

  init(_ error: BackendError, from now: Int64, until: Int64?, askedUntil: Int64? = nil) {
    self.init(
      sinceMilliseconds: now, untilMilliseconds: until, askedUntilMilliseconds: askedUntil, code: error.code,
      reason: Self.shortened("\(error)"))
  }

  /// True if the pause has not ended.
  package func isActive(atMilliseconds now: Int64) -> Bool { untilMilliseconds.map { now < $0 } ?? true }

  /// The part of the pause that remains when the server is reachable again: the pause requested by the server, or nil.
  var askedByServer: SyncPause? {
    guard let askedUntilMilliseconds else { return nil }
    var pause = self
    pause.untilMilliseconds = askedUntilMilliseconds
    return pause
  }

  /// Returns the part of the pause that remains after a restart, or nil if nothing remains.
  func afterRestart(atMilliseconds now: Int64) -> SyncPause? {
    guard let pause = askedByServer, let until = pause.untilMilliseconds, sinceMilliseconds <= now, now < until,
      until - sinceMilliseconds <= Self.askedLimitMilliseconds
    else { return nil }
    return pause
  }

  static func shortened(_ text: String) -> String {
    if text.utf8.count <= reasonLimit { return text }
    var result = ""
    for character in text {
      if result.utf8.count + character.utf8.count > reasonLimit - 3 { break }
      result.append(character)
    }
    return result + "…"
  }
}

extension SyncPause {
  func packed() -> [UInt8] {
    var packer = Packer()
    packer.byte((untilMilliseconds == nil ? 0 : 1) | (askedUntilMilliseconds == nil ? 0 : 2))
    packer.signed(sinceMilliseconds)
    packer.signed(untilMilliseconds ?? 0)
    packer.signed(askedUntilMilliseconds ?? 0)
    packer.text(code)
    packer.text(reason)
    return packer.bytes
  }

  /// Reads a packed pause. Returns nil for an empty array.
  init?(packed bytes: [UInt8]) throws(PackingError) {
    if bytes.isEmpty { return nil }
    var reader = Unpacker(bytes)
    let flags = try reader.byte("the pause's parts")
    sinceMilliseconds = try reader.signed("the begin of the pause")
    let until = try reader.signed("the end of the pause")
    let asked = try reader.signed("what the server asked for")
    untilMilliseconds = flags & 1 == 1 ? until : nil
    askedUntilMilliseconds = flags & 2 == 2 ? asked : nil
    code = try reader.text("the pause's code", limit: Self.reasonLimit)
    reason = try reader.text("the pause's reason", limit: Self.reasonLimit)
  }
}
