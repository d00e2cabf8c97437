import FlowDiagnostics

/// What the URLs of a route look like: `app://user/:userId`, `product/:id<int>`, `files/**`.
///
/// ```
/// pattern  := [ scheme "://" | "https://" host ] segment *( "/" segment )
/// segment  := literal | ":" name [ "<" type ">" ] [ "?" ] | "*" | "**"
/// type     := string | int | uint | double | bool | uuid | date | slug | url | enum(word,…)
/// ```
/// A pattern without a scheme, or with one of the policy's own, holds for all of them and for every host; one that
/// begins with `https://host` holds for this host only. `?` marks a last parameter that may be missing. `*` stands for
/// one segment and is not captured, `**` for one or more and at most once; what it takes is the parameter `rest`.
public struct RoutePattern: Sendable, Hashable, CustomStringConvertible {
  /// One part between slashes.
  public enum Segment: Sendable, Hashable {
    /// This text, decoded.
    case literal(String)
    /// A named part of a type; an optional one is the last and may be missing.
    case parameter(name: String, type: ParameterType, isOptional: Bool)
    /// Any one segment.
    case any
    /// One or more segments.
    case rest
  }

  /// The parameter that holds what `**` took.
  public static let restName = "rest"

  /// The pattern as it was declared.
  public let text: String
  /// The scheme in lower case, where the pattern names one of the application's own.
  public let scheme: String?
  /// The host, where the pattern is for one.
  public let host: HostPattern?
  /// The parts in order.
  public let segments: [Segment]

  /// The pattern as it was declared.
  public var description: String { text }

  /// The first literal, which names the page of a route that does not name it itself.
  public var firstLiteral: String? {
    for case .literal(let text) in segments { return text }
    return nil
  }

  /// Memberwise; the parser has checked the parts.
  init(text: String, scheme: String?, host: HostPattern?, segments: [Segment]) {
    self.text = text
    self.scheme = scheme
    self.host = host
    self.segments = segments
  }
}

/// Why a text is not a pattern: what is wrong, where, and what to write instead.
public struct RoutePatternError: Error, Sendable, Hashable {
  /// The byte of the pattern, counted from 0, where it goes wrong.
  public let offset: Int
  /// What is wrong, in one sentence without a full stop.
  public let message: String
  /// What to do about it, where that can be said.
  public let help: String?
  /// The word that was meant, where one is known.
  public let correction: Correction?

  /// An error at a place.
  init(_ message: String, at offset: Int, help: String? = nil, correction: Correction? = nil) {
    self.offset = offset
    self.message = message
    self.help = help
    self.correction = correction
  }
}
