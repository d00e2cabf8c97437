import FlowDiagnostics
import FlowModel

/// A kind of YAML file for a plugin that is compiled into an app, such as a schema of records.
package struct PackageFileKind: Sendable {
  /// The suffix of the names of such files, such as `.sync.yaml`.
  package var suffix: String
  /// The name of such a file in messages, such as `schema`.
  package var name: String
  /// The generated enumeration with a member for each file, and its comment.
  package var namespace: (name: String, summary: String)
  /// The type of the members. It must have an initializer `init(file: String, bytes: [UInt8])`.
  package var type: String
  /// The products that contain the type. The generated file imports the first of them that the target depends on.
  package var products: [String]
  /// Compiles the content of a file. The path of the file is used only in messages.
  package var compile: @Sendable (_ bytes: [UInt8], _ file: String) -> Result

  package struct Result: Sendable {
    let bytes: [UInt8]?
    let diagnostics: [Diagnostic]
    let source: SourceText

    /// Creates a result. `bytes` is the compiled content, or nil if the file has an error.
    package init(bytes: [UInt8]?, diagnostics: [Diagnostic], source: SourceText) {
      self.bytes = bytes
      self.diagnostics = diagnostics
      self.source = source
    }
  }

  package init(
    suffix: String, name: String, namespace: (name: String, summary: String), type: String, products: [String],
    compile: @escaping @Sendable (_ bytes: [UInt8], _ file: String) -> Result
  ) {
    self.suffix = suffix
    self.name = name
    self.namespace = namespace
    self.type = type
    self.products = products
    self.compile = compile
  }
}

/// Generates the Swift code for the files of one kind.
struct PackageFileSource {
  let kind: PackageFileKind
  /// The names of the files, without folders, and their compiled content.
  let files: [(name: String, bytes: [UInt8])]
  /// The access modifier `public ` in a library, or an empty string.
  let access: String

  /// Returns the name of a file without its suffix.
  static func stem(_ file: String, _ kind: PackageFileKind) -> String {
    file.hasSuffix(kind.suffix) ? String(file.dropLast(kind.suffix.count)) : file
  }

  /// The code of the enumeration, for the top level of a file.
  var text: String {
    let members = SwiftNames.members(
      files.map { file in
        let stem = Self.stem(file.name, kind)
        return stem.prefix(1).lowercased() + stem.dropFirst()
      }, besides: ["all"])
    var text = "\(SwiftText.comment(kind.namespace.summary, indent: ""))\(access)enum \(kind.namespace.name) {\n"
    for (file, member) in zip(files, members) {
      text += """
          /// The \(kind.name) of \(file.name).
          \(access)static let \(member) = \(kind.type)(
            file: \(SwiftText.literal(file.name)),
            bytes: \(SwiftText.bytes(file.bytes, indent: "    ")))

        """
    }
    return text + """
        /// All of them.
        \(access)static let all: [\(kind.type)] = [\(members.joined(separator: ", "))]
      }

      """
  }
}
