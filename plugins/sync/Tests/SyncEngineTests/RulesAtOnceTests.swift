import SyncCore
import SyncEngine
import Testing

/// Devices that declare different rules for one collection before any of them has seen the others' rules.
struct RulesAtOnceTests {
  @Test func `if a second device has conflicting rules, they are refused, and its changes are parked`() {
    var fleet = RecordFleet(2)
    fleet.settle()
    fleet.isAway = [0, 1]
    let record = RecordKey(type: "shelves", name: "a")
    for (device, rule) in ["integer counter", "integer largest"].enumerated() {
      fleet.give(
        device,
        .acted(ZoneRules.key(of: "shelves"), .rules(["likes": rule])))
    }
    fleet.give(0, .acted(record, .edit(RecordEdit(fields: ["likes": .add(1)]))))
    fleet.give(1, .acted(record, .edit(RecordEdit(fields: ["likes": .largest(Scalar.integer(9).bytes)]))))
    fleet.isAway = [1]
    fleet.settle()
    fleet.isAway = []
    fleet.settle()
    let difference = "the zone keeps 'likes' of 'shelves' as 'integer counter' and this schema says 'integer largest'"
    let parked = fleet.machines[1].status(atMilliseconds: fleet.now).parked
    #expect(parked.map(\.key) == [ZoneRules.key(of: "shelves"), record])
    #expect(parked.allSatisfy { $0.reason.contains(difference) }, "\(parked.map(\.reason))")
    #expect(fleet.machines[0].replica.outbox.isEmpty)
    for machine in fleet.machines { #expect(machine.rules(of: "shelves").texts == ["likes": "integer counter"]) }
    #expect(fleet.zone.records[record]?.cell.content.part("likes")?.state.total == 1)
    // No more changes are accepted under those rules.
    let more = SyncMachine.Action.edit(RecordEdit(fields: ["likes": .largest(Scalar.integer(10).bytes)]))
    #expect(fleet.machines[1].refusal(of: more, on: record)?.contains(difference) == true)
  }
}
