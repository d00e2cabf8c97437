import FlowDiagnostics

/// The form of a route's URLs, such as `app://user/:userId`, `product/:id<int>` or `files/**`.
///
/// ```
/// pattern  := [ scheme "://" | "https://" host ] segment *( "/" segment )
/// segment  := literal | ":" name [ "<" type ">" ] [ "?" ] | "*" | "**"
/// type     := string | int | uint | double | bool | uuid | date | slug | url | enum(word,…)
/// ```
/// A pattern without a scheme, or with one of the application's schemes, matches URLs with any of these schemes, and
/// universal links with any of its hosts. A pattern that begins with `https://host` matches only universal links with
/// this host. `?` marks an optional last parameter. `*` matches one segment without capturing it. `**` matches one or
/// more segments, which are captured as the parameter `rest`; it may appear only once.
public struct RoutePattern: Sendable, Hashable, CustomStringConvertible {
  /// One part of a pattern between slashes.
  public enum Segment: Sendable, Hashable {
    /// A fixed text, percent-decoded.
    case literal(String)
    /// A named parameter with a type; only the last one may be optional.
    case parameter(name: String, type: ParameterType, isOptional: Bool)
    /// Exactly one segment with any text, written `*`.
    case any
    /// One or more segments, written `**`.
    case rest
  }

  /// The name of the parameter captured by `**`.
  public static let restName = "rest"

  /// The pattern as written in the workflow.
  public let text: String
  /// The scheme in lower case. Nil if the pattern begins without a scheme or with `https`.
  public let scheme: String?
  /// The host, if the pattern begins with `https://`.
  public let host: HostPattern?
  /// The parts between slashes, in order.
  public let segments: [Segment]

  /// Equal to ``text``.
  public var description: String { text }

  /// The first literal, which is the default page of the route.
  public var firstLiteral: String? {
    for case .literal(let text) in segments { return text }
    return nil
  }

  /// Creates a pattern from parts that have already been checked.
  init(text: String, scheme: String?, host: HostPattern?, segments: [Segment]) {
    self.text = text
    self.scheme = scheme
    self.host = host
    self.segments = segments
  }
}

/// A syntax error in a pattern, with its position and advice.
public struct RoutePatternError: Error, Sendable, Hashable {
  /// The byte offset of the error in the pattern, from 0.
  public let offset: Int
  /// The problem, in one sentence without a period.
  public let message: String
  /// The advice on how to fix the problem, or nil.
  public let help: String?
  /// The suggested replacement for a misspelled word, or nil.
  package let correction: Correction?

  /// Creates an error at a byte offset of the pattern.
  init(_ message: String, at offset: Int, help: String? = nil, correction: Correction? = nil) {
    self.offset = offset
    self.message = message
    self.help = help
    self.correction = correction
  }
}
