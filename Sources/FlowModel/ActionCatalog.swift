import FlowDiagnostics

/// The installed actions as the loader sees them: their declarations and their own checks.
public protocol ActionCatalog: Sendable {
  /// Every action's declaration, sorted by name.
  var declarations: [ActionDeclaration] { get }

  /// Returns the declaration of the action with this full name, or nil if it is not installed.
  func declaration(named name: String) -> ActionDeclaration?

  /// The handles that are available from the start of every run and that no step provides.
  var runHandles: [HandleKey] { get }

  /// Returns the problems that the action's own check finds in literal inputs. Implementations do not run or read
  /// anything.
  func problems(with input: LiteralInput, of action: String) -> [InputProblem]

  /// Returns the current name of a renamed action, or of a renamed input or output such as `storage.open.sample`.
  /// Returns nil if no plugin lists the name.
  func newName(of name: String) -> String?
}

extension ActionCatalog {
  /// No handles.
  public var runHandles: [HandleKey] { [] }

  /// No renames.
  public func newName(of name: String) -> String? { nil }

  /// Returns the action that `member`, an input or output of `action`, has moved to, or nil if it was not moved.
  public func newAction(of member: String, in action: String) -> String? {
    guard let name = newName(of: "\(action).\(member)"), let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else {
      return nil
    }
    return String(name[..<dot])
  }
}

/// The inputs of a step that are known before it runs: those without an expression.
public struct LiteralInput: Sendable, Hashable {
  /// The literal inputs by name, without inputs that contain an expression at any depth.
  public var values: ValueObject

  /// Wraps literal inputs.
  public init(_ values: ValueObject) { self.values = values }

  /// The literal value of the input `name`, or nil if it is absent or contains an expression.
  public subscript(name: String) -> Value? { values[name] }
}

/// A problem that an action finds in a literal input before the run.
public struct InputProblem: Sendable, Hashable {
  /// The key path of the input, such as `path` or `routes[3].pattern`. The loader turns it into a location in the file.
  public var keyPath: String
  /// The problem, as a sentence without a full stop.
  public var message: String
  /// A remedy, or nil.
  public var help: String?
  /// A second location that explains the first, such as the earlier of two equal routes, with a label.
  public var related: Related?
  /// True if the workflow may still run.
  public var isWarning: Bool
  /// The intended word, for tools that can apply it, or nil if it is unknown.
  public var correction: Correction?

  /// A second location and its label.
  public struct Related: Sendable, Hashable {
    /// The key path, as in ``InputProblem/keyPath``.
    public var keyPath: String
    /// The label of the location, such as `the same route is declared here`.
    public var label: String

    /// Creates a related location.
    public init(_ keyPath: String, _ label: String) {
      self.keyPath = keyPath
      self.label = label
    }
  }

  /// Creates a problem at `keyPath`.
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
