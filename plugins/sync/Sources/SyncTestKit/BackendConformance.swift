import SyncCore
import SyncEngine
import SyncPomodoro

/// Conformance checks that every backend must pass. Run them with your own backend:
///
/// ```swift
/// let failures = await BackendConformance.run { zone in try await MyBackend(zone: zone) }
/// #expect(failures == [])
/// ```
public enum BackendConformance {
  /// A violation of a rule by a backend.
  public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The violated rule.
    public var rule: String
    /// A description of the actual behavior.
    public var seen: String
    /// The rule and the actual behavior as text.
    public var description: String { "\(rule): \(seen)" }
  }

  /// Runs each check in a new zone that `make` opens. Returns the violations.
  public static func run(_ make: @Sendable (_ zone: String) async throws -> any SyncBackend) async -> [Failure] {
    var failures: [Failure] = []
    for (index, check) in checks.enumerated() {
      let zone = "Conformance\(index)"
      do {
        let backend = try await make(zone)
        try await prepare(backend, zone)
        try await check.body(backend, zone)
      } catch let failure as Failure {
        failures.append(failure)
      } catch {
        failures.append(Failure(rule: check.rule, seen: "\(error)"))
      }
    }
    return failures
  }

  /// The number of conformance checks.
  public static var count: Int { checks.count }

  typealias Body = @Sendable (any SyncBackend, String) async throws -> Void

  private static let checks: [(rule: String, body: Body)] = [
    ("a first commit makes version 1", firstCommit),
    ("versions and sequences rise by one", monotone),
    ("another version than expected is a conflict that brings the record", conflict),
    ("the same write again changes nothing", idempotent),
    ("another write under a number that is taken is a conflict", taken),
    ("an act is known by its name for ever, and another one under that name is refused", named),
    ("of an act that may have been given back the zone says that it cannot tell", perhaps),
    ("a cell that is given back is held to the rules of its record", rules),
    ("a retired device gives its place up", retire),
    ("a stamp from the future is clamped to a second ahead of the server", clamp),
    ("one operation's trouble does not stop the others", independent),
    ("an operation that can never succeed is refused with the reason", refusal),
    ("one request may change a record twice, each change with a place of its own", twice),
    ("a name that not every store can hold is refused", malformedName),
    ("changes come in order, in pages, without gaps", pages),
    ("pages keep to the bytes they are given, beyond the first record", pageBytes),
    ("a cursor of another incarnation of the zone has expired", expired),
    ("who has heard of what the zone has not got is told before anything is applied", lost),
    ("a number keeps its tag, and every cursor that was given out is known", tagged),
    ("what is meant for another store is refused", store),
    ("more operations than the limit are refused as a whole", tooMany),
    ("a zone that is not there is named", missingZone),
    ("a watcher is notified at once and after each change, across instances", notifications),
    ("commits of many at once all count, each once", concurrent),
    ("a joined cell is merged, not put in the other's place", join),
    ("the server's clock goes forward", time),
    ("the zone keeps the rules of a collection, and records keep to them", zoneRules),
    ("of different rules that come at the same time one is taken, and the other refused", rulesAtOnce),
    ("a collection has at most as many records as its rules allow", recordLimit),
    ("what one request does to a record comes in its order or not at all", ordered),
    ("a transaction is stored whole or not at all", transactions),
    ("transactions that meet all come in, each seen whole", transactionsAtOnce),
    ("a full collection forgets its oldest deletion, and what that deleted does not come back", forgotten),
    ("a deletion is kept where references read otherwise for it", heldDeletion),
    ("of what is not subscribed to the key comes alone", subscription),
    ("the pages of a subscription lose nothing that changes between them", subscriptionPages),
  ]

  // MARK: Helpers

  static func device(_ number: Int) -> DeviceID { DeviceID(stem: "device", random: UInt32(number)) }

  static func write(
    _ device: Int, _ number: Int64 = 1, at milliseconds: Int64, kind: TimerKind = .focus, seeing cell: Cell? = nil
  ) -> Write {
    Write(
      timer: Dot(device: self.device(device), number: number), milliseconds: milliseconds, seen: cell?.latestStamp,
      context: cell?.context ?? VersionVector(),
      state: TimerState(kind: kind, remainingMilliseconds: kind.runsDown ? 60_000 : 0), completed: number)
  }

  static func operation(_ write: Write, expected: Int64) -> RecordOperation {
    RecordOperation(key: Pomodoro.timer, expectedVersion: expected, change: .write(write))
  }

  static func deviceRecord(_ device: Int, at milliseconds: Int64) -> RecordOperation {
    RecordOperation(
      key: DeviceInfo.key(of: self.device(device)), expectedVersion: 0,
      change: .write(
        Write(
          dot: Dot(device: self.device(device), number: 1), milliseconds: milliseconds,
          fields: [.init(name: "platform", value: Scalar.text("linux").bytes)], record: RecordWrite())))
  }

  static func expect(_ condition: Bool, _ rule: String, _ seen: @autoclosure () -> String) throws {
    if !condition { throw Failure(rule: rule, seen: seen()) }
  }

  /// The keys of the rules that `prepare` declares before each check.
  private static let usual = Set(Pomodoro.naming(atMilliseconds: 0).map(\.key))

  private static func prepare(_ backend: any SyncBackend, _ zone: String) async throws {
    let operations = Pomodoro.naming(atMilliseconds: try await backend.serverTime())
    let reply = try await backend.commit(operations, zone: zone)
    for case .refused(let refusal) in reply.results { throw Failure(rule: "rules are taken", seen: "\(refusal)") }
  }

  /// Returns the zone's position before the check writes anything.
  static func start(_ backend: any SyncBackend, _ zone: String) async throws -> Cursor {
    try await backend.changes(zone: zone, since: nil, limit: SyncLimits.records, maximumBytes: 1 << 20).cursor
  }

  /// Returns the records written by a check, without the rules declared by `prepare`.
  static func all(_ backend: any SyncBackend, _ zone: String) async throws -> [SyncRecord] {
    try await backend.changes(zone: zone, since: nil, limit: SyncLimits.records, maximumBytes: 1 << 20)
      .records.filter { !usual.contains($0.key) }
  }
}
