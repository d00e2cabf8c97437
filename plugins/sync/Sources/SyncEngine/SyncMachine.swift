import FlowBytes
import SyncCore

/// The whole synchronization of one device as a value: events in, effects out (outbox, cursor, three layers, degrade).
///
/// It knows no clock, socket, file or task; each event brings the time of the device's clock. The session runs it against a
/// real backend and the simulator against a simulated world: the same code, to the byte.
///
/// ```swift
/// var machine = SyncMachine(replica: replica, seed: 1)
/// let effects = machine.handle(.started, atMilliseconds: now)   // save, then send, in this order
/// let next = machine.nextWake(atMilliseconds: now)              // when to give it `.woke`
/// ```
public struct SyncMachine: Sendable {
  /// The device's durable state.
  public internal(set) var replica: Replica
  /// How to behave.
  public let settings: SyncSettings
  var generator: SplitMix64

  var push = SendLane()
  var pull = SendLane()
  var channel = Channel()
  var pacing = Pacing()
  var degradation = Degradation()
  var isStarted = false
  /// Whether the user has switched synchronization off.
  public internal(set) var isOffline = false
  /// What a person must look at before anything continues.
  public internal(set) var pausedBecause: BackendError?
  var halt: SyncPause?
  /// The number of fetches that have been answered to their end.
  public internal(set) var completedPulls = 0
  /// The number of fetches that have begun, those that failed included.
  public internal(set) var begunPulls = 0
  /// Which of them was the last to be answered to its end.
  public internal(set) var heardPull = 0
  var isSkewMeasured = false
  /// How long answers take, smoothed; nil before the first.
  var usualRoundTripMilliseconds: Int64?
  var nextRequest = 1
  /// Whether the store has been compared since the connection to it was last made.
  public internal(set) var isStoreConfirmed = false
  /// Whether the user has been told that this device does not hear of others for a while.
  var isStale = false
  /// What a fetch that is not at its end has brought so far.
  var staged: StagedFetch?
  /// How many pages of it had come when the last request for one went.
  var freePages = 0
  /// Records that the zone has said it has not got, until the next fetch.
  var missing: Set<RecordKey> = []
  /// Drawn for each opening of the device's file; see `Write.incarnation`.
  var incarnation: UInt64
  /// What others did must be fetched before anything is sent again.
  var isPushHeld = false
  var effects: [Effect] = []
  /// The positions in the outbox of what the user did in the last event; `fate(of:)` says what has become of it.
  public internal(set) var acted: [Int64] = []

  /// A machine over what the device has saved; `seed` draws the waits between retries.
  public init(replica: Replica, settings: SyncSettings = SyncSettings(), seed: UInt64) {
    self.replica = replica
    self.settings = settings
    generator = SplitMix64(seed: seed)
    var draw = SplitMix64(seed: ~seed)
    incarnation = max(1, draw.next())
  }

  /// What happens to a machine.
  public enum Event: Sendable {
    /// The session begins.
    case started
    /// The user did something to a record.
    case acted(RecordKey, Action)
    /// The user did something to several records, all of it or nothing.
    case transacted([(key: RecordKey, action: Action)])
    /// The app came to the foreground or the device woke: fetch once (S45).
    case foregrounded
    /// The user switched synchronization on or off.
    case switched(online: Bool)
    /// A request was answered.
    case answered(Int, Answer)
    /// A request failed.
    case failed(Int, BackendError)
    /// The live channel is open, or something came down it.
    case channelSigned(Int, ChannelSign)
    /// The live channel could not be opened or has closed.
    case channelClosed(Int, BackendError)
    /// The time that was asked for has come.
    case woke
    /// A person has fixed what paused the machine, or wants the parked items tried again.
    case resumed
    /// A person wants one parked item tried again.
    case retried(position: Int64)
    /// A person gives one parked item up.
    case discarded(position: Int64)
    /// A person takes a device's place in the zone from it.
    case retired(DeviceID)
  }

  /// What the user does to a record.
  public enum Action: Hashable, Sendable {
    /// Changes a record of a collection.
    case edit(RecordEdit)
    /// Names rules of a collection to the zone, by the names under which it keeps them.
    case rules([String: String])
  }

  /// What a backend answered.
  public enum Answer: Sendable {
    /// To a commit.
    case commit(CommitReply)
    /// To a request for changes.
    case changes(ChangePage)
  }

