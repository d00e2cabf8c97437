import FlowModel

/// A member of a context with its description, for checks and editors.
struct ContextKey {
  let name: String
  let summary: String

  /// Returns the members of a context, or an empty array if it has no fixed set of them. For `steps` and `events`,
  /// returns the members of a step and of an event.
  static func all(of context: String) -> [ContextKey] {
    switch context {
    case "launch":
      [
        ContextKey(name: "reason", summary: "Why the app was launched"),
        ContextKey(name: "options", summary: "The launch options, by key"),
        ContextKey(name: "first", summary: "Whether no run has succeeded with this data folder"),
      ]
    case "run":
      [
        ContextKey(name: "id", summary: "The unique id of the run"),
        ContextKey(name: "data", summary: "The run's data folder"),
        ContextKey(name: "folder", summary: "The folder of the workflow file that was started"),
        ContextKey(name: "conclusion", summary: "In finally: success, partial, failure or cancelled so far"),
        ContextKey(
          name: "failures",
          summary: "In finally: what failed, a list of step, code and message; of a timeout, timed-out without a step"),
      ]
    case "gate":
      [ContextKey(name: "outcome", summary: "How the gate opened: ready, timed-out or failed")]
    case "event":
      [
        ContextKey(name: "name", summary: "The name of the event"),
        ContextKey(name: "number", summary: "The number of the post, from 1"),
        ContextKey(name: "at", summary: "When it was posted"),
        ContextKey(name: "value", summary: "What it was posted with"),
      ]
    case "events":
      [ContextKey(name: "value", summary: "What the last post of the event came with; null before the first")]
    case "steps":
      [
        ContextKey(name: "outputs", summary: "The outputs of the step, by name"),
        ContextKey(name: "outcome", summary: "How the step itself ended"),
        ContextKey(name: "conclusion", summary: "How it counts: an optional step's failure counts as success"),
        ContextKey(
          name: "products",
          summary: "The files that it has made, as paths from its file; with foreach, those of all items"),
      ]
    default: []
    }
  }

  /// The members of `run` that only expressions in `finally` can read.
  static let ofFinalSteps = ["conclusion", "failures"]

  static func names(of context: String) -> [String] { all(of: context).map(\.name) }

  /// Returns a one-sentence description of a context.
  static func summary(ofContext name: String) -> String {
    switch name {
    case "inputs": "The inputs of the run, by name"
    case "env":
      "The environment variables that the step's commands get: of the step, the workflow, env-file and flowrun itself"
    case "steps": "The finished steps, by id"
    case "launch": "Why and how the app was launched"
    case "run": "The run itself"
    case "gate": "The launch gate, for deferred steps"
    case "event": "The event that an action is called for"
    case "events": "The events of the run, by name, each with the value of its last post"
    case "secrets": "The secrets that the workflow declares, by name; in env of steps and in inputs that are secret"
    case ItemContext.item: "The item that the step runs for"
    case ItemContext.index: "The index of the item, from 0"
    case ItemContext.key: "The key of the item, if the items come from a mapping"
    default: ""
    }
  }
}
