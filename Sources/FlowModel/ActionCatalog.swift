import FlowDiagnostics

/// What the loader must know of the actions that are installed: their declarations and their own checks.
public protocol ActionCatalog: Sendable {
  /// Every action's declaration, sorted by name.
  var declarations: [ActionDeclaration] { get }

  /// The declaration of the action of this full name, or nil when none is installed.
  func declaration(named name: String) -> ActionDeclaration?

  /// The handles that every run has from its start, without a step that provides them.
  var runHandles: [HandleKey] { get }

  /// What the action itself finds wrong with inputs that are literals. Pure: nothing runs, nothing is read.
  func problems(with input: LiteralInput, of action: String) -> [InputProblem]

  /// The present name of something that was renamed: of an action, or of an input or output, written `storage.open.sample`. Nil
  /// if no plugin lists the name.
  func newName(of name: String) -> String?
}

extension ActionCatalog {
  /// None.
  public var runHandles: [HandleKey] { [] }

  /// None.
  public func newName(of name: String) -> String? { nil }

  /// The name of the action that has an input or output of `action` now; nil if it was not moved.
  public func newAction(of member: String, in action: String) -> String? {
    guard let name = newName(of: "\(action).\(member)"), let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else {
      return nil
    }
    return String(name[..<dot])
  }
}

/// The inputs of a step that are known before it runs: those without an expression.
public struct LiteralInput: Sendable, Hashable {
  /// The literal inputs by name; an input that holds an expression anywhere inside is absent.
  public var values: ValueObject

  /// Wraps literal inputs.
  public init(_ values: ValueObject) { self.values = values }

  /// The literal value of the input `name`, or nil when it was not given or holds an expression.
  public subscript(name: String) -> Value? { values[name] }
}

/// Something an action finds wrong with a literal input before anything runs.
public struct InputProblem: Sendable, Hashable {
  /// Where: `path`, `routes[3].pattern`. The loader turns it into a location in the file.
  public var keyPath: String
  /// What is wrong, as a sentence without a full stop.
  public var message: String
  /// A remedy, or nil.
  public var help: String?
  /// A second location that explains the first, with a label: the earlier of two equal routes.
  public var related: Related?
  /// Whether the workflow may run all the same.
  public var isWarning: Bool
  /// The word that was meant, for tools that write it; nil: none is known.
  public var correction: Correction?

  /// A second location with the label that is under it.
  public struct Related: Sendable, Hashable {
    /// Where, as in ``InputProblem/keyPath``.
    public var keyPath: String
    /// What is there: `the same route is declared here`.
    public var label: String

    /// A related location.
    public init(_ keyPath: String, _ label: String) {
      self.keyPath = keyPath
      self.label = label
    }
  }

  /// A problem at `keyPath`.
  public init(
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
