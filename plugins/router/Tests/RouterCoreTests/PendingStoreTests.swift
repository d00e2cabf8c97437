import FlowModel
import RouterCore
import Testing

struct PendingStoreTests {
  private let scope = "main"

  private func route(
    _ url: String, _ parameters: ValueObject = [:], id: String? = nil, at time: Int = 0, ttl: Int = 600_000
  ) -> PendingRoute {
    PendingRoute(
      url: url, parameters: parameters, notificationID: id, receivedAtMilliseconds: time, timeToLiveMilliseconds: ttl)
  }

  private func logs(_ effects: [PendingStore.Effect]) -> [String] {
    effects.compactMap { if case .log(let entry) = $0 { "\(entry.kind.rawValue) \(entry.route.url)" } else { nil } }
  }

  private func handOffs(_ effects: [PendingStore.Effect]) -> [PendingRoute] {
    effects.compactMap { if case .handOff(_, let route) = $0 { route } else { nil } }
  }

  /// Returns the identifier in the last effect, which must hand off a link.
  private func handOff(_ effects: [PendingStore.Effect]) throws -> PendingStore.ID {
    try #require(effects.last.flatMap { if case .handOff(let id, _) = $0 { id } else { nil } })
  }

  @Test func `reports a held link as pending, by default with empty parameters (N3, N5)`() {
    var store = PendingStore()
    #expect(!store.hasPending(scope: scope))
    _ = store.hold(PendingRoute(url: "app://a", receivedAtMilliseconds: 0), scope: scope, at: 0)
    #expect(store.hasPending(scope: scope))
    #expect(store.unfinished(scope: scope).map(\.parameters) == [[:]])
  }

  @Test func `schedules one wake-up if a link is waiting, even for repeated flushes (N4, N39)`() {
    var store = PendingStore()
    #expect(store.flush(scope: scope, at: 0).isScheduled == false)
    _ = store.hold(route("app://a"), scope: scope, at: 0)
    let first = store.flush(scope: scope, at: 10)
    #expect(first.isScheduled)
    #expect(first.effects == [.wake(scope: scope, atMilliseconds: 510)])
    let second = store.flush(scope: scope, at: 20)
    #expect(second.isScheduled)
    #expect(second.effects.isEmpty)
  }

  @Test func `hands off a link once the interface has settled, and not before (N6)`() {
    var store = PendingStore()
    _ = store.hold(route("app://a"), scope: scope, at: 0)
    _ = store.flush(scope: scope, at: 100)
    #expect(store.settled(scope: scope, at: 599) == [.wake(scope: scope, atMilliseconds: 600)])
    #expect(handOffs(store.settled(scope: scope, at: 600)) == [route("app://a")])
    #expect(store.settled(scope: scope, at: 601).isEmpty)
  }

  @Test func `hands off a link immediately if the settling time is zero`() {
    var store = PendingStore()
    _ = store.hold(route("app://a"), scope: scope, at: 7)
    #expect(store.flush(scope: scope, settleMilliseconds: 0, at: 7).effects == [.wake(scope: scope, atMilliseconds: 7)])
    #expect(handOffs(store.settled(scope: scope, at: 7)).count == 1)
  }

  @Test func `keeps only the latest link, with its parameters, and logs the replacement (N7, C7)`() {
    var store = PendingStore()
    _ = store.hold(route("app://a", ["name": "A"]), scope: scope, at: 0)
    let effects = store.hold(route("app://b"), scope: scope, at: 1).effects
    #expect(logs(effects) == ["pending.overwritten app://a", "pending.set app://b"])
    #expect(store.unfinished(scope: scope) == [route("app://b")])
  }

  @Test func `removes a link only after its hand-off (C5)`() throws {
    var store = PendingStore()
    _ = store.hold(route("app://a"), scope: scope, at: 0)
    _ = store.flush(scope: scope, at: 0)
    let effects = store.settled(scope: scope, at: 500)
    #expect(store.unfinished(scope: scope) == [route("app://a")])
    let id = try handOff(effects)
    let end = store.finished(id, at: 510)
    #expect(logs(end) == ["pending.completed app://a"])
    #expect(end.contains(.persist(scope: scope)))
    #expect(!store.hasPending(scope: scope))
    #expect(store.finished(id, at: 511).isEmpty)
  }

