import FlowDiagnostics

/// A proposal to complete the text at the cursor.
package struct Completion: Sendable, Hashable {
  /// The kind of completion, which determines its icon.
  package enum Kind: Sendable, Hashable {
    case key, input, value, action, step, event, queue, context, output, function, unit, file, folder
  }

  /// The text that is shown. It is inserted if there is no snippet.
  package var label: String
  package var kind: Kind
  /// A short description next to the label.
  package var detail = ""
  /// The documentation of the proposal, in Markdown.
  package var documentation = ""
  /// The text to insert, in the snippet syntax of the Language Server Protocol. If nil, the label is inserted.
  package var snippet: String?
  /// True for a required key. Required keys are listed first.
  package var isRequired = false
  /// The range that the completion replaces.
  package var span: TextSpan
}
