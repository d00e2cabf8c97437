import FlowModel
import FlowTestKit

/// The rules for steps that request resources of the machine. The requests of running steps together never exceed the
/// capacity. A step that was asked to end keeps its resources as long as its slot.
extension Oracle {
  func request(of step: Int) -> MachineResources? {
    queueName(of: step) == "main" || script(of: step).isService ? nil : options[step].request
  }

  /// The resources that no running step uses.
  var freeCapacity: MachineResources {
    var free = scenario.capacity
    for body in bodies where isActive(body) {
      guard let request = request(of: body.step) else { continue }
      free.cpus -= request.cpus
      free.memoryBytes -= request.memoryBytes
      free.gpus -= request.gpus
    }
    return free
  }

  /// The first step by rank that waits only for resources, or nil if there is none.
  var firstWaiting: Int? {
    rankOrder.first { step in
      guard states[step].phase == .queued, hasSlot(step), let request = request(of: step) else { return false }
      let free = freeCapacity
      return request.cpus > free.cpus || request.memoryBytes > free.memoryBytes || request.gpus > free.gpus
    }
  }

  func isBehind(_ step: Int, _ other: Int) -> Bool {
    rankOrder.firstIndex(of: step)! > rankOrder.firstIndex(of: other)!
  }

  /// True if the machine allows the step to start. After four steps have passed the first waiting one, later ones start
  /// only if the resources that it requests stay free.
  func machineAllows(_ step: Int) -> Bool {
    guard let request = request(of: step) else { return true }
    var free = freeCapacity
    guard request.cpus <= free.cpus, request.memoryBytes <= free.memoryBytes, request.gpus <= free.gpus else {
      return false
    }
    guard let waiting = firstWaiting, isBehind(step, waiting), let passed, passed.step == waiting, passed.count >= 4
    else { return true }
    let kept = self.request(of: waiting)!
    free.cpus -= kept.cpus
    free.memoryBytes -= kept.memoryBytes
    free.gpus -= kept.gpus
    return (request.cpus == 0 || request.cpus <= free.cpus)
      && (request.memoryBytes == 0 || request.memoryBytes <= free.memoryBytes)
      && (request.gpus == 0 || request.gpus <= free.gpus)
  }

  mutating func notePassing(by step: Int) {
    guard request(of: step) != nil else { return }
    let waiting = firstWaiting
    if passed?.step == step { passed = nil }
    guard let waiting, isBehind(step, waiting) else { return }
    passed = (waiting, passed?.step == waiting ? passed!.count + 1 : 1)
  }
}
