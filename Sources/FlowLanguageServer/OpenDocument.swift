import FlowDiagnostics
import FlowModel
import FlowSyntax

/// A document that is open in the editor.
struct OpenDocument {
  let uri: String
  /// The path of the file, or a name for a document that has not been saved.
  let file: String
  private(set) var version: Int
  private(set) var positions: TextPositions
  /// The analysis of the text, or nil if the text or its surroundings have changed since.
  var analysis: (document: WorkflowDocument, stamp: String)?
  /// True if the diagnostics of the current text have not been published.
  var isDirty = true
  /// The number of changes so far. From it, a client that requests diagnostics again can see whether they may have
  /// changed.
  private(set) var revision = 0

  init(uri: String, file: String, version: Int, text: String, encoding: PositionEncoding) {
    self.uri = uri
    self.file = file
    self.version = version
    positions = TextPositions(SourceText(Array(text.utf8), file: file), encoding)
  }

  var bytes: [UInt8] { positions.source.bytes }

  /// True if the document is the manifest of a plugin rather than a workflow.
  var isManifest: Bool { file == "plugin.yaml" || file.hasSuffix("/plugin.yaml") }

  /// Applies the changes to the text that the client has sent, in order.
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

  /// Discards the analysis, so that the document is analyzed again.
  mutating func touch() {
    analysis = nil
    isDirty = true
    revision += 1
  }
}
