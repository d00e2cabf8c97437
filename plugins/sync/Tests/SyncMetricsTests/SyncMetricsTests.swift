#if Network
  import MetricsTestKit
  import SyncCore
  import SyncEngine
  import SyncMetrics
  import SyncPomodoro
  import Testing

  /// The metrics that a device reports to a dashboard.
  struct SyncMetricsTests {
    private let zone = [("zone", Pomodoro.zone)]

    @Test func `S43: gauges show the device's current state, and counters start at the first recorded status`() throws {
      let factory = TestMetrics()
      let metrics = SyncMetrics(zone: Pomodoro.zone, factory: factory)
      var machine = SyncMachine(replica: Replica(device: DeviceID(stem: "mac", random: 1)), seed: 1)
      _ = machine.handle(.started, atMilliseconds: 1000)
      metrics.record(machine.status(atMilliseconds: 1000))
      let gauge = { label in try factory.expectGauge(label, zone).lastValue }
      #expect(try gauge("sync_outbox_items") == 0)
      #expect(try gauge("sync_requests_in_hour") == 2)
      _ = machine.handle(
        .acted(Pomodoro.timer, .edit(TimerState(kind: .focus).edit())), atMilliseconds: 2000)
      metrics.record(machine.status(atMilliseconds: 5500))
      #expect(try gauge("sync_outbox_items") == 1)
      #expect(try gauge("sync_outbox_age_seconds") == 3.5)
      #expect(try gauge("sync_channel_up") == 0)
      #expect(try gauge("sync_requests_per_hour_limit") == 100)
      #expect(try factory.expectCounter("sync_actions", zone).totalValue == 1)
      // The two requests were made before the first record.
      #expect(try factory.expectCounter("sync_requests", zone).totalValue == 0)
      for rule in ConflictRule.allCases {
        #expect(try factory.expectCounter("sync_conflicts", zone + [("rule", rule.rawValue)]).totalValue == 0)
      }
    }
  }
#endif
