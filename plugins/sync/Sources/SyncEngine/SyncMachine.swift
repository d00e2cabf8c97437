import FlowBytes
import SyncCore

/// The synchronization of one device: a value that turns events into effects.
///
/// It uses no clock, socket, file or task; each event includes the time of the device's clock. A session runs it with a
/// real backend, and the simulator with a simulated one, with the same results to the byte.
///
/// ```swift
/// var machine = SyncMachine(replica: replica, seed: 1)
/// let effects = machine.handle(.started, atMilliseconds: now)   // save, then send, in this order
/// let next = machine.nextWake(atMilliseconds: now)              // when to handle `.woke`
/// ```
public struct SyncMachine: Sendable {
  /// The device's durable state.
  package internal(set) var replica: Replica
  package let settings: SyncSettings
  var generator: SplitMix64

  var push = SendLane()
  var pull = SendLane()
  var channel = Channel()
  var pacing = Pacing()
  var degradation = Degradation()
  var isStarted = false
  /// True if the user has switched synchronization off.
  package internal(set) var isOffline = false
  /// A problem that a person must solve before anything continues, or nil.
  package internal(set) var pausedBecause: BackendError?
  var halt: SyncPause?
  /// The number of fetches completed so far.
  package internal(set) var completedPulls = 0
  /// The number of fetches started so far, including failed ones.
  package internal(set) var begunPulls = 0
  /// The number of the latest completed fetch, counted like `begunPulls`.
  package internal(set) var heardPull = 0
  var isSkewMeasured = false
  /// The smoothed round-trip time of requests, or nil before the first response.
  var usualRoundTripMilliseconds: Int64?
  var nextRequest = 1
  /// True if the store that currently responds is known to be the store of this data.
  package internal(set) var isStoreConfirmed = false
  /// True if the user has been notified that changes made on other devices are delayed.
  var isStale = false
  /// The pages of an unfinished fetch, or nil.
  var staged: StagedFetch?
  /// The number of pages in `staged` when the last page was requested.
  var freePages = 0
  /// The records that the zone has reported as missing since the last fetch.
  var missing: Set<RecordKey> = []
  /// A random number drawn each time the device's file is opened; see `Write.incarnation`.
  var incarnation: UInt64
  /// True if changes made on other devices must be fetched before anything is sent.
  var isPushHeld = false
  var effects: [Effect] = []
  /// The outbox positions of the user's actions in the last event. `fate(of:)` returns their state.
  package internal(set) var acted: [Int64] = []

  /// Creates a machine from the device's saved state. `seed` determines all random numbers, such as pauses between
  /// attempts.
  package init(replica: Replica, settings: SyncSettings = SyncSettings(), seed: UInt64) {
    self.replica = replica
    self.settings = settings
    generator = SplitMix64(seed: seed)
    var draw = SplitMix64(seed: ~seed)
    incarnation = max(1, draw.next())
  }

  /// An input of the machine, such as an action of the user or the response to a request.
  package enum Event: Sendable {
    /// The session starts.
    case started
    /// The user edited a record.
    case acted(RecordKey, Action)
    /// The user edited several records in one transaction.
    case transacted([(key: RecordKey, action: Action)])
    /// The app came to the foreground or the device woke up. The machine then fetches once (S45).
    case foregrounded
    /// The user switched synchronization on or off.
    case switched(online: Bool)
    /// A request received a response.
    case answered(Int, Answer)
    /// A request failed.
    case failed(Int, BackendError)
    /// The live channel opened, or a message arrived on it.
    case channelSigned(Int, ChannelSign)
    /// The live channel could not be opened or has closed.
    case channelClosed(Int, BackendError)
    /// The time returned by `nextWake` has been reached.
    case woke
    /// A person has fixed the cause of a pause, or has requested that all parked changes be sent again.
    case resumed
    /// A person has requested that a parked change be sent again.
    case retried(position: Int64)
    /// A person discards a parked change.
    case discarded(position: Int64)
    /// A person removes a device from the zone.
    case retired(DeviceID)
  }

  /// A user's action on a record.
  public enum Action: Hashable, Sendable {
    /// Changes a record of a collection.
    case edit(RecordEdit)
    /// Declares rules of a collection, by the names that the zone uses.
    case rules([String: String])
  }

  package enum Answer: Sendable {
    /// The response to a commit.
    case commit(CommitReply)
    /// The response to a request for changes.
    case changes(ChangePage)
  }

  /// An output of the machine. Effects must be performed in order.
  package enum Effect: Sendable {
    /// Save the changes in one transaction. Later effects depend on it.
    case save([StoreChange])
    /// Send a request. Its response or failure is reported with this number.
    case send(Int, Request)
    /// Open the live channel with this number.
    case openChannel(Int)
    /// Close the live channel with this number.
    case closeChannel(Int)
    /// Notify the user.
    case tell(Notice)
  }