  @Test func `does not open a link again when the view reappears (N28)`() throws {
    var store = PendingStore()
    _ = store.hold(route("app://a"), scope: scope, at: 0)
    _ = store.flush(scope: scope, at: 0)
    let id = try handOff(store.settled(scope: scope, at: 500))
    _ = store.finished(id, at: 500)
    #expect(store.flush(scope: scope, at: 900).isScheduled == false)
    #expect(store.settled(scope: scope, at: 2_000).isEmpty)
  }

  @Test func `holds a link while the interface is not ready, and otherwise opens it immediately (N2, N9, N11)`() {
    var store = PendingStore()
    #expect(store.open(route("app://a"), scope: scope, isReady: false, at: 0).arrival == .deferred(1))
    var ready = PendingStore()
    #expect(ready.open(route("app://a"), scope: scope, isReady: true, at: 0).arrival == .open(1))
    #expect(!ready.hasPending(scope: scope))
  }

  @Test func `replaces the waiting link if another one arrives while the interface settles`() {
    var store = PendingStore()
    _ = store.hold(route("app://a"), scope: scope, at: 0)
    _ = store.flush(scope: scope, at: 0)
    #expect(store.open(route("app://b"), scope: scope, isReady: true, at: 300).arrival == .deferred(2))
    #expect(handOffs(store.settled(scope: scope, at: 500)) == [route("app://b")])
  }

  @Test func `treats three deliveries of the same tap as one (C4)`() {
    var store = PendingStore()
    let parameters: ValueObject = ["name": "x"]
    // Launch options contain no identifier. Scene options and the notification center provide one.
    #expect(store.hold(route("app://a", parameters), scope: scope, at: 0).arrival == .deferred(1))
    #expect(store.hold(route("app://a", parameters, id: "n1"), scope: scope, at: 1).arrival == .duplicate)
    #expect(store.open(route("app://a", parameters), scope: scope, isReady: true, at: 2).arrival == .duplicate)
    #expect(store.unfinished(scope: scope).count == 1)
  }

  @Test func `keeps the latest tap if an earlier one is delivered again (N7, C4)`() throws {
    var store = PendingStore()
    _ = store.hold(route("app://a"), scope: scope, at: 0)
    _ = store.hold(route("app://a", id: "1"), scope: scope, at: 1)
    _ = store.hold(route("app://b", id: "2"), scope: scope, at: 2)
    #expect(store.hold(route("app://a", id: "1"), scope: scope, at: 3).arrival == .duplicate)
    #expect(store.hold(route("app://a"), scope: scope, at: 4).arrival == .duplicate)
    #expect(store.unfinished(scope: scope).map(\.url) == ["app://b"])
    // Another tap on an equal link is newer than both.
    #expect(store.hold(route("app://a", id: "3"), scope: scope, at: 5).arrival == .deferred(3))
    #expect(store.unfinished(scope: scope).map(\.notificationID) == ["3"])
    // A late delivery opens nothing, even after its link was handed off.
    _ = store.flush(scope: scope, settleMilliseconds: 0, at: 5)
    let id = try handOff(store.settled(scope: scope, at: 5))
    _ = store.finished(id, at: 6)
    #expect(store.open(route("app://b", id: "2"), scope: scope, isReady: true, at: 7).arrival == .duplicate)
    #expect(store.open(route("app://b", id: "2"), scope: scope, isReady: true, at: 2_100).arrival == .open(4))
  }

  @Test func `distinguishes taps by identifier, or by URL and parameters if one has no identifier`() {
    let a = route("app://a", ["x": 1], id: "1")
    #expect(a.isSameTap(as: route("app://b", id: "1")))
    #expect(!a.isSameTap(as: route("app://a", ["x": 1], id: "2")))
    #expect(a.isSameTap(as: route("app://a", ["x": 1])))
    #expect(!a.isSameTap(as: route("app://a", ["x": 2])))
    #expect(route("app://a").isSameTap(as: route("app://a")))
    #expect(!route("app://a").isSameTap(as: route("app://b")))
  }

  @Test func `treats a repeated delivery as a duplicate until 2 s after the hand-off`() {
    func arrival(at time: Int) -> PendingStore.Arrival {
      var store = PendingStore()
      _ = store.open(route("app://a"), scope: scope, isReady: true, at: 0)
      _ = store.finished(1, at: 100)
      return store.open(route("app://a"), scope: scope, isReady: true, at: time).arrival
    }
    #expect(arrival(at: 2_100) == .duplicate)
    #expect(arrival(at: 2_101) == .open(2))
  }

