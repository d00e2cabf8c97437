import FlowDiagnostics
import FlowModel

/// A kind of YAML files for a plugin that are compiled into an app, such as schemas of records.
package struct PackageFileKind: Sendable {
  /// The suffix of the files' names.
  package var suffix: String
  /// The name of such a file in messages, such as `schema`.
  package var name: String
  /// The enumeration in the generated file with a member for each file, and its comment.
  package var namespace: (name: String, summary: String)
  /// The type of the members, which must have an initializer `init(file: String, bytes: [UInt8])`.
  package var type: String
  /// The products that contain the type. The generated file imports the first one that the target depends on.
  package var products: [String]
  /// Compiles the bytes of a file; its path is used in messages.
  package var compile: @Sendable (_ bytes: [UInt8], _ file: String) -> Result

  /// The result of compiling a file.
  package struct Result: Sendable {
    let bytes: [UInt8]?
    let diagnostics: [Diagnostic]
    let source: SourceText

    /// Creates a result from the compiled bytes, which are nil if and only if the file has an error, and the
    /// diagnostics.
    package init(bytes: [UInt8]?, diagnostics: [Diagnostic], source: SourceText) {
      self.bytes = bytes
      self.diagnostics = diagnostics
      self.source = source
    }
  }

  /// Creates a kind of files.
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

/// The generated Swift code for the files of one kind.
struct PackageFileSource {
  let kind: PackageFileKind
  /// The names of the files without folders, and their compiled bytes.
  let files: [(name: String, bytes: [UInt8])]
  /// `public ` in a library, or an empty text.
  let access: String

  /// Returns the name of a file without its suffix.
  static func stem(_ file: String, _ kind: PackageFileKind) -> String {
    file.hasSuffix(kind.suffix) ? String(file.dropLast(kind.suffix.count)) : file
  }

  /// The enumeration, for the top level of a file.
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
