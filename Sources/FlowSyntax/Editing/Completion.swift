import FlowDiagnostics

/// A proposal for a location of a file.
package struct Completion: Sendable, Hashable {
  /// The kind of proposal, which selects the editor's icon.
  package enum Kind: Sendable, Hashable {
    case key, input, value, action, step, event, queue, context, output, function, unit, file, folder
  }

  /// The displayed text, which is inserted unless there is a snippet.
  package var label: String
  package var kind: Kind
  /// A short description next to the label.
  package var detail = ""
  /// The documentation as Markdown.
  package var documentation = ""
  /// The text to insert in the snippet syntax of the Language Server Protocol, or nil for the label.
  package var snippet: String?
  /// True for required keys, which are listed first.
  package var isRequired = false
  /// The range to replace.
  package var span: TextSpan
}