  @Test func `opens a page twice if the application itself requests it twice`() {
    var store = PendingStore()
    var route = route("app://a")
    route.source = .internal
    #expect(store.open(route, scope: scope, isReady: true, at: 0).arrival == .open(1))
    #expect(store.open(route, scope: scope, isReady: true, at: 1).arrival == .open(2))
  }

  @Test func `drops a link when its time to live has passed, but not earlier`() {
    func opened(after time: Int) -> Int {
      var store = PendingStore()
      _ = store.hold(route("app://a", ttl: 1_000), scope: scope, at: 0)
      _ = store.flush(scope: scope, settleMilliseconds: 0, at: time)
      return handOffs(store.settled(scope: scope, at: time)).count
    }
    #expect(opened(after: 999) == 1)
    #expect(opened(after: 1_000) == 0)
    #expect(opened(after: -5_000) == 1)
  }

  @Test func `drops a link that expires while the interface is settling`() {
    var store = PendingStore()
    _ = store.hold(route("app://a", ttl: 400), scope: scope, at: 0)
    #expect(store.flush(scope: scope, at: 0).isScheduled)
    #expect(logs(store.settled(scope: scope, at: 500)) == ["pending.expired app://a"])
    #expect(!store.hasPending(scope: scope))
  }

  @Test func `restores the links of an earlier process once, except for expired ones`() {
    var store = PendingStore()
    let effects = store.restore(
      [route("app://old", at: 0, ttl: 10), route("app://a", id: "n", at: 0)], scope: scope, at: 100)
    #expect(logs(effects) == ["pending.expired app://old"])
    #expect(store.hold(route("app://a", id: "n", at: 100), scope: scope, at: 100).arrival == .duplicate)
    _ = store.flush(scope: scope, at: 100)
    #expect(handOffs(store.settled(scope: scope, at: 600)).map(\.url) == ["app://a"])
  }

  @Test func `keeps up to 16 links in order with the fifo policy, and then drops the oldest`() {
    var store = PendingStore(policy: PendingPolicy(keep: .fifo))
    for index in 0..<16 { #expect(logs(store.hold(route("app://\(index)"), scope: scope, at: 0).effects).count == 1) }
    let effects = store.hold(route("app://16"), scope: scope, at: 0).effects
    #expect(logs(effects) == ["pending.overwritten app://0", "pending.set app://16"])
    _ = store.flush(scope: scope, at: 0)
    var opened: [String] = []
    var effects2 = store.settled(scope: scope, at: 500)
    while case .handOff(let id, let route)? = effects2.last {
      opened.append(route.url)
      effects2 = store.finished(id, at: 500)
    }
    #expect(opened == (1...16).map { "app://\($0)" })
  }

  @Test func `puts a link back into the queue if the interface closes before accepting it`() throws {
    var store = PendingStore()
    _ = store.hold(route("app://a"), scope: scope, at: 0)
    _ = store.flush(scope: scope, at: 0)
    let id = try handOff(store.settled(scope: scope, at: 500))
    #expect(logs(store.returned(id, scope: scope, at: 501)) == ["pending.returned app://a"])
    _ = store.flush(scope: scope, at: 900)
    #expect(handOffs(store.settled(scope: scope, at: 1_400)).map(\.url) == ["app://a"])
  }

  @Test func `keeps the links of different scopes separate, but recognizes the same tap in two scopes`() {
    var store = PendingStore()
    _ = store.hold(route("app://a", id: "1"), scope: "left", at: 0)
    #expect(store.hold(route("app://b", id: "2"), scope: "right", at: 0).arrival == .deferred(2))
    #expect(store.hold(route("app://a", id: "1"), scope: "right", at: 0).arrival == .duplicate)
    _ = store.flush(scope: "left", at: 0)
    #expect(handOffs(store.settled(scope: "left", at: 500)).map(\.url) == ["app://a"])
    #expect(store.scopes == ["left", "right"])
  }

  @Test func `restores a route from its stored form and rejects other values`() {
    let full = PendingRoute(
      url: "app://a", parameters: ["x": [1, nil]], source: .urlScheme, notificationID: "n", receivedAtMilliseconds: 5,
      timeToLiveMilliseconds: 6)
    #expect(PendingRoute(full.value) == full)
    #expect(PendingRoute(route("app://b").value) == route("app://b"))
    for key in ["url", "parameters", "source", "received-at", "time-to-live"] {
      var object = full.value.objectValue!
      object[key] = .null
      #expect(PendingRoute(.object(object)) == nil, "\(key)")
    }
  }
}

/// Explores every sequence of seven events with two links, for each rule for keeping links.
struct PendingStoreExplorationTests {
  private enum Step: CaseIterable {
    case holdFirst, holdSecond, openReady, flush, settle, finish, goAway
  }

