import FlowModel
import Testing

/// The roles of steps for the gate, before and after expressions are evaluated (L37, L39).
struct GateRolesTests {
  private func graph(_ steps: [Step]) throws -> WorkflowGraph {
    try WorkflowGraph(Workflow(name: "test", steps: steps))
  }

  private func step(
    _ id: String, needs: [StepIndex] = [], _ deferral: Deferral = .never, blocking: Bool? = nil
  ) -> Step {
    var options = StepOptions()
    options.deferral = deferral
    options.blocking = blocking
    return Step(id: StepID(unchecked: id), uses: "flow.noop", needs: needs[...], options: options)
  }

  private func deferrals(_ roles: GateRoles, _ count: Int) -> [GateRoles.Certainty] {
    (0..<StepIndex(count)).map { roles.deferral(of: $0) }
  }

  private func blockings(_ roles: GateRoles, _ count: Int) -> [GateRoles.Certainty] {
    (0..<StepIndex(count)).map { roles.blocking(of: $0) }
  }

  @Test func `the gate waits for every step by default if no step is deferred`() throws {
    let roles = GateRoles(try graph([step("a"), step("b", needs: [0]), step("c", blocking: false)]))
    #expect(!roles.isAnyDeferred)
    #expect(deferrals(roles, 3) == [.never, .never, .never])
    #expect(blockings(roles, 3) == [.always, .always, .never])
    #expect(roles.contradiction == nil)
  }

  @Test func `a step that needs a deferred step is deferred, in any file order`() throws {
    let roles = GateRoles(try graph([step("a", needs: [2]), step("b"), step("c", .idle), step("d", needs: [0])]))
    #expect(deferrals(roles, 4) == [.always, .never, .always, .always])
    #expect(blockings(roles, 4) == [.never, .always, .never, .never])
    #expect(roles.cause(ofDeferring: 3) == 2)
    #expect(roles.cause(ofDeferring: 2) == 2)
  }

  @Test func `a role that depends on an expression is undetermined until the expression is evaluated`() throws {
    let graph = try graph([
      step("a", .expression("inputs.late")), step("b", needs: [0]), step("c", .expression("inputs.later")),
      step("d", needs: [0], .afterGate),
    ])
    #expect(deferrals(GateRoles(graph), 4) == [.byExpression, .byExpression, .byExpression, .always])
    #expect(blockings(GateRoles(graph), 4) == [.byExpression, .byExpression, .byExpression, .never])
    #expect(GateRoles(graph).cause(ofDeferring: 3) == 3)
    let none = GateRoles(graph, answers: [])
    #expect(deferrals(none, 4) == [.never, .never, .never, .always])
    #expect(blockings(none, 4) == [.always, .always, .always, .never])
    let first = GateRoles(graph, answers: [0])
    #expect(deferrals(first, 4) == [.always, .always, .never, .always])
    #expect(blockings(first, 4) == [.never, .never, .always, .never])
  }

  @Test func `a step that must block the gate but is deferred in this run is reported as a contradiction`() throws {
    let graph = try graph([
      step("a", .expression("inputs.late")), step("b", needs: [0], blocking: true), step("c", .afterGate),
    ])
    #expect(GateRoles(graph).contradiction == nil)
    #expect(GateRoles(graph, answers: []).contradiction == nil)
    #expect(GateRoles(graph, answers: [0]).contradiction == 1)
  }

  @Test func `dependencies that form a cycle do not affect the roles of steps`() {
    let workflow = Workflow(name: "test", steps: [step("a", needs: [1], .afterGate), step("b", needs: [0])])
    let roles = GateRoles(workflow, order: [])
    #expect(deferrals(roles, 2) == [.always, .never])
  }

  @Test func `a deferred step runs at the quality of service utility, and others at user-initiated`() {
    #expect(StepQueue.usual(forDeferred: true) == .utility)
    #expect(StepQueue.usual(forDeferred: false) == .userInitiated)
  }
}
