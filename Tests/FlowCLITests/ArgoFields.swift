import FlowModel

/// The part of Argo's published schema that exported workflows use: the fields that exist, which of them are required,
/// and their content. The schema allows unknown fields. Here they are errors, because Argo ignores them.
indirect enum ArgoFields: Sendable {
  case text
  case flag
  case constant(String)
  case list(ArgoFields)
  case object([String: ArgoFields], required: [String] = [])

  static let workflow = ArgoFields.object(
    [
      "apiVersion": .constant("argoproj.io/v1alpha1"), "kind": .constant("Workflow"),
      "metadata": .object(["generateName": .text]),
      "spec": .object(["entrypoint": .text, "templates": .list(template)]),
    ], required: ["apiVersion", "kind", "metadata", "spec"])

  private static let template = ArgoFields.object([
    "name": .text, "activeDeadlineSeconds": .text,
    "dag": .object(["tasks": .list(task)], required: ["tasks"]),
    "container": .object(
      [
        "image": .text, "workingDir": .text, "command": .list(.text), "args": .list(.text),
        "env": .list(.object(["name": .text, "value": .text], required: ["name"])),
      ], required: ["image"]),
    "retryStrategy": .object([
      "limit": .text, "retryPolicy": .text,
      "backoff": .object(["duration": .text, "factor": .text, "cap": .text]),
    ]),
  ])

  private static let task = ArgoFields.object(
    [
      "name": .text, "template": .text, "dependencies": .list(.text),
      "continueOn": .object(["failed": .flag, "error": .flag]),
    ], required: ["name"])

  /// Returns the problems with a value, each with its location.
  func problems(_ value: Value, _ place: String = "") -> [String] {
    switch (self, value) {
    case (.text, .string), (.flag, .boolean): []
    case (.constant(let wanted), .string(let text)) where text == wanted: []
    case (.list(let element), .array(let values)):
      values.enumerated().flatMap { element.problems($1, "\(place)[\($0)]") }
    case (.object(let fields, let required), .object(let members)):
      required.filter { members[$0] == nil }.map { "\(place): there is no '\($0)'" }
        + members.flatMap { name, value in
          fields[name]?.problems(value, "\(place).\(name)") ?? ["\(place): Argo has no field '\(name)'"]
        }
    default: ["\(place): \(value) is not what belongs here"]
    }
  }
}