  private struct World: Hashable {
    var store: PendingStore
    var now = 0
    var handing: (id: Int, route: PendingRoute)?
    var received: Set<String> = []
    var opened: [String] = []
    var dropped: Set<String> = []

    static func == (left: World, right: World) -> Bool { left.key == right.key }
    func hash(into hasher: inout Hasher) { hasher.combine(key.hashValue) }
    private var key: [AnyHashable] { [store, now, handing?.id ?? 0, received, opened, dropped] }
  }

  private func route(_ name: String) -> PendingRoute {
    PendingRoute(url: "app://\(name)", notificationID: name, receivedAtMilliseconds: 0)
  }

  private func apply(_ effects: [PendingStore.Effect], to world: inout World) {
    for effect in effects {
      switch effect {
      case .handOff(let id, let route):
        #expect(world.handing == nil, "two links are handed off at once")
        world.handing = (id, route)
      case .log(let entry) where entry.kind == .overwritten: world.dropped.insert(entry.route.url)
      case .log, .persist, .wake: break
      }
    }
  }

  private func advance(_ world: inout World, _ step: Step) {
    world.now += 300
    switch step {
    case .holdFirst, .holdSecond:
      let route = route(step == .holdFirst ? "a" : "b")
      let (arrival, effects) = world.store.hold(route, scope: "s", at: world.now)
      if case .deferred = arrival { world.received.insert(route.url) }
      apply(effects, to: &world)
    case .openReady:
      let route = route("b")
      let (arrival, effects) = world.store.open(route, scope: "s", isReady: true, at: world.now)
      apply(effects, to: &world)
      if case .open(let id) = arrival {
        world.received.insert(route.url)
        world.opened.append(route.url)
        apply(world.store.finished(id, at: world.now), to: &world)
      } else if case .deferred = arrival {
        world.received.insert(route.url)
      }
    case .flush: apply(world.store.flush(scope: "s", at: world.now).effects, to: &world)
    case .settle: apply(world.store.settled(scope: "s", at: world.now), to: &world)
    case .finish:
      guard let handing = world.handing else { return }
      world.handing = nil
      world.opened.append(handing.route.url)
      apply(world.store.finished(handing.id, at: world.now), to: &world)
    case .goAway:
      guard let handing = world.handing else { return }
      world.handing = nil
      apply(world.store.returned(handing.id, scope: "s", at: world.now), to: &world)
    }
  }

  @Test(arguments: PendingPolicy.Keep.allCases)
  func `loses no link, opens none twice within 2.1 s, and never hands off two at once`(keep: PendingPolicy.Keep) {
    var worlds: Set<World> = [World(store: PendingStore(policy: PendingPolicy(keep: keep)))]
    var steps = 0
    for _ in 0..<7 {
      var next: Set<World> = []
      for world in worlds {
        for step in Step.allCases {
          var moved = world
          advance(&moved, step)
          let waiting = Set(moved.store.unfinished(scope: "s").map(\.url))
          for url in moved.received {
            #expect(
              moved.opened.contains(url) || moved.dropped.contains(url) || waiting.contains(url), "\(url) is lost")
          }
          #expect(waiting.count == moved.store.unfinished(scope: "s").count, "a link waits twice")
          if keep == .fifo { #expect(moved.dropped.isEmpty) }
          // Seven steps of 300 ms are shorter than the window, so no link may be opened twice.
          #expect(Set(moved.opened).count == moved.opened.count, "\(moved.opened)")
          next.insert(moved)
          steps += 1
        }
      }
      worlds = next
    }
    #expect(steps > 1_000)
  }
}
