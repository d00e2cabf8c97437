/// The keys of a file in `inputs-from` or `produces`.
enum FileKey: String, FormatKey {
  case path, required, temporary

  static let owner = "a file"

  var shape: Shape {
    switch self {
    case .path: .name
    case .required, .temporary: .boolean
    }
  }

  var isRequired: Bool { self == .path }

  var defaultText: String? {
    switch self {
    case .path: nil
    case .required: "true for a path, false for a pattern"
    case .temporary: "false"
    }
  }

  var summary: String {
    switch self {
    case .path: "A path or a pattern, with *, ?, [], {} and **"
    case .required: "Whether it is an error if there is no such file"
    case .temporary: "Under produces: whether the file is removed once the steps that read it have succeeded"
    }
  }
}
