import FlowDiagnostics
import FlowModel
import FlowSyntax

/// A text that is open in the editor.
struct OpenDocument {
  let uri: String
  /// The path of its file; of a text that has none yet, a name.
  let file: String
  private(set) var version: Int
  private(set) var positions: TextPositions
  /// What was read of it; nil after a change, until someone asks.
  var analysis: (document: WorkflowDocument, stamp: String)?
  /// Whether what the client was last told is about an older text.
  var isDirty = true
  /// Counts the changes, so that a client that asks again learns that nothing is new.
  private(set) var revision = 0

  init(uri: String, file: String, version: Int, text: String, encoding: PositionEncoding) {
    self.uri = uri
    self.file = file
    self.version = version
    positions = TextPositions(SourceText(Array(text.utf8), file: file), encoding)
  }

  var bytes: [UInt8] { positions.source.bytes }

  /// Whether it is a plugin's manifest and no workflow.
  var isManifest: Bool { file == "plugin.yaml" || file.hasSuffix("/plugin.yaml") }

  /// Takes over changes as the client states them, one after the other.
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

  /// Notes that what was found out may no longer hold.
  mutating func touch() {
    analysis = nil
    isDirty = true
    revision += 1
  }
}
