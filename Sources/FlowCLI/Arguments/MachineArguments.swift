import FlowCommandKit
import FlowDiagnostics
import FlowEngine
import FlowModel

/// Reads `--resources`, which limits the resources that steps of a run use at the same time.
package enum MachineArguments {
  /// Returns the resources in the option, or nil if the option is missing. Resources that the option does not name are
  /// those of this machine.
  package static func capacity(_ text: String?) throws(UsageProblem) -> MachineResources? {
    guard let text else { return nil }
    var request = MachineResources.ofThisMachine
    var named: Set<String> = []
    for part in text.parts(separatedBy: ",") {
      guard case (let name, let value?) = part.parted(at: "="), named.insert(name).inserted else {
        throw UsageProblem(
          "--resources '\(text)': write each of cpus, memory and gpus once, such as cpus=8,memory=16GiB")
      }
      switch name {
      case "cpus": request.cpus = try count(value, 1, text)
      case "gpus": request.gpus = try count(value, 0, text)
      case "memory":
        do throws(MemoryText.MemoryProblem) {
          request.memoryBytes = try MemoryText.parse(value)
        } catch {
          throw UsageProblem("--resources '\(text)': \(error.help)")
        }
      default:
        let names = ["cpus", "memory", "gpus"]
        throw UsageProblem(
          "--resources '\(text)': there is no '\(name)'; "
            + (NearestName.question(name, among: names) ?? "there are cpus, memory and gpus"))
      }
    }
    return request
  }

  private static func count(_ word: String, _ least: Int, _ text: String) throws(UsageProblem) -> Int {
    guard let count = Int(word), (least...Limits.cpus).contains(count) else {
      throw UsageProblem("--resources '\(text)': '\(word)' is not a number from \(least) to \(Limits.cpus)")
    }
    return count
  }
}
