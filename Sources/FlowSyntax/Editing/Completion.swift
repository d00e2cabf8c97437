import FlowDiagnostics

/// Something that may be written at a location of a file.
package struct Completion: Sendable, Hashable {
  /// What it is, for the sign that an editor shows.
  package enum Kind: Sendable, Hashable {
    case key, input, value, action, step, event, queue, context, output, function, unit, file, folder
  }

  /// What is shown and, without a snippet, written.
  package var label: String
  package var kind: Kind
  /// A few words next to the label.
  package var detail = ""
  /// A page, as Markdown.
  package var documentation = ""
  /// What is written instead of the label, in the snippet syntax of the Language Server Protocol; nil: the label.
  package var snippet: String?
  /// Whether it must be given; such come first.
  package var isRequired = false
  /// The bytes that it replaces.
  package var span: TextSpan
}
