import FlowModel

/// The keys of a secret.
enum SecretKey: String, FormatKey {
  case env, file, command, required

  static let owner = "a secret"

  static func counterpart(of foreign: String) -> String? { ForeignKeys.counterpart(ofSecret: foreign) }
  static func remedy(for foreign: String, value: String?) -> String? { ForeignKeys.remedy(ofSecret: foreign) }

  var shape: Shape {
    switch self {
    case .env, .file: .name
    case .command: .list(of: .string, isNonempty: true)
    case .required: .boolean
    }
  }

  var defaultText: String? { self == .required ? "true" : nil }

  var summary: String {
    switch self {
    case .env:
      "The variable that holds it, in flowrun's environment or in env-file, with ${{ inputs… }}; commands do not inherit it"
    case .file:
      "The file that holds it, relative to the workflow's folder, with ${{ inputs… }}; a line break at its end is removed"
    case .command:
      "A program with its arguments, with ${{ inputs… }}, that prints it; a line break at its end is removed"
    case .required: "Whether a run cannot start without it; otherwise it is null"
    }
  }

  /// The keys for the source of a secret, which must have exactly one of them.
  static let sources: [SecretKey] = [.env, .file, .command]
}
