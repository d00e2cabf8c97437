import FlowModel
import FlowPlatform
import FlowPluginKit

/// Converts the inputs of a step to those of its action: adds defaults, makes paths absolute and checks types.
package enum InputBinding {
  /// Binds the inputs of a step to the fields that its action declares, and makes all paths absolute. Throws if a value
  /// is missing, unknown or of the wrong type.
  ///
  /// - Parameters:
  ///   - given: The inputs that the step states.
  ///   - fields: The inputs that the action declares.
  ///   - run: The run, whose folders relative paths refer to.
  ///   - folder: The folder for relative paths in default values, or nil for the folder of `run`. It differs if another
  ///     file declares the defaults.
  package static func bind(
    _ given: ValueObject, to fields: [FieldDeclaration], run: RunInformation, defaultsIn folder: String? = nil
  ) throws(TypeMismatch) -> ValueObject {
    var bound = try bind(given, to: fields)
    if let folder {
      let defaults = fields.filter { (given[$0.name] ?? .null).isNull && $0.defaultValue != nil }
      bound = absolutePaths(in: bound, of: defaults, dataFolder: run.dataFolder, workflowFolder: folder)
    }
    return absolutePaths(in: bound, of: fields, dataFolder: run.dataFolder, workflowFolder: run.workflowFolder)
  }

  /// Binds inputs without changing paths. Throws if a value is missing, unknown or of the wrong type.
  static func bind(_ given: ValueObject, to fields: [FieldDeclaration]) throws(TypeMismatch) -> ValueObject {
    if given.isEmpty && fields.isEmpty { return given }
    var bound = ValueObject()
    for field in fields {
      if let value = given[field.name],
        !value.isNull || field.isRequired || field.refusesNull || field.type == .any
      {
        if var mismatch = field.type.mismatch(of: value, at: field.name) {
          if value.isNull, field.refusesNull { mismatch.help = field.nullHelp }
          throw mismatch
        }
        bound[field.name] = value
      } else if let value = field.defaultValue {
        bound[field.name] = value
      } else if field.isRequired {
        throw TypeMismatch(path: field.name, expected: field.type.expectation, found: "nothing")
      }
    }
    for (key, value) in given where !fields.contains(where: { $0.name == key }) {
      throw TypeMismatch(
        path: key, expected: fields.isEmpty ? "no inputs" : "one of \(fields.map(\.name).joined(separator: ", "))",
        found: value.shortText)
    }
    return bound
  }

  /// Returns the inputs with all relative paths made absolute. The declared type of a path determines the folder that
  /// it is relative to.
  package static func absolutePaths(
    in inputs: ValueObject, of fields: [FieldDeclaration], dataFolder: String, workflowFolder: String
  ) -> ValueObject {
    var absolute = inputs
    for field in fields {
      if let value = inputs[field.name] {
        absolute[field.name] = resolve(value, field.type, dataFolder, workflowFolder)
      }
    }
    return absolute
  }

  private static func resolve(
    _ value: Value, _ type: ValueType, _ dataFolder: String, _ workflowFolder: String
  ) -> Value {
    switch (type, value) {
    case (.path(let base), .string(let path)):
      guard !FilePath.isAbsolute(path), !path.isEmpty else { return value }
      if path == "~" || path.utf8.starts(with: "~/".utf8) { return .string(FilePath.withHome(path)) }
      return .string((base == .data ? dataFolder : workflowFolder) + "/" + path)
    case (.array(let element), .array(let values)):
      return .array(values.map { resolve($0, element, dataFolder, workflowFolder) })
    case (.object(let properties?), .object(let members)):
      return .object(
        absolutePaths(in: members, of: properties, dataFolder: dataFolder, workflowFolder: workflowFolder))
    default:
      return value
    }
  }
}

extension Value {
  /// True if the value takes more than about `limit` bytes as JSON: escapes are not counted, and each null, Boolean or
  /// number counts as 8 bytes. Stops counting once the limit is exceeded.
  func exceeds(bytes limit: Int) -> Bool {
    var left = limit
    return !spend(&left)
  }

  private func spend(_ left: inout Int) -> Bool {
    switch self {
    case .null, .boolean, .integer, .number: left -= 8
    case .string(let text): left -= text.utf8.count + 2
    case .array(let values):
      left -= 2
      for value in values { guard value.spend(&left) else { return false } }
    case .object(let members):
      left -= 2
      for (key, value) in members {
        left -= key.utf8.count + 4
        guard value.spend(&left) else { return false }
      }
    }
    return left >= 0
  }
}