  /// What should be done, in this order.
  public enum Effect: Sendable {
    /// Save these in one transaction; what follows rests on it.
    case save([StoreChange])
    /// Send a request and report its end under this number.
    case send(Int, Request)
    /// Open the live channel under this number.
    case openChannel(Int)
    /// Close the live channel with this number.
    case closeChannel(Int)
    /// Tell the user.
    case tell(Notice)
  }

  /// A request to the backend.
  public enum Request: Hashable, Sendable {
    /// Make changes.
    case commit([RecordOperation], heard: Cursor?)
    /// Give changes.
    case changes(since: Cursor?, limit: Int, maximumBytes: Int, reader: ZoneReader)
  }

  /// Messages for the user.
  public enum Notice: Hashable, Sendable {
    /// A record reads differently now; remote: another device did it; the rule that decided, if there was a choice.
    case changed(RecordKey, remote: Bool, rule: ConflictRule?)
    /// A record of a collection read otherwise before.
    case recordChanged(RecordKey, before: Cell, after: Cell, isRemote: Bool)
    /// An action reached the server, which gave the record this version.
    case acknowledged(RecordKey, version: Int64)
    /// A change was parked: it will not be sent until someone looks (`sync_parked`).
    case parked(RecordKey, reason: String)
    /// A record from elsewhere holds something over a limit, which is not shown; everything else in it is.
    case notShown(RecordKey, reason: String)
    /// A change that was parked has been given up.
    case discarded(RecordKey)
    /// Others have done something that the budget does not let this device fetch before this time.
    case stale(untilMilliseconds: Int64)
    /// Nothing is sent until someone looks.
    case paused(BackendError)
    /// A request failed and will be tried again.
    case failed(BackendError)
    /// The degrade level changed.
    case level(Degradation.Level)
    /// The device's file was an older copy of itself, or another device runs on a copy: it continues under this name.
    case renamed(DeviceID)
    /// The live channel went up or down.
    case channel(isUp: Bool)
    /// Requests have begun or everything has come back (S38).
    case synchronizing(Bool)
  }

  /// Takes an event in and says what should be done.
  public mutating func handle(_ event: Event, atMilliseconds now: Int64) -> [Effect] {
    (effects, acted) = ([], [])
    let wasBusy = isBusy
    apply(event, now)
    if isStarted {
      parkRefusedRules()
      pump(now)
      noteStaleness(now)
      replica.note(presentPause(now))
    }
    releaseLeaving()
    if isBusy != wasBusy { effects.append(.tell(.synchronizing(isBusy))) }
    let changes = replica.takeChanges() + takeRows()
    // What is sent rests on what is saved, so the save goes first; the journal was put in by `act`.
    if !changes.isEmpty { prependSave(changes) }
    return effects
  }

  private var isBusy: Bool { push.inFlight != nil || pull.inFlight != nil }

  private mutating func prependSave(_ changes: [StoreChange]) {
    if case .save(let journal) = effects.first {
      effects[0] = .save(journal + changes)
    } else {
      effects.insert(.save(changes), at: 0)
    }
  }

  private mutating func apply(_ event: Event, _ now: Int64) {
    switch event {
    case .started: start(now)
    case .acted(let key, let action): effects.insert(.save(act(key, action, now)), at: 0)
    case .transacted(let actions): transact(actions, now)
    case .foregrounded: pull.isWanted = true
    case .switched(let online): setOnline(online, now)
    case .answered(let request, let answer): receive(answer, request, now)
    case .failed(let request, let error): fail(request, error, now)
    case .channelSigned(let number, let sign): receive(sign, number, now)
    case .channelClosed(let number, let error): closeChannel(number, error, now)
    case .woke: expire(now)
    case .resumed: resume(now)
    case .retried(let position): for position in whole(position) { replica.unpark(position, incarnation) }
    case .discarded(let position): discard(position)
    case .retired(let device): retire(device, now)
    }
  }

  private mutating func start(_ now: Int64) {
    isStarted = true
    if replica.subscribe(to: settings.subscription) { staged = nil }
    channel.downSinceMilliseconds = now
    pull.isWanted = true
    pacing.lastPollMilliseconds = now
    replica.correctBudget(atMilliseconds: now)
    // Data that begins here belongs to the store of this place, whenever that first answers.
    if replica.binding == StoreBinding(), replica.holdsNothing { replica.noteStore(nil, at: settings.place) }
    let asked = replica.pause?.afterRestart(atMilliseconds: now)
    (push.pause, pull.pause) = (asked, asked)
  }

