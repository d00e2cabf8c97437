/// The keys of an entry in `inputs-from` or `produces` that is written as a mapping.
enum FileKey: String, FormatKey {
  case path, required, temporary

  static let owner = "a file"

  var row: KeyRow {
    switch self {
    case .path: KeyRow(.name, isRequired: true, "A path or a pattern, with *, ?, [], {} and **")
    case .required:
      KeyRow(
        .boolean, default: "true for a path, false for a pattern", "Whether it is an error if there is no such file")
    case .temporary:
      KeyRow(
        .boolean, default: "false",
        "Under produces: whether the file is removed once the steps that read it have succeeded")
    }
  }
}
