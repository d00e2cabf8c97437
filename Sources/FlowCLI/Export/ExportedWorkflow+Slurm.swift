import FlowModel

extension ExportedWorkflow {
  /// A script that submits one job per step. The jobs have the same dependencies as the steps.
  var slurmScript: String {
    var text = """
      #!/bin/bash
      # \(Self.comment(name)), written by flowrun export: a job a step. Run it where sbatch is.
      set -euo pipefail

      """
    for (index, step) in steps.enumerated() {
      var words = ["sbatch", "--parsable", "--job-name=" + Self.quoted(step.id), "--chdir=" + Self.quoted(step.folder)]
      words.append("--kill-on-invalid-dep=yes")
      // Slurm counts time limits in whole minutes.
      if let limit = step.limit { words.append("--time=\((Self.seconds(limit) + 59) / 60)") }
      if let request = step.request {
        words.append("--cpus-per-task=\(request.cpus)")
        // In Slurm, K also means 1,024 bytes.
        if request.memoryBytes > 0 { words.append("--mem=\(request.memoryBytes >> 10)K") }
        if request.gpus > 0 { words.append("--gres=gpu:\(request.gpus)") }
      }
      if step.retry != nil { words.append("--no-requeue") }
      let required = step.needs.filter { !$0.isOptional }.map { "${job\(number(of: $0.id))}" }
      let optional = step.needs.filter(\.isOptional).map { "${job\(number(of: $0.id))}" }
      var dependencies: [String] = []
      if !required.isEmpty { dependencies.append("afterok:" + required.joined(separator: ":")) }
      if !optional.isEmpty { dependencies.append("afterany:" + optional.joined(separator: ":")) }
      if !dependencies.isEmpty { words.append("--dependency=\"\(dependencies.joined(separator: ","))\"") }
      words.append("--wrap=" + Self.quoted(Self.line(step)))
      text += "job\(index)=$(\(words.joined(separator: " ")))\necho \"${job\(index)} \(step.id)\"\n"
    }
    return text
  }

  private func number(of id: String) -> Int { steps.firstIndex { $0.id == id } ?? 0 }

  /// Returns the shell command for a step, with a loop if it has several attempts.
  private static func line(_ step: ExportedStep) -> String {
    var words = step.words.map(quoted).joined(separator: " ")
    if !step.environment.isEmpty {
      words = "env " + step.environment.map { quoted("\($0.name)=\($0.value)") }.joined(separator: " ") + " " + words
    }
    guard let retry = step.retry, retry.attempts > 1 else { return words }
    return """
      try=1; pause=\(seconds(retry.delay)); until \(words); do [ $try -lt \(retry.attempts) ] || exit 1; sleep $pause; \
      try=$((try + 1)); pause=$((pause * \(Int(retry.backoff.rounded(.up))))); \
      [ $pause -lt \(seconds(retry.maxDelay)) ] || pause=\(seconds(retry.maxDelay)); done
      """
  }

  private static func comment(_ text: String) -> String {
    text.split(whereSeparator: \.isNewline).joined(separator: " ")
  }
}
