import SyncCore
import SyncEngine
import SyncPomodoro

/// A machine with a manual clock, and a zone that responds immediately or when the test decides.
struct Rig {
  static let start: Int64 = 1_704_628_800_000
  static let device = DeviceID(stem: "mac", random: 1)

  var machine: SyncMachine
  var zone = Rig.empty
  var now: Int64 = Rig.start
  /// The difference between the device's clock and the server's.
  var skew: Int64 = 0
  var disk: [String: [UInt8]] = [:]
  var requests: [(time: Int64, request: SyncMachine.Request)] = []
  var notices: [SyncMachine.Notice] = []
  /// The error that the server returns for every request, or nil.
  var error: BackendError?
  /// The error that the server returns for every commit, or nil.
  var commitError: BackendError?
  /// The requests that the test has not answered yet.
  var held: [(number: Int, request: SyncMachine.Request)] = []
  var holds = false

  init(settings: SyncSettings = Rig.plain, replica: Replica = Replica(device: Rig.device), seed: UInt64 = 1) {
    machine = SyncMachine(replica: replica, settings: settings, seed: seed)
  }

  /// A zone with only the rules of the timer's schema.
  static let empty: ZoneState = {
    var zone = ZoneState(generation: 1, store: StoreIdentity(number: 1))
    _ = try? zone.commit(Pomodoro.naming(atMilliseconds: start), serverMilliseconds: start)
    return zone
  }()

  /// Settings without a channel and with essential timers.
  static var plain: SyncSettings {
    var settings = SyncSettings()
    settings.usesChannel = false
    settings.essentialTypes = [Pomodoro.timer.type]
    return settings
  }

  var commits: [[RecordOperation]] {
    requests.compactMap { if case .commit(let operations, _) = $0.request { operations } else { nil } }
  }

  var pulls: Int { requests.count - commits.count }

  mutating func start() { give(.started) }

  mutating func act(_ kind: TimerKind = .focus, completed: Int64 = 0) {
    give(.acted(Pomodoro.timer, .edit(TimerState(kind: kind).edit(completing: completed))))
  }

  mutating func give(_ event: SyncMachine.Event) {
    for effect in machine.handle(event, atMilliseconds: now + skew) {
      switch effect {
      case .save(let changes): for change in changes { disk[change.key] = change.value }
      case .send(let number, let request):
        requests.append((now, request))
        if holds { held.append((number, request)) } else { answer(number, request) }
      case .openChannel, .closeChannel: break
      case .tell(let notice): notices.append(notice)
      }
    }
  }

  mutating func answerHeld() {
    let waiting = held
    held = []
    for one in waiting { answer(one.number, one.request) }
  }

  private mutating func answer(_ number: Int, _ request: SyncMachine.Request) {
    if let error {
      give(.failed(number, error))
      return
    }
    if let commitError, case .commit = request {
      give(.failed(number, commitError))
      return
    }
    do throws(BackendError) {
      switch request {
      case .commit(let operations, let heard):
        let reply = try zone.commit(operations, heard: heard, serverMilliseconds: now)
        give(.answered(number, .commit(reply)))
      case .changes(let since, let limit, let bytes, let reader):
        let page = try zone.changes(
          since: since, limit: limit, maximumBytes: bytes, reader: reader, serverMilliseconds: now)
        give(.answered(number, .changes(page)))
      }
    } catch {
      give(.failed(number, error))
    }
  }

  /// Advances the clock and wakes the machine at the times it requested.
  mutating func advance(milliseconds: Int64) {
    let end = now + milliseconds
    while let wake = machine.nextWake(atMilliseconds: now + skew), wake != .max, max(wake - skew, now + 1) <= end {
      now = max(wake - skew, now + 1)
      give(.woke)
    }
    now = end
  }

  /// Commits a change made on another device.
  mutating func commitElsewhere(_ kind: TimerKind, device: UInt32 = 9, number: Int64 = 1) {
    let stored = zone.records[Pomodoro.timer]
    let write = Write(
      timer: Dot(device: DeviceID(stem: "phone", random: device), number: number), milliseconds: now,
      seen: stored?.cell.latestStamp, context: stored?.cell.context ?? VersionVector(), state: TimerState(kind: kind))
    let operation = RecordOperation(
      key: Pomodoro.timer, expectedVersion: stored?.version ?? 0, change: .write(write))
    _ = try? zone.commit([operation], serverMilliseconds: now)
  }

  var shown: TimerKind? {
    machine.replica.view(of: Pomodoro.timer, windowMilliseconds: 5000).reading(by: Pomodoro.decide)
      .flatMap { TimerState(payload: $0.winner.payload)?.kind }
  }
}

extension ZoneState {
  /// The number of completed pomodoros in the zone.
  var completed: Int64 { records[Pomodoro.timer].map { TimerStateRecord.completed(in: $0.cell) } ?? 0 }
}
