/// The keys of the manifest of an external plugin, `plugin.yaml`.
enum ManifestKey: String, FormatKey {
  case name, version, `protocol`, command, source, env, actions, description, executor

  static let owner = "a manifest"

  var row: KeyRow {
    switch self {
    case .name: KeyRow(.nameOf(.plugin), isRequired: true, "The name of the plugin, with which its actions begin")
    case .version: KeyRow(.string, isRequired: true, "The plugin's version, such as 1.0.0")
    case .protocol: KeyRow(.integer(1...1), isRequired: true, "The protocol that the program speaks: 1")
    case .command:
      KeyRow(.list(of: .string, isNonempty: true), "The program with its arguments, run in the plugin's folder")
    case .source: KeyRow(.sourceFile, "A Swift file that flowrun compiles and keeps")
    case .env:
      KeyRow(.list(of: .string, isNonempty: false), "The environment variables that the program may see besides PATH")
    case .actions:
      KeyRow(.named(.action, .map(ManifestActionKey.self)), "The actions by full name; an executor may have none")
    case .description: KeyRow(.string, "What the plugin is for")
    case .executor:
      KeyRow(
        .map(ManifestExecutorKey.self),
        "How steps run remotely with --on NAME; in addition to actions or instead of them")
    }
  }
}

/// The keys of an executor in a manifest.
enum ManifestExecutorKey: String, FormatKey {
  case command, places

  static let owner = "an executor"

  var row: KeyRow {
    switch self {
    case .command:
      KeyRow(
        .list(of: .string, isNonempty: true), isRequired: true,
        "The program that starts a worker and connects its input and output; {value}, {place}, {worker}, {worker-line} are filled in"
      )
    case .places:
      KeyRow(
        .list(of: .string, isNonempty: true), isRequired: true,
        "The program that prints the workers, one per line: a name, and how many steps it runs at once")
    }
  }
}

/// The keys of an action in a manifest.
enum ManifestActionKey: String, FormatKey {
  case summary, inputs, outputs, events, service
  case protectedData = "protected-data"
  case retryable, portable, errors, example

  static let owner = "an action"

  var row: KeyRow {
    switch self {
    case .summary: KeyRow(.string, isRequired: true, "What the action does, in a sentence")
    case .inputs: KeyRow(.named(.field, .map(FieldKey.self)), "The inputs")
    case .outputs: KeyRow(.named(.field, .map(FieldKey.self)), "The outputs")
    case .events: KeyRow(.list(of: .nameOf(.event), isNonempty: false), "The events that it may post")
    case .service: KeyRow(.boolean, default: "false", "Whether it reports ready and then runs until it is stopped")
    case .protectedData:
      KeyRow(.boolean, default: "false", "Whether it reads data that is unavailable while the device is locked")
    case .retryable:
      KeyRow(.boolean, default: "false", "Whether its errors can be retried, unless an error says otherwise")
    case .portable:
      KeyRow(.boolean, default: "false", "Whether it works the same on another machine, so that --on may run it there")
    case .errors: KeyRow(.named(.field, .map(ManifestErrorKey.self)), "The errors that it may end with, by code")
    case .example: KeyRow(.string, "An example step, beginning with uses:")
    }
  }
}

/// The keys of an error in a manifest.
enum ManifestErrorKey: String, FormatKey {
  case summary, retryable

  static let owner = "an error"

  var row: KeyRow {
    switch self {
    case .summary: KeyRow(.string, isRequired: true, "When it occurs and what to do about it")
    case .retryable: KeyRow(.boolean, "Whether another attempt may succeed")
    }
  }
}
