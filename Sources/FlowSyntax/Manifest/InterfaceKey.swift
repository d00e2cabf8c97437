/// The keys in the interface of a built-in plugin, `*.plugin.yaml`. They are the keys of `plugin.yaml` without those
/// that describe a program.
enum InterfaceKey: String, FormatKey {
  case name, version, `protocol`, description, actions, handles

  static let owner = "the interface of a plugin"

  var row: KeyRow {
    ManifestKey(rawValue: rawValue)?.row.shared(isRequired: self == .name || self == .actions)
      ?? KeyRow(.list(of: .string, isNonempty: false), "The handles that every run with the plugin has from its start")
  }

  static func remedy(for foreign: String, value: String?) -> String? {
    guard let key = ManifestKey(rawValue: foreign) else { return nil }
    return "a plugin that is compiled in has no '\(key.rawValue)'; remove the line"
  }
}

/// The keys of an action in the interface of a built-in plugin.
enum InterfaceActionKey: String, FormatKey {
  case summary, inputs, outputs, events, service
  case protectedData = "protected-data"
  case portable, errors, example
  case inProcess = "in-process"

  static let owner = "an action"

  /// The same key in the manifest of an external plugin, or nil.
  var manifestKey: ManifestActionKey? { ManifestActionKey(rawValue: rawValue) }

  var row: KeyRow {
    manifestKey?.row.shared(isRequired: self == .summary)
      ?? KeyRow(.map(InProcessKey.self), "What only an action inside the program can have")
  }

  static func remedy(for foreign: String, value: String?) -> String? {
    foreign == ManifestActionKey.retryable.rawValue ? "write 'retryable' in each of the action's 'errors'" : nil
  }
}

/// The keys that only actions of built-in plugins can have, because these run in the same process.
enum InProcessKey: String, FormatKey {
  case provides, requires, effect
  case outputsFrom = "outputs-from"
  case fieldsFrom = "fields-from"
  case eventFrom = "event-from"
  case shellText = "shell-text"
  case calls
  case outputLimit = "output-limit"
  case eventValues = "event-values"
  case follows, source
  case refusesNull = "refuses-null"

  static let owner = "'in-process'"

  var row: KeyRow {
    switch self {
    case .provides: KeyRow(.list(of: .string, isNonempty: false), "The handles that it makes for later steps")
    case .requires: KeyRow(.list(of: .string, isNonempty: false), "The handles that an earlier step must provide")
    case .effect:
      KeyRow(
        .word(["durable", "process"]),
        "process: its effect ends with the process, so a resumed run repeats it; durable: it does not")
    case .outputsFrom: KeyRow(.nameOf(.field), "The input whose keys are outputs, too")
    case .fieldsFrom: KeyRow(.nameOf(.field), "The input that declares outputs")
    case .eventFrom: KeyRow(.nameOf(.field), "The input that names an event it posts")
    case .shellText: KeyRow(.nameOf(.field), "The input whose text a shell reads")
    case .calls: KeyRow(.map(CallKey.self), "The inputs that say what it calls for each post of an event")
    case .outputLimit: KeyRow(.integer(1...Int.max), "The size of its outputs at most, in bytes")
    case .eventValues:
      KeyRow(.named(.event, .map(FieldKey.self)), "The values that it posts events with, by the name of the event")
    case .follows: KeyRow(.list(of: .string, isNonempty: false), "The events that it takes each post of")
    case .source:
      KeyRow(.word(["run", "outside"]), "outside: the events that the service posts come from outside of the run")
    case .refusesNull:
      KeyRow(.list(of: .string, isNonempty: false), "The inputs that may be left out but not be null")
    }
  }
}

/// The keys that describe an action that calls another one for each post of an event.
enum CallKey: String, FormatKey {
  case event, action, inputs

  static let owner = "'calls'"

  var row: KeyRow {
    switch self {
    case .event: KeyRow(.nameOf(.field), isRequired: true, "The input that names the event")
    case .action: KeyRow(.nameOf(.field), isRequired: true, "The input that names the action")
    case .inputs: KeyRow(.nameOf(.field), isRequired: true, "The input that holds the inputs of that action")
    }
  }
}
