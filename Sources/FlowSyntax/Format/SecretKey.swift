import FlowModel

/// The keys that describe a secret in `secrets`.
enum SecretKey: String, FormatKey {
  case env, file, command, required

  static let owner = "a secret"

  static func counterpart(of foreign: String) -> String? { ForeignKeys.counterpart(ofSecret: foreign) }
  static func remedy(for foreign: String, value: String?) -> String? { ForeignKeys.remedy(ofSecret: foreign) }

  /// The keys that determine where a secret comes from. A secret has exactly one of them.
  static let sources: [SecretKey] = [.env, .file, .command]

  var row: KeyRow {
    switch self {
    case .env:
      KeyRow(
        .name,
        "The variable that holds it, in flowrun's environment or in env-file, with ${{ inputs… }}; commands do not inherit it"
      )
    case .file:
      KeyRow(
        .name,
        "The file that holds it, relative to the workflow's folder, with ${{ inputs… }}; a line break at its end is removed"
      )
    case .command:
      KeyRow(
        .list(of: .string, isNonempty: true),
        "A program with its arguments, with ${{ inputs… }}, that prints it; a line break at its end is removed")
    case .required: KeyRow(.boolean, default: "true", "Whether a run cannot start without it; otherwise it is null")
    }
  }
}
