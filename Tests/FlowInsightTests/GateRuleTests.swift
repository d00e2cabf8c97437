import FlowEngine
import FlowInsight
import FlowModel
import Testing

struct `A launch gate` {
  @Test func `a workflow has a launch gate if it has a deadline`() {
    var workflow = Workflow(name: "w", steps: [])
    #expect(!GateRule.hasGate(workflow))
    workflow.gate = GateDeadline(max: .literal(.seconds(1)))
    #expect(GateRule.hasGate(workflow))
    workflow.gate = GateDeadline(min: .expression("${{ inputs.least }}"))
    #expect(GateRule.hasGate(workflow))
    #expect(GateRule.hasGate(GateBounds(minimumNanoseconds: 1)) && !GateRule.hasGate(GateBounds()))
  }

  @Test func `a workflow without a deadline has no launch gate, even if a step is deferred`() {
    var shape = CourseShape()
    shape.steps = [.init(id: "a"), .init(id: "clean")]
    shape.steps[1].isDeferred = true
    var course = RunCourse(shape)
    #expect(!course.hasGate)
    course.maximum = 5
    #expect(course.hasGate)
  }
}
