import SyncCore
import SyncEngine

extension Simulation {
  /// Delivers a message once, twice or not at all, possibly late.
  mutating func transmit(_ event: Event) {
    let copies = !isHealed && chance(plan.faults.duplication) ? 2 : 1
    for _ in 0..<copies {
      if !isHealed, chance(plan.faults.loss) { continue }
      var delay = Int64.random(in: plan.faults.delayMilliseconds, using: &random)
      if !isHealed, chance(plan.faults.lateness) { delay += Int64.random(in: 0...30_000, using: &random) }
      queue.add(event, atMilliseconds: now + delay)
    }
  }

  private mutating func chance(_ share: Double) -> Bool {
    share > 0 && Double.random(in: 0..<1, using: &random) < share
  }

  var serverMilliseconds: Int64 { Self.epochMilliseconds + now }

  /// Processes a request on the server and transmits the response.
  mutating func serve(_ request: SyncMachine.Request, _ index: Int, _ incarnation: Int, _ number: Int) {
    var bytes = 16
    let result: Result<SyncMachine.Answer, BackendError>
    if let (error, until) = plan.faults.serverError, now < until {
      result = .failure(error)
    } else {
      do throws(BackendError) {
        result = .success(
          devices[index].elsewhere.contains(incarnation)
            ? try otherStore.answer(
              request, of: devices[index].machine.replica, plan.settings.subscription, now: serverMilliseconds)
            : try answer(request, index))
      } catch {
        result = .failure(error)
      }
    }
    switch result {
    case .success(.changes(let page)): bytes = page.records.reduce(16) { $0 + $1.cell.packedBytes }
    case .success(.commit(let reply)):
      for case .conflict(let record?) in reply.results { bytes += record.cell.packedBytes }
    case .failure: break
    }
    transmit(.reply(device: index, incarnation: incarnation, number: number, result, bytes: bytes))
  }

  private mutating func answer(
    _ request: SyncMachine.Request, _ index: Int
  ) throws(BackendError) -> SyncMachine.Answer {
    switch request {
    case .commit(let operations, let heard):
      let before = server.zone.sequence
      let reply = try server.commit(
        operations, heard: heard, from: devices[index].machine.replica, index, now: serverMilliseconds, log: log,
        known: devices[index].known, isFaulty: !isHealed)
      if server.zone.sequence > before { notifyAll() }
      return .commit(reply)
    case .changes(let cursor, let limit, let maximumBytes, let reader):
      if let cursor {
        for number in server.listeners.indices where server.listeners[number].device == index {
          server.listeners[number].fetched = max(server.listeners[number].fetched, cursor.sequence)
        }
      }
      return .changes(
        try server.zone(for: index, now: serverMilliseconds, isFaulty: !isHealed).changes(
          since: cursor, limit: limit, maximumBytes: maximumBytes, reader: reader, of: plan.settings.subscription,
          in: devices[index].machine.replica.binding.store, serverMilliseconds: serverMilliseconds))
    }
  }

  // MARK: The channel

  /// The interval of heartbeats. If no messages are lost or late, fewer heartbeats are enough to keep a channel open.
  private var heartbeatMilliseconds: Int64 {
    plan.faults.loss == 0 && plan.faults.lateness == 0
      ? plan.settings.channelSilenceMilliseconds * 2 / 3 : SyncLimits.keepAliveMilliseconds
  }

  mutating func listen(_ index: Int, _ incarnation: Int, _ channel: Int) {
    guard devices[index].incarnation == incarnation, devices[index].isUp,
      devices[index].machine.isListening(on: channel)
    else {
      return
    }
    if devices[index].elsewhere.contains(incarnation) { return refuseChannel(index, channel) }
    server.listeners.removeAll { $0.device == index }
    server.listeners.append(.init(device: index, incarnation: incarnation, channel: channel, fetched: -1, repeats: 0))
    notify(index, incarnation, channel)
    queue.add(
      .keepAlive(device: index, incarnation: incarnation, channel: channel), atMilliseconds: now + heartbeatMilliseconds
    )
  }

  /// Responds to a device that opens a channel to the other store. If the device's data belongs to a store, the channel
  /// is closed with an error. Otherwise, the device receives the other zone's position.
  private mutating func refuseChannel(_ index: Int, _ channel: Int) {
    let zone = otherStore.zone
    if let store = devices[index].machine.replica.binding.store, store != zone.store {
      give(.channelClosed(channel, .otherStore(zone.store)), to: index)
    } else {
      give(.channelSigned(channel, .notification(zone.cursor)), to: index)
    }
  }

  private mutating func notifyAll() {
    for number in server.listeners.indices {
      let listener = server.listeners[number]
      server.listeners[number].repeats = 0
      notify(listener.device, listener.incarnation, listener.channel)
    }
  }

  private mutating func notify(_ index: Int, _ incarnation: Int, _ channel: Int) {
    transmit(.sign(device: index, incarnation: incarnation, channel: channel, .notification(server.zone.cursor)))
    queue.add(
      .repeatNotification(device: index, incarnation: incarnation, channel: channel),
      atMilliseconds: now + SyncLimits.notificationRepeatMilliseconds)
  }

  mutating func repeatNotification(_ index: Int, _ incarnation: Int, _ channel: Int) {
    guard
      let number = server.listeners.firstIndex(where: {
        $0.device == index && $0.incarnation == incarnation && $0.channel == channel
      }),
      server.listeners[number].fetched < server.zone.sequence,
      server.listeners[number].repeats < SyncLimits.notificationRepeats
    else { return }
    server.listeners[number].repeats += 1
    notify(index, incarnation, channel)
  }

  mutating func keepAlive(_ index: Int, _ incarnation: Int, _ channel: Int) {
    guard
      server.listeners.contains(where: { $0.device == index && $0.incarnation == incarnation && $0.channel == channel })
    else { return }
    transmit(.sign(device: index, incarnation: incarnation, channel: channel, .alive))
    queue.add(
      .keepAlive(device: index, incarnation: incarnation, channel: channel), atMilliseconds: now + heartbeatMilliseconds
    )
  }
}