  private mutating func setOnline(_ online: Bool, _ now: Int64) {
    guard online == isOffline else { return }
    isOffline = !online
    if online {
      pull.isWanted = true
      (isSkewMeasured, isStoreConfirmed) = (false, false)
      channel.downSinceMilliseconds = now
      channel.polls = 0
      for lane in [\SyncMachine.push, \SyncMachine.pull] {
        self[keyPath: lane].backoff.succeed()
        // What the server itself asked for stays.
        self[keyPath: lane].pause = self[keyPath: lane].pause?.askedByServer
      }
      channel.backoff.succeed()
      channel.notBeforeMilliseconds = 0
    } else {
      push.inFlight = nil
      pull.inFlight = nil
      dropChannel(now)
    }
  }

  private mutating func resume(_ now: Int64) {
    (pausedBecause, halt) = (nil, nil)
    for item in replica.outbox.parked { replica.unpark(item.position, incarnation) }
    pull.isWanted = true
  }

  private mutating func discard(_ position: Int64) {
    guard replica.outbox[position: position]?.parkedBecause != nil else { return }
    for position in whole(position) {
      guard let item = replica.outbox[position: position] else { continue }
      let before = view(of: item.key)
      replica.remove(position: position)
      tell(.discarded(item.key))
      tell(.changed(item.key, remote: false, rule: nil))
      tellRecord(item.key, before, isRemote: false)
    }
  }

  mutating func tell(_ notice: Notice) { effects.append(.tell(notice)) }
}

/// One kind of request, of which at most one is under way (S30).
struct SendLane: Sendable {
  var inFlight: Flight?
  /// A request is due, whatever the polling says.
  var isWanted = false
  var backoff = Backoff()
  /// What the last failure has led to; nil after a success.
  var pause: SyncPause?
  var notBeforeMilliseconds: Int64 { pause?.untilMilliseconds ?? 0 }

  struct Flight: Sendable {
    var number: Int
    var sentMilliseconds: Int64
    var deadlineMilliseconds: Int64
    /// The outbox positions of a commit, in the order of its operations.
    var positions: [Int64] = []
    /// The operations of a commit.
    var operations: [RecordOperation] = []
  }
}

/// How a device synchronizes.
public struct SyncSettings: Sendable {
  /// How long after an action's push further actions are gathered (L1), in milliseconds.
  public var gatherMilliseconds: Int64 = 150
  /// The longest that a waiting action is gathered while more follow, in milliseconds (S3: under a second; S33).
  public var gatherLimitMilliseconds: Int64 = 900
  /// How long a request may take at most, in milliseconds.
  public var requestTimeoutMilliseconds: Int64 = 4000
  /// How long a request may take at least, however fast others were, in milliseconds.
  public var shortestTimeoutMilliseconds: Int64 = 1000
  /// How long a silent channel is believed to be up, in milliseconds: six heartbeats, so that a lossy one is kept.
  public var channelSilenceMilliseconds: Int64 = 180_000
  /// Poll interval while the channel is up, in milliseconds (L3).
  public var pollHealthyMilliseconds: Int64 = 300_000
  /// Poll interval in the first five minutes without a channel, in milliseconds (S5).
  public var pollDownMilliseconds: Int64 = 30_000
  /// Poll interval after that, in milliseconds.
  public var pollLongDownMilliseconds: Int64 = 60_000
  /// The number of polls that go at the shorter interval.
  public var quickPolls = 10
  /// Whether to open a live channel at all (V22).
  public var usesChannel = true
  /// Record types that are still sent when the budget runs low (D1).
  public var essentialTypes: Set<String> = []
  /// How the device shows records of collections in its file; nil if they are not read there.
  public var projection: (any RecordProjection)?
  /// Where the store is.
  public var place = StorePlace()
  /// Whether the data here and that of another store become one; otherwise nothing is sent to another store.
  public var mergesOtherStores = false
  /// Which part of the zone the device holds; nil for all of it.
  public var subscription: SyncSubscription?
  /// The number of records that are asked for at once.
  public var pageRecords = 200
  /// The largest page of changes asked for, in bytes.
  public var pageBytes = 65_536

  /// The settings of the design.
  public init() {}
}

extension SyncMachine {
  /// Whether the machine has this channel open or wants it opened.
  public func isListening(on number: Int) -> Bool { channel.number == number && channel.state != .closed }

  /// The number of the last channel that it has asked for.
  public var openChannelNumber: Int { channel.number }
}
