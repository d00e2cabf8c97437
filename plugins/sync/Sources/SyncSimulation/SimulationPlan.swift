import SyncCore
import SyncEngine
import SyncPomodoro
import SyncRecords

/// The plan of a simulation: the actions of users, and the faults.
public struct SimulationPlan: Sendable {
  /// The seed of all random choices. The same plan with the same seed always runs identically.
  package var seed: UInt64
  /// The number of devices.
  public var devices: Int
  /// The records that the devices share.
  package var schema: RecordSchema
  /// The kind of the zone's backend.
  public var backend = Backend.server
  /// The steps, in any order.
  public var steps: [Step] = []
  /// The time in milliseconds since the start when all faults end.
  package var healsAtMilliseconds: Int64
  package var faults = Faults()
  package var settings: SyncSettings
  /// The traffic budget of each device.
  package var limits: RequestBudget.Limits
  /// The maximum time in milliseconds from the end of the faults until all devices are idle.
  package var patienceMilliseconds: Int64 = 30 * 3_600_000

  /// Creates a plan without steps.
  public init(seed: UInt64, devices: Int, healsAtMilliseconds: Int64, schema: RecordSchema = Pomodoro.schema) {
    self.seed = seed
    self.devices = devices
    self.healsAtMilliseconds = healsAtMilliseconds
    self.schema = schema
    settings = SyncSettings(for: schema)
    limits = schema.budget ?? .none
  }

  /// The kind of backend in a simulation.
  public enum Backend: String, Sendable, CaseIterable {
    /// A server that decides on changes itself.
    case server
    /// A cloud database such as CloudKit, which only saves records. The devices decide.
    case cloudZone = "cloud-zone"
  }

  /// An event for one device.
  public struct Step: Sendable {
    /// The time in milliseconds since the start.
    package var milliseconds: Int64
    /// The device, numbered from 0.
    package var device: Int
    package var command: Command

    package init(_ milliseconds: Int64, _ device: Int, _ command: Command) {
      self.milliseconds = milliseconds
      self.device = device
      self.command = command
    }
  }

  /// An event in the simulation, such as an edit or a crash.
  package enum Command: Sendable {
    /// The user edits a record.
    case acted(RecordKey, RecordEdit)
    /// The user makes a random edit that the schema allows. Contains the seed of the edit.
    case drawn(UInt64)
    /// The user goes offline or online.
    case switched(online: Bool)
    /// The process is killed and starts again after the given number of milliseconds.
    case crash(restartAfterMilliseconds: Int64)
    /// The process is killed and starts again without its saved cursor.
    case loseCursor
    /// The device connects to the store of other people, or to its own store again.
    case pointed(elsewhere: Bool)
    /// The server makes a copy of the zone.
    case backUpServer
    /// The server restores its last copy of the zone. If announced, the zone starts a new incarnation immediately. If
    /// the server stays open, the zone does not start one.
    case restoreServer(isAnnounced: Bool, staysOpen: Bool = false)

    /// The user sets the timer and increases the number of completed pomodoros.
    package static func set(_ state: TimerState, completed: Int64) -> Command {
      .acted(Pomodoro.timer, state.edit(completing: completed))
    }

    /// The user starts a new day.
    package static var resetCount: Command { .acted(Pomodoro.timer, Pomodoro.newDay) }

    /// The user changes a setting.
    package static func setting(_ name: String, _ value: String) -> Command {
      .acted(Pomodoro.settings, RecordEdit(fields: [name: .set(Scalar.text(value).bytes)]))
    }
  }

  /// The faults of messages, clocks, processes and the server.
  package struct Faults: Sendable {
    /// The share of lost messages.
    package var loss = 0.0
    /// The share of duplicated messages.
    package var duplication = 0.0
    /// The share of messages that are up to 30 s late.
    package var lateness = 0.0
    /// The range of the delays of messages in milliseconds. Delays are random, so messages can overtake each other.
    package var delayMilliseconds: ClosedRange<Int64> = 5...80
    /// The error of each device's clock, in milliseconds.
    package var skewsMilliseconds: [Int64] = []
    /// A device that is killed, and the number of the effect that it is about to perform. Nil if no device is killed.
    package var crashBeforeEffect: (device: Int, effect: Int)?
    /// The error that the server returns to all requests, and the time in milliseconds since the start when this ends.
    package var serverError: (error: BackendError, untilMilliseconds: Int64)?

    package init() {}
  }
}
