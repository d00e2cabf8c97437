import FlowModel
import FlowTestKit

/// Steps that take a share of the machine. "The sum of what runs never exceeds what the machine has"; one that was told to
/// stop keeps its share as it keeps its place.
extension Oracle {
  func share(of step: Int) -> MachineShare? {
    queueName(of: step) == "main" || script(of: step).isService ? nil : options[step].share
  }

  /// What nobody takes.
  var freeShare: MachineShare {
    var free = scenario.supply
    for body in bodies where isActive(body) {
      guard let share = share(of: body.step) else { continue }
      free.cpus -= share.cpus
      free.memoryBytes -= share.memoryBytes
      free.gpus -= share.gpus
    }
    return free
  }

  /// "The first in order of those that wait": it would start if more were free.
  var firstWaiting: Int? {
    rankOrder.first { step in
      guard states[step].phase == .queued, hasPlace(step), let share = share(of: step) else { return false }
      let free = freeShare
      return share.cpus > free.cpus || share.memoryBytes > free.memoryBytes || share.gpus > free.gpus
    }
  }

  func isBehind(_ step: Int, _ other: Int) -> Bool {
    rankOrder.firstIndex(of: step)! > rankOrder.firstIndex(of: other)!
  }

  /// "It is passed four times; from then on steps behind it start only where as much stays free as it asks for."
  func machineAllows(_ step: Int) -> Bool {
    guard let share = share(of: step) else { return true }
    var free = freeShare
    guard share.cpus <= free.cpus, share.memoryBytes <= free.memoryBytes, share.gpus <= free.gpus else { return false }
    guard let waiting = firstWaiting, isBehind(step, waiting), let passed, passed.step == waiting, passed.count >= 4
    else { return true }
    let kept = self.share(of: waiting)!
    free.cpus -= kept.cpus
    free.memoryBytes -= kept.memoryBytes
    free.gpus -= kept.gpus
    return (share.cpus == 0 || share.cpus <= free.cpus)
      && (share.memoryBytes == 0 || share.memoryBytes <= free.memoryBytes)
      && (share.gpus == 0 || share.gpus <= free.gpus)
  }

  mutating func notePassing(by step: Int) {
    guard share(of: step) != nil else { return }
    let waiting = firstWaiting
    if passed?.step == step { passed = nil }
    guard let waiting, isBehind(step, waiting) else { return }
    passed = (waiting, passed?.step == waiting ? passed!.count + 1 : 1)
  }
}
