/// The keys of a file in `inputs-from` or `produces` that is a mapping.
enum FileKey: String, FormatKey {
  case path, required

  static let owner = "a file"

  var shape: Shape {
    switch self {
    case .path: .name
    case .required: .boolean
    }
  }

  var isRequired: Bool { self == .path }

  var defaultText: String? { self == .required ? "true for a path, false for a pattern" : nil }

  var summary: String {
    switch self {
    case .path: "A path or a pattern, with *, ?, [], {} and **"
    case .required: "Whether it is an error if there is no such file"
    }
  }
}
