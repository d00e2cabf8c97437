import FlowSyntax
import SyncRecords

/// What flowrun says of a schema of records, `*.sync.yaml`, which is not a workflow but is next to one.
struct SchemaCheck {
  private let file: SchemaFile

  /// Whether a file is one by its name.
  static func isSchema(_ path: String) -> Bool { path.hasSuffix(SchemaFile.suffix) }

  /// Checks the schema in `bytes`; `file` is its path.
  init(bytes: [UInt8], file: String) { self.file = SchemaFile(bytes: bytes, file: file) }

  /// Whether it can be used.
  var isValid: Bool { file.schema != nil }

  /// The file with everything that was found in it.
  var report: DiagnosticReport.File {
    DiagnosticReport.File(source: file.source, diagnostics: file.diagnostics)
  }

  /// What a valid one holds, in words.
  var summary: String {
    let count = file.schema?.collections.count ?? 0
    return "valid, \(count) collection\(count == 1 ? "" : "s")"
  }
}
