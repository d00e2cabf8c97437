import FlowModel

extension ExportedWorkflow {
  /// Returns an Argo Workflow as JSON, which is also valid YAML. The steps are containers in a single DAG.
  func argo(image: String) -> Value {
    let names = argoNames
    let tasks = steps.map { step -> Value in
      let name = Value.string(names[step.id] ?? "")
      var task: ValueObject = ["name": name, "template": name]
      if !step.needs.isEmpty { task["dependencies"] = .array(step.needs.map { .string(names[$0.id] ?? "") }) }
      if step.isOptional { task["continueOn"] = ["failed": true, "error": true] }
      return .object(task)
    }
    let templates = steps.map { template(of: $0, named: names[$0.id] ?? "", image) }
    return [
      "apiVersion": "argoproj.io/v1alpha1", "kind": "Workflow",
      "metadata": ["generateName": .string(Self.argoName(name) + "-")],
      "spec": [
        "entrypoint": "flowrun",
        "templates": .array([["name": "flowrun", "dag": ["tasks": .array(tasks)]]] + templates),
      ],
    ]
  }

  /// The settings of exported steps that Argo does not support, with one sentence for each.
  var argoOmissions: [String] {
    steps.compactMap { step in
      guard let folder = step.statedFolder, folder.utf8.first != UInt8(ascii: "/") else { return nil }
      return "step '\(step.id)': its 'cwd' is left out: '\(folder)' starts at the workflow's folder, "
        + "which no container has"
    }
  }

  /// The name of each step's template, by the step's id. Names are unique, and none is the name of the DAG.
  private var argoNames: [String: String] {
    var names: [String: String] = [:]
    var taken: Set<String> = ["flowrun"]
    for step in steps {
      let wanted = Self.argoName(step.id)
      var name = wanted
      var number = 2
      while !taken.insert(name).inserted {
        name = "\(wanted)-\(number)"
        number += 1
      }
      names[step.id] = name
    }
    return names
  }

  private func template(of step: ExportedStep, named name: String, _ image: String) -> Value {
    var container: ValueObject = [
      "image": .string(image), "command": .array([.string(step.words[0])]),
      "args": .array(step.words.dropFirst().map { .string(Self.argoText($0)) }),
    ]
    if let folder = step.statedFolder, folder.utf8.first == UInt8(ascii: "/") {
      container["workingDir"] = .string(Self.argoText(folder))
    }
    if !step.environment.isEmpty {
      container["env"] = .array(
        step.environment.map { ["name": .string($0.name), "value": .string(Self.argoText($0.value))] })
    }
    if let request = step.request { container["resources"] = .object(Self.resources(request)) }
    var template: ValueObject = ["name": .string(name), "container": .object(container)]
    // Argo's schema allows "int or string" here, but Argo accepts only a string.
    if let limit = step.limit { template["activeDeadlineSeconds"] = .string(String(Self.seconds(limit))) }
    if let retry = step.retry, retry.attempts > 1 {
      template["retryStrategy"] = [
        "limit": .string(String(retry.attempts - 1)), "retryPolicy": "OnFailure",
        "backoff": [
          "duration": .string("\(Self.seconds(retry.delay))s"),
          "factor": .string(String(Int(retry.backoff.rounded(.up)))),
          "cap": .string("\(Self.seconds(retry.maxDelay))s"),
        ],
      ]
    }
    return .object(template)
  }

  /// Returns the resources of a container. Its memory and devices are limited to the request. Its processors are not,
  /// because Kubernetes slows down a container that exceeds such a limit.
  private static func resources(_ request: MachineResources) -> ValueObject {
    var requests: ValueObject = ["cpu": .string(String(request.cpus))]
    var limits = ValueObject()
    if request.memoryBytes > 0 {
      requests["memory"] = .string("\(request.memoryBytes >> 10)Ki")
      limits["memory"] = requests["memory"]
    }
    if request.gpus > 0 { limits["nvidia.com/gpu"] = .string(String(request.gpus)) }
    return limits.isEmpty
      ? ["requests": .object(requests)] : ["requests": .object(requests), "limits": .object(limits)]
  }

  /// Returns a valid Kubernetes name: lowercase letters, digits and hyphens, starting with a letter.
  private static func argoName(_ text: String) -> String {
    let name = String(text.lowercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }.prefix(50))
    return name.first?.isLetter == true ? name.last == "-" ? name + "x" : name : "s-" + name + "x"
  }

  /// Escapes double braces, because Argo replaces them and the text between them.
  private static func argoText(_ text: String) -> String {
    text.split(separator: "{{", omittingEmptySubsequences: false).joined(separator: "{{'{{'}}")
  }
}
