import FlowBytes
import SyncCore
import SyncEngine
import SyncRecords

/// Runs a plan on a virtual clock with real machines. The network loses and delays messages, and disks survive crashes.
///
/// ```swift
/// let report = Simulation.run(.concurrentHistory(seed: 42))
/// precondition(report.isGood, "replay with seed \(report.seed): \(report.violations)")
/// ```
package struct Simulation {
  enum Event {
    case step(SimulationPlan.Step)
    case restart(device: Int)
    case wake(device: Int, incarnation: Int)
    case request(device: Int, incarnation: Int, number: Int, SyncMachine.Request)
    case reply(device: Int, incarnation: Int, number: Int, Result<SyncMachine.Answer, BackendError>, bytes: Int)
    case open(device: Int, incarnation: Int, channel: Int)
    case sign(device: Int, incarnation: Int, channel: Int, ChannelSign)
    case repeatNotification(device: Int, incarnation: Int, channel: Int)
    case keepAlive(device: Int, incarnation: Int, channel: Int)
  }

  /// The true time at the start of a simulation: 2024-01-07 12:00:00 UTC, in milliseconds since 1970.
  static let epochMilliseconds: Int64 = 1_704_628_800_000

  let plan: SimulationPlan
  var now: Int64 = 0
  var queue: EventQueue<Event>
  var random: SplitMix64
  var devices: [SimulatedDevice] = []
  var server: SimulatedServer
  var otherStore: OtherStore
  var log: ActLog
  /// The transactions, each with its author and its writes.
  var transactions: [(author: Int, parts: [(key: RecordKey, number: Int64)])] = []
  let onProgress: (Double) -> Void
  var report: SimulationReport

  /// Runs a plan until its end. `onProgress` is called regularly with the completed share, from 0 to 1.
  package static func run(
    _ plan: SimulationPlan, onProgress: @escaping (Double) -> Void = { _ in }
  ) -> SimulationReport {
    var simulation = Simulation(plan, onProgress)
    simulation.play()
    return simulation.judged()
  }

  private init(_ plan: SimulationPlan, _ onProgress: @escaping (Double) -> Void) {
    self.plan = plan
    self.onProgress = onProgress
    log = ActLog(devices: plan.devices)
    random = SplitMix64(seed: plan.seed)
    server = SimulatedServer(plan, devices: (0..<plan.devices).map(SimulatedDevice.name))
    otherStore = OtherStore(plan)
    report = SimulationReport(seed: plan.seed)
    devices = (0..<plan.devices).map { SimulatedDevice(index: $0, plan: plan) }
    queue = EventQueue(
      planned: devices.map { (0, .restart(device: $0.index)) } + plan.steps.map { ($0.milliseconds, .step($0)) })
  }

  private mutating func play() {
    let end = plan.healsAtMilliseconds + plan.patienceMilliseconds
    var told: Int64 = 0
    while let next = queue.nextMilliseconds, next <= end {
      if next > plan.healsAtMilliseconds, hasComeToRest { break }
      guard let (time, event) = queue.removeFirst() else { break }
      now = time
      if now - told >= 3_600_000 {
        told = now
        onProgress(min(1, Double(now) / Double(plan.healsAtMilliseconds)))
      }
      happen(event)
    }
    report.restedAtMilliseconds = now
  }

  var isHealed: Bool { now >= plan.healsAtMilliseconds }

  /// True if every device has fetched and sent everything.
  var hasComeToRest: Bool {
    devices.allSatisfy { device in
      device.isUp && device.machine.replica.cursor == server.zone.cursor
        && !device.machine.replica.isResynchronizing && device.machine.replica.dropped == server.zone.dropped
        && device.machine.replica.outbox.waitingCount == 0
    }
  }

  private mutating func happen(_ event: Event) {
    switch event {
    case .step(let step): perform(step)
    case .restart(let index): start(index)
    case .wake(let index, let incarnation):
      guard devices[index].incarnation == incarnation, devices[index].wakeMilliseconds == now else { return }
      devices[index].wakeMilliseconds = nil
      give(.woke, to: index)
    case .request(let index, let incarnation, let number, let request): serve(request, index, incarnation, number)
    case .reply(let index, let incarnation, let number, let result, let bytes):
      guard devices[index].incarnation == incarnation, devices[index].isUp else { return }
      devices[index].traffic.append((now, bytes))
      switch result {
      case .success(let answer): give(.answered(number, answer), to: index)
      case .failure(let error): give(.failed(number, error), to: index)
      }
    case .open(let index, let incarnation, let channel): listen(index, incarnation, channel)
    case .sign(let index, let incarnation, let channel, let sign):
      guard devices[index].incarnation == incarnation, devices[index].isUp else { return }
      give(.channelSigned(channel, sign), to: index)
    case .repeatNotification(let index, let incarnation, let channel): repeatNotification(index, incarnation, channel)
    case .keepAlive(let index, let incarnation, let channel): keepAlive(index, incarnation, channel)
    }
  }

  // MARK: Devices

  private mutating func start(_ index: Int) {
    guard !devices[index].isUp else { return }
    devices[index].isUp = true
    devices[index].incarnation += 1
    let id = devices[index].id
    var replica = Replica(device: id, limits: plan.limits)
    do {
      if let saved = try Replica(stored: devices[index].disk, limits: plan.limits) { replica = saved }
    } catch {
      report.violations.append("\(id) cannot read its own disk: \(error)")
    }
    var settings = plan.settings
    if devices[index].isElsewhere {
      devices[index].elsewhere.insert(devices[index].incarnation)
      settings.place = StorePlace(address: "elsewhere")
    }
    devices[index].machine = SyncMachine(replica: replica, settings: settings, seed: random.next())
    // The content that was saved before a crash is visible again.
    observe(Array(replica.confirmed.keys), index)
    declare(index)
    give(.started, to: index)
  }

  /// Declares the rules of the schema, as a device does when it opens its file.
  private mutating func declare(_ index: Int) {
    for collection in plan.schema.collections {
      do throws(RecordProblem) {
        guard let action = try collection.declaration(to: devices[index].machine) else { continue }
        give(.acted(ZoneRules.key(of: collection.name), action), to: index)
      } catch {
        report.violations.append("\(devices[index].id) cannot name its rules: \(error)")
      }
    }
  }

  mutating func give(_ event: SyncMachine.Event, _ acts: [Vocabulary.Act] = [], to index: Int) {
    guard devices[index].isUp else { return }
    let local = Self.epochMilliseconds + now + devices[index].skewMilliseconds
    var isNoted = acts.isEmpty
    let effects = devices[index].machine.handle(event, atMilliseconds: local)
    for effect in effects {
      let isKilled = isKilled(before: devices[index].effects, index)
      devices[index].effects += 1
      if isKilled {
        crash(index, restartAfterMilliseconds: 500)
        return
      }
      carryOut(effect, index)
      if case .save = effect, !isNoted {
        note(acts, index)
        isNoted = true
      }
    }
    var (changed, hasNews): ([RecordKey], Bool) = ([], false)
    for case .save(let changes) in effects {
      for change in changes {
        if let key = Self.record(change.key) { changed.append(key) }
        hasNews = hasNews || change.key == "cursor"
      }
    }
    if hasNews || !changed.isEmpty { observe(changed, index) }
    schedule(index, local)
  }

  private func isKilled(before effect: Int, _ index: Int) -> Bool {
    plan.faults.crashBeforeEffect.map { $0.device == index && $0.effect == effect } ?? false
  }

  private mutating func schedule(_ index: Int, _ local: Int64) {
    guard let time = devices[index].setWake(local, now) else { return }
    queue.add(.wake(device: index, incarnation: devices[index].incarnation), atMilliseconds: time)
  }

  private mutating func carryOut(_ effect: SyncMachine.Effect, _ index: Int) {
    let incarnation = devices[index].incarnation
    switch effect {
    case .save(let changes): devices[index].save(changes)
    case .send(let number, let request):
      devices[index].requestTimes.append(now)
      devices[index].traffic.append((now, Self.bytes(of: request)))
      transmit(.request(device: index, incarnation: incarnation, number: number, request))
    case .openChannel(let channel):
      devices[index].requestTimes.append(now)
      transmit(.open(device: index, incarnation: incarnation, channel: channel))
    case .closeChannel(let channel):
      server.listeners.removeAll { $0.device == index && $0.channel == channel }
    case .tell(.level(let level)): devices[index].levels.insert(level)
    case .tell(.renamed(let name)): report.violations.append("\(devices[index].id) took the name \(name)")
    case .tell: break
    }
  }

  mutating func crash(_ index: Int, restartAfterMilliseconds delay: Int64) {
    devices[index].isUp = false
    devices[index].wakeMilliseconds = nil
    server.listeners.removeAll { $0.device == index }
    queue.add(.restart(device: index), atMilliseconds: now + max(1, delay))
  }

  /// Connects a device to the other store or to its own, which ends its session. A device without data does not change
  /// its store, because its data would belong to the first store that responds.
  private mutating func point(_ index: Int, _ isElsewhere: Bool) {
    let replica = devices[index].machine.replica
    guard devices[index].isElsewhere != isElsewhere, replica.binding.store != nil || !replica.holdsNothing else {
      return
    }
    devices[index].isElsewhere = isElsewhere
    if devices[index].isUp { crash(index, restartAfterMilliseconds: 50) }
  }

  private mutating func perform(_ step: SimulationPlan.Step) {
    let index = step.device
    switch step.command {
    case .acted(let key, let edit): give(.acted(key, .edit(edit)), [.init(key: key, edit: edit)], to: index)
    case .drawn(let seed):
      guard devices[index].isUp else { return }
      var vocabulary = Vocabulary(plan.schema, seed: seed)
      let acts = vocabulary.acts(on: devices[index].machine)
      if acts.count == 1 {
        give(.acted(acts[0].key, .edit(acts[0].edit)), acts, to: index)
      } else if !acts.isEmpty {
        give(.transacted(acts.map { ($0.key, .edit($0.edit)) }), acts, to: index)
      }
    case .switched(let online): give(.switched(online: online), to: index)
    case .crash(let delay): crash(index, restartAfterMilliseconds: delay)
    case .loseCursor:
      crash(index, restartAfterMilliseconds: 100)
      devices[index].disk["cursor"] = nil
    case .pointed(let isElsewhere): point(index, isElsewhere)
    case .backUpServer: server.backup = server.zone
    case .restoreServer(let isAnnounced, let staysOpen):
      server.goBack(generation: random.next() | 1, isAnnounced: isAnnounced, staysOpen: staysOpen)
    }
  }

  // MARK: Data for the oracle

  /// Records actions that were saved. From now on, they must not be lost.
  private mutating func note(_ acts: [Vocabulary.Act], _ index: Int) {
    let first = devices[index].machine.replica.nextNumber - Int64(acts.count)
    for (number, act) in zip(first..., acts) {
      var known = devices[index].known[act.key] ?? Array(repeating: 0, count: plan.devices)
      log.note(
        .init(
          number: number, key: act.key, milliseconds: now, past: known, edit: act.edit, places: act.places), of: index)
      known[index] = number
      devices[index].known[act.key] = known
      report.actions += 1
      let dot = Dot(device: devices[index].id, number: number)
      for other in devices.indices where other != index { devices[other].awaited.append((dot, act.key, now)) }
    }
    guard acts.count > 1 else { return }
    transactions.append((index, zip(acts.map(\.key), first...).map { ($0, $1) }))
    for other in devices.indices where other != index { devices[other].openTransactions.append(transactions.count - 1) }
  }

  /// Returns the key of the record that is saved under `key`, or nil for other parts of a replica.
  private static func record(_ key: String) -> RecordKey? {
    guard key.hasPrefix("record/") else { return nil }
    let rest = key.utf8.dropFirst(7)
    guard let slash = rest.firstIndex(of: UInt8(ascii: "/")) else { return nil }
    return RecordKey(type: String(key[rest.startIndex..<slash]), name: String(key[rest.index(after: slash)...]))
  }

  /// Records which actions the device has seen in the changed records, and checks that the cursor has not gone back.
  /// Called at each start and after each event that saved records or the cursor.
  private mutating func observe(_ changed: [RecordKey], _ index: Int) {
    var hasNews = false
    for key in changed {
      guard let record = devices[index].machine.replica.confirmed[key],
        devices[index].knownSequences[key] != record.sequence
      else { continue }
      devices[index].knownSequences[key] = record.sequence
      guard let content = server.contents[key]?[record.sequence] else { continue }
      hasNews = true
      var known = devices[index].known[key] ?? Array(repeating: 0, count: plan.devices)
      for (device, number) in content.enumerated() { known[device] = max(known[device], number) }
      devices[index].known[key] = known
      devices[index].awaited.removeAll { waiting in
        guard waiting.key == key, record.cell.context.covers(waiting.dot) else { return false }
        report.latenciesMilliseconds.append(now - waiting.sinceMilliseconds)
        return true
      }
    }
    if hasNews { observeTransactions(index) }
    let present = devices[index].machine.replica.cursor
    if let last = devices[index].lastCursor, let cursor = present,
      cursor.generation == last.generation, cursor.sequence < last.sequence, !server.hasGoneBack
    {
      report.violations.append("the cursor of \(devices[index].id) went back from \(last) to \(cursor)")
    }
    devices[index].lastCursor = present ?? devices[index].lastCursor
  }

  /// Checks that each transaction is visible completely or not at all. Records that the zone has forgotten are ignored.
  private mutating func observeTransactions(_ index: Int) {
    let known = devices[index].known
    devices[index].openTransactions = devices[index].openTransactions.filter { number in
      let (author, parts) = transactions[number]
      let (seen, others) = parts.reduce(into: (0, 0)) { counts, part in
        if let known = known[part.key], known[author] >= part.number {
          counts.0 += 1
        } else if server.zone.records[part.key].flatMap({ server.contents[part.key]?[$0.sequence]?[author] }) ?? 0
          >= part.number
        {
          counts.1 += 1
        }
      }
      if seen > 0, others > 0, !server.hasGoneBack {
        report.violations.append(
          "\(devices[index].id) shows \(seen) parts of the transaction \(devices[author].id):\(parts[0].number), which has \(parts.count)"
        )
      }
      return seen == 0
    }
  }

  static func bytes(of request: SyncMachine.Request) -> Int {
    switch request {
    case .commit(let operations, let heard):
      operations.reduce(heard == nil ? 0 : Cursor.packedBytes) { sum, operation in
        switch operation.change {
        case .write(let write): sum + write.packedBytes
        case .join(let cell): sum + cell.packedBytes
        case .retire: sum + 16
        }
      }
    case .changes: 0
    }
  }
}
