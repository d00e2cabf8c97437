import FlowDiagnostics

/// The declarations and checks of all installed actions. The loader checks workflows with them.
package protocol ActionCatalog: Sendable {
  /// The declarations of all actions, sorted by name.
  var declarations: [ActionDeclaration] { get }

  /// Returns the declaration of the action with this full name, or nil if the action is not installed.
  func declaration(named name: String) -> ActionDeclaration?

  /// The handles that plugins provide to every run.
  var runHandles: [HandleKey] { get }

  /// Returns the problems that the action's own check finds in literal inputs. The check must neither run the action
  /// nor read files.
  func problems(with input: LiteralInput, of action: String) -> [InputProblem]

  /// Returns the current name of a renamed action, input or output, such as `storage.open.sample`. Returns nil if no
  /// plugin has renamed it.
  func newName(of name: String) -> String?
}

extension ActionCatalog {
  /// By default, plugins provide no handles to every run.
  package var runHandles: [HandleKey] { [] }

  /// By default, nothing has been renamed.
  package func newName(of name: String) -> String? { nil }

  /// Returns the action to which `member`, an input or output of `action`, has been moved. Returns nil if it has not
  /// been moved.
  package func newAction(of member: String, in action: String) -> String? {
    guard let name = newName(of: "\(action).\(member)"), let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else {
      return nil
    }
    return String(name[..<dot])
  }
}

/// The inputs of a step that contain no expression. Their values are known before the run.
package struct LiteralInput: Sendable, Hashable {
  /// The inputs by name, without those that contain an expression at any depth.
  package var values: ValueObject

  package init(_ values: ValueObject) { self.values = values }

  /// Returns the value of an input, or nil if the step does not set it or it contains an expression.
  package subscript(name: String) -> Value? { values[name] }
}

/// A problem with a literal input, found before a run.
package struct InputProblem: Sendable, Hashable {
  /// The key path of the input, such as `path` or `routes[3].pattern`. The loader converts it to a location in the
  /// file.
  package var keyPath: String
  /// A sentence that describes the problem, without a final period.
  package var message: String
  /// A suggestion for fixing the problem, or nil if there is none.
  package var help: String?
  /// A second location that explains the problem, such as the first of two equal routes, or nil if none is needed.
  package var related: Related?
  /// True if the workflow can run in spite of the problem.
  package var isWarning: Bool
  /// The correct word, which editors can insert, or nil if it is not known.
  package var correction: Correction?

  /// A second location that helps to explain a problem, with its label.
  package struct Related: Sendable, Hashable {
    /// The key path of the location, in the form of ``InputProblem/keyPath``.
    package var keyPath: String
    /// The label of the location, such as `the same route is declared here`.
    package var label: String

    package init(_ keyPath: String, _ label: String) {
      self.keyPath = keyPath
      self.label = label
    }
  }

  package init(
    _ keyPath: String, _ message: String, help: String? = nil, related: Related? = nil, isWarning: Bool = false,
    correction: Correction? = nil
  ) {
    self.keyPath = keyPath
    self.message = message
    self.help = help
    self.related = related
    self.isWarning = isWarning
    self.correction = correction
  }
}
