import FlowDiagnostics
import FlowModel
import FlowSyntax

/// A text that is open in the editor.
struct OpenDocument {
  let uri: String
  /// The path of its file, or a name for an unsaved text.
  let file: String
  private(set) var version: Int
  private(set) var positions: TextPositions
  /// The analysis, or nil if the text has changed since the last one.
  var analysis: (document: WorkflowDocument, stamp: String)?
  /// True if the client has not yet received diagnostics of the current text.
  var isDirty = true
  /// The number of changes, which shows a client that requests diagnostics again whether they are unchanged.
  private(set) var revision = 0

  init(uri: String, file: String, version: Int, text: String, encoding: PositionEncoding) {
    self.uri = uri
    self.file = file
    self.version = version
    positions = TextPositions(SourceText(Array(text.utf8), file: file), encoding)
  }

  var bytes: [UInt8] { positions.source.bytes }

  /// True if it is a plugin's manifest rather than a workflow.
  var isManifest: Bool { file == "plugin.yaml" || file.hasSuffix("/plugin.yaml") }

  /// Applies changes from the client in order.
  mutating func change(_ changes: [Value], version: Int) throws(RPCProblem) {
    for change in changes {
      guard let object = change.objectValue, let text = object["text"]?.stringValue else {
        throw .invalidParameters("a change has no 'text'")
      }
      var bytes = Array(text.utf8)
      if let range = object["range"], !range.isNull {
        guard let span = positions.span(range) else { throw .invalidParameters("a change has a wrong 'range'") }
        var whole = self.bytes
        whole.replaceSubrange(span.start..<span.end, with: bytes)
        bytes = whole
      }
      positions = TextPositions(SourceText(bytes, file: file), positions.encoding)
    }
    self.version = version
    touch()
  }

  /// Marks the analysis as outdated.
  mutating func touch() {
    analysis = nil
    isDirty = true
    revision += 1
  }
}
