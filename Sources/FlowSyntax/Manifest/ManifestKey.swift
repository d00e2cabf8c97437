/// The keys of the manifest of an external plugin, `plugin.yaml`.
enum ManifestKey: String, FormatKey {
  case name, version, `protocol`, command, source, env, actions, description, executor

  static let owner = "a manifest"

  var isRequired: Bool { self == .name || self == .version || self == .protocol }

  var shape: Shape {
    switch self {
    case .name: .nameOf(.plugin)
    case .version, .description: .string
    case .source: .sourceFile
    case .protocol: .integer(1...1)
    case .command: .list(of: .string, isNonempty: true)
    case .env: .list(of: .string, isNonempty: false)
    case .actions: .named(.action, .map(ManifestActionKey.self))
    case .executor: .map(ManifestExecutorKey.self)
    }
  }

  var summary: String {
    switch self {
    case .name: "The name of the plugin, with which its actions begin"
    case .version: "The plugin's version, such as 1.0.0"
    case .protocol: "The protocol that the program speaks: 1"
    case .command: "The program with its arguments, run in the plugin's folder"
    case .source: "A Swift file that flowrun compiles and keeps"
    case .env: "The environment variables that the program may see besides PATH"
    case .actions: "The actions by full name; an executor may have none"
    case .executor: "How steps run remotely with --on NAME; in addition to actions or instead of them"
    case .description: "What the plugin is for"
    }
  }
}

/// The keys of an executor in a manifest.
enum ManifestExecutorKey: String, FormatKey {
  case command, places

  static let owner = "an executor"

  var isRequired: Bool { true }
  var shape: Shape { .list(of: .string, isNonempty: true) }

  var summary: String {
    switch self {
    case .command:
      "The program that starts a worker and connects its input and output; {value}, {place}, {worker}, {worker-line} are filled in"
    case .places: "The program that prints the workers, one per line: a name, and how many steps it runs at once"
    }
  }
}

/// The keys of an action in a manifest.
enum ManifestActionKey: String, FormatKey {
  case summary, inputs, outputs, events, service
  case protectedData = "protected-data"
  case retryable, portable, errors, example

  static let owner = "an action"

  var isRequired: Bool { self == .summary }

  var shape: Shape {
    switch self {
    case .summary, .example: .string
    case .inputs, .outputs: .named(.field, .map(FieldKey.self))
    case .events: .list(of: .nameOf(.event), isNonempty: false)
    case .service, .protectedData, .retryable, .portable: .boolean
    case .errors: .named(.field, .map(ManifestErrorKey.self))
    }
  }

  var defaultText: String? {
    switch self {
    case .service, .protectedData, .retryable, .portable: "false"
    default: nil
    }
  }

  var summary: String {
    switch self {
    case .summary: "What the action does, in a sentence"
    case .inputs: "The inputs"
    case .outputs: "The outputs"
    case .events: "The events that it may post"
    case .service: "Whether it reports ready and then runs until it is stopped"
    case .protectedData: "Whether it reads data that is unavailable while the device is locked"
    case .retryable: "Whether its errors can be retried, unless an error says otherwise"
    case .portable: "Whether it works the same on another machine, so that --on may run it there"
    case .errors: "The errors that it may end with, by code"
    case .example: "An example step, beginning with uses:"
    }
  }
}

/// The keys of an error in a manifest.
enum ManifestErrorKey: String, FormatKey {
  case summary, retryable

  static let owner = "an error"

  var isRequired: Bool { self == .summary }
  var shape: Shape { self == .summary ? .string : .boolean }

  var summary: String {
    switch self {
    case .summary: "When it occurs and what to do about it"
    case .retryable: "Whether another attempt may succeed"
    }
  }
}
