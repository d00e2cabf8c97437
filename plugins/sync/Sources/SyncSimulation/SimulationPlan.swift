import SyncCore
import SyncEngine
import SyncPomodoro
import SyncRecords

/// What should be simulated: who does what when, and what goes wrong.
public struct SimulationPlan: Sendable {
  /// Draws everything that is left to chance; the same plan with the same seed plays the same.
  public var seed: UInt64
  /// The number of devices.
  public var devices: Int
  /// The records that the devices share.
  public var schema: RecordSchema
  /// The place of the zone.
  public var backend = Backend.server
  /// What each user does when, in any order.
  public var steps: [Step] = []
  /// When the faults end and everything may become idle, in milliseconds from the start.
  public var healsAtMilliseconds: Int64
  /// What goes wrong on the way.
  public var faults = Faults()
  /// How the devices behave.
  public var settings: SyncSettings
  /// What a device may spend.
  public var limits: RequestBudget.Limits
  /// How long rest may take to come after the faults, in milliseconds.
  public var patienceMilliseconds: Int64 = 30 * 3_600_000

  /// Makes a plan without steps.
  public init(seed: UInt64, devices: Int, healsAtMilliseconds: Int64, schema: RecordSchema = Pomodoro.schema) {
    self.seed = seed
    self.devices = devices
    self.healsAtMilliseconds = healsAtMilliseconds
    self.schema = schema
    settings = SyncSettings(for: schema)
    limits = schema.budget ?? .none
  }

  /// The place of a simulation's zone.
  public enum Backend: String, Sendable, CaseIterable {
    /// On a server that decides on changes itself.
    case server
    /// In a cloud database that only saves records, as CloudKit does; the devices decide.
    case cloudZone = "cloud-zone"
  }

  /// One thing that happens to one device.
  public struct Step: Sendable {
    /// When, in milliseconds from the start.
    public var milliseconds: Int64
    /// To which device, from 0.
    public var device: Int
    /// What.
    public var command: Command

    /// Makes a step.
    public init(_ milliseconds: Int64, _ device: Int, _ command: Command) {
      self.milliseconds = milliseconds
      self.device = device
      self.command = command
    }
  }

  /// What can happen.
  public enum Command: Sendable {
    /// The user does something to a record.
    case acted(RecordKey, RecordEdit)
    /// The user does something that the schema allows, drawn from this number once it is time.
    case drawn(UInt64)
    /// The user goes offline or online.
    case switched(online: Bool)
    /// The process is killed and starts again after this many milliseconds.
    case crash(restartAfterMilliseconds: Int64)
    /// The same, and the saved cursor is lost.
    case loseCursor
    /// The device is pointed at the store of other people, or back at its own.
    case pointed(elsewhere: Bool)
    /// The server keeps a copy of the zone.
    case backUpServer
    /// The server goes back to its last copy; announced, it begins a new incarnation of the zone with it. One that
    /// stays open does not notice.
    case restoreServer(isAnnounced: Bool, staysOpen: Bool = false)

    /// The user sets the timer and adds to the count.
    public static func set(_ state: TimerState, completed: Int64) -> Command {
      .acted(Pomodoro.timer, state.edit(completing: completed))
    }

    /// The user begins a new day.
    public static var resetCount: Command { .acted(Pomodoro.timer, Pomodoro.newDay) }

    /// The user changes a setting.
    public static func setting(_ name: String, _ value: String) -> Command {
      .acted(Pomodoro.settings, RecordEdit(fields: [name: .set(Scalar.text(value).bytes)]))
    }
  }

  /// What goes wrong with messages and clocks.
  public struct Faults: Sendable {
    /// The share of messages that are lost.
    public var loss = 0.0
    /// The share of messages that arrive twice.
    public var duplication = 0.0
    /// The share of messages that arrive up to 30 s late.
    public var lateness = 0.0
    /// The shortest and the longest delay of the others, in milliseconds; drawn for each, so that they overtake.
    public var delayMilliseconds: ClosedRange<Int64> = 5...80
    /// How wrong the devices' clocks are, in milliseconds; the first device's, the second's and so on.
    public var skewsMilliseconds: [Int64] = []
    /// A device and the number of the effect before which it is killed.
    public var crashBeforeEffect: (device: Int, effect: Int)?
    /// The error that the server answers with, and until when in milliseconds from the start.
    public var serverError: (error: BackendError, untilMilliseconds: Int64)?

    /// Nothing goes wrong.
    public init() {}
  }
}