  package enum Request: Hashable, Sendable {
    case commit([RecordOperation], heard: Cursor?)
    /// Fetch changes.
    case changes(since: Cursor?, limit: Int, maximumBytes: Int, reader: ZoneReader)
  }

  /// A notice for the user.
  public enum Notice: Hashable, Sendable {
    /// The content of a record has changed. `remote` is true if another device changed it. `rule` is the rule that
    /// decided a conflict, or nil if there was none.
    case changed(RecordKey, remote: Bool, rule: ConflictRule?)
    /// The content of a record in a collection has changed.
    case recordChanged(RecordKey, before: Cell, after: Cell, isRemote: Bool)
    /// The server has acknowledged an action. Contains the resulting version of the record.
    case acknowledged(RecordKey, version: Int64)
    /// A change was parked. It is not sent until a person decides about it (`sync_parked`).
    case parked(RecordKey, reason: String)
    /// A record of another device has a value that exceeds a limit. The value is not shown; the rest of the record is.
    case notShown(RecordKey, reason: String)
    /// A parked change was discarded.
    case discarded(RecordKey)
    /// The budget delays changes made on other devices until this time.
    case stale(untilMilliseconds: Int64)
    /// Nothing is sent until a person has solved the problem.
    case paused(BackendError)
    /// A request failed and will be repeated.
    case failed(BackendError)
    /// The level of service changed.
    case level(Degradation.Level)
    /// The device's file is an old copy, or another device uses a copy of it. The device continues under this name.
    case renamed(DeviceID)
    /// The live channel opened or closed.
    case channel(isUp: Bool)
    /// True if requests are in flight, false once all have received their responses or have failed (S38).
    case synchronizing(Bool)
  }

  /// Processes an event and returns its effects.
  package mutating func handle(_ event: Event, atMilliseconds now: Int64) -> [Effect] {
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
    // Requests depend on the saved state, so the save comes first. `act` has already added the journal's changes.
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
    // New data belongs to the first store that responds at this location.
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
        // A pause that the server requested stays.
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

/// The state of one kind of request, of which at most one is in flight (S30).
struct SendLane: Sendable {
  var inFlight: Flight?
  /// True if a request is due regardless of polling.
  var isWanted = false
  var backoff = Backoff()
  /// The pause after the latest failure, or nil after a success.
  var pause: SyncPause?
  var notBeforeMilliseconds: Int64 { pause?.untilMilliseconds ?? 0 }

  struct Flight: Sendable {
    var number: Int
    var sentMilliseconds: Int64
    var deadlineMilliseconds: Int64
    /// The outbox positions of a commit's operations, in order.
    var positions: [Int64] = []
    var operations: [RecordOperation] = []
    /// The furthest notified cursor when a request for changes was sent.
    var notified: Cursor?
  }
}

package struct SyncSettings: Sendable {
  /// The time in milliseconds for which further actions are gathered after a push (L1).
  package var gatherMilliseconds: Int64 = 150
  /// The maximum time in milliseconds for which an action is gathered while others follow. S3 requires less than a
  /// second (see also S33).
  package var gatherLimitMilliseconds: Int64 = 900
  /// The maximum timeout of a request, in milliseconds.
  package var requestTimeoutMilliseconds: Int64 = 4000
  /// The minimum timeout of a request in milliseconds, even if earlier requests were fast.
  package var shortestTimeoutMilliseconds: Int64 = 1000
  /// The time in milliseconds after which a silent channel is closed. It spans six heartbeats, so a channel that loses
  /// some stays open.
  package var channelSilenceMilliseconds: Int64 = 180_000
  /// The poll interval while the channel is open, in milliseconds (L3).
  package var pollHealthyMilliseconds: Int64 = 300_000
  /// The poll interval in milliseconds during the first five minutes without a channel (S5).
  package var pollDownMilliseconds: Int64 = 30_000
  /// The poll interval in milliseconds after five minutes without a channel.
  package var pollLongDownMilliseconds: Int64 = 60_000
  /// The number of polls at the interval `pollDownMilliseconds`, which cover five minutes.
  package var quickPolls = 10
  /// True if a live channel is used (V22).
  package var usesChannel = true
  /// The types of records that are still sent when the budget runs low (D1). If empty, all are.
  package var essentialTypes: Set<String> = []
  /// Converts records to rows in the device's file. Nil if the file has no rows.
  package var projection: (any RecordProjection)?
  package var place = StorePlace()
  /// True if this data may be merged with the data of another store. Otherwise, nothing is sent to another store.
  package var mergesOtherStores = false
  /// The part of the zone that the device receives, or nil for the whole zone.
  package var subscription: SyncSubscription?
  /// The maximum number of records per requested page.
  package var pageRecords = 200
  /// The maximum size of a requested page, in bytes.
  package var pageBytes = 65_536

  package init() {}
}

extension SyncMachine {
  /// True if the channel with this number is open or opening.
  package func isListening(on number: Int) -> Bool { channel.number == number && channel.state != .closed }

  package var openChannelNumber: Int { channel.number }
}
