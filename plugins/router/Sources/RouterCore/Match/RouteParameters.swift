import FlowModel

/// The parameters of a page, both separate by origin and merged (N41).
///
/// If several origins provide a name, the path has precedence over the payload, the payload over the query and the
/// query over the fragment. The others are listed in ``collisions``. Defaults of the route are used for names that no
/// origin provides (N29).
public struct RouteParameters: Sendable, Hashable {
  /// The origins of parameters, in order of precedence.
  public enum Origin: String, Sendable, Hashable, CaseIterable {
    case path, payload, query, fragment
  }

  /// A parameter name that more than one origin provides.
  public struct Collision: Sendable, Hashable {
    /// The name of the parameter.
    public let name: String
    /// The origin with the highest precedence, whose value is in ``RouteParameters/merged``.
    public let kept: Origin
    /// The other origins, whose values are not in the merged view.
    public let hidden: [Origin]
  }

  /// The path parameters by name, with numbers and Booleans converted from text.
  public let path: ValueObject
  /// The query parameters: for each key, an array of its values in order.
  public let query: ValueObject
  /// The parameters passed with the URL, such as a notification's `parameters`.
  public let payload: ValueObject
  /// The fragment parameters: for each key, an array of its values in order. Empty unless fragments are read as
  /// parameters.
  public let fragment: ValueObject
  /// All parameters in one object. If a key has several values, the first one is used.
  public let merged: ValueObject
  /// The parameter names that more than one origin provides.
  public let collisions: [Collision]

  /// Creates parameters from the values of each origin. A pending route has no path parameters until it is matched.
  public init(
    path: ValueObject = [:], query: ValueObject = [:], payload: ValueObject = [:], fragment: ValueObject = [:],
    defaults: ValueObject = [:]
  ) {
    self.path = path
    self.query = query
    self.payload = payload
    self.fragment = fragment
    var merged = path
    var origins: [String: [Origin]] = [:]
    for name in path.keys { origins[name] = [.path] }
    for member in payload {
      if merged[member.key] == nil { merged[member.key] = member.value }
      origins[member.key, default: []].append(.payload)
    }
    for (items, origin) in [(query, Origin.query), (fragment, .fragment)] {
      for member in items {
        if merged[member.key] == nil { merged[member.key] = member.value.arrayValue?.first ?? member.value }
        origins[member.key, default: []].append(origin)
      }
    }
    for member in defaults where merged[member.key] == nil { merged[member.key] = member.value }
    self.merged = merged
    collisions = merged.keys.compactMap { name in
      guard let given = origins[name], given.count > 1 else { return nil }
      return Collision(name: name, kept: given[0], hidden: Array(given.dropFirst()))
    }
  }

  /// The notations for a list in a query.
  public enum ListStyle: Sendable, Hashable {
    /// The key is repeated: `tag=a&tag=b`.
    case repeated
    /// The key is repeated with brackets: `tag[]=a&tag[]=b`.
    case brackets
    /// The values are separated by commas: `tag=a,b`.
    case commas
  }

  /// Returns the values of a query key. `style` must be the notation that the sender uses; it is not detected.
  public func queryList(_ key: String, style: ListStyle = .repeated) -> [String] {
    let values = (query[style == .brackets ? key + "[]" : key]?.arrayValue ?? []).compactMap(\.stringValue)
    guard style == .commas else { return values }
    return values.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
  }
}

extension RouteMatch {
  /// Returns the parameters of the match combined with those passed along with the URL.
  ///
  /// Throws ``URLRejection/Reason/parameterTypeMismatch`` if a query, fragment or payload parameter does not have its
  /// declared type, and ``URLRejection/Reason/urlParameterNotAllowed`` if a parameter of type `url` is not a URL that
  /// the table's policy allows.
  public func parameters(payload: ValueObject = [:]) throws(URLRejection) -> RouteParameters {
    let query = try lists(url.queryItems)
    let fragment = try lists(url.fragmentItems)
    for (name, type) in route.parameterTypes {
      if let value = payload[name] { try check(value, named: name, is: type) }
    }
    for index in table.captureRange(of: routeIndex) where table.capture(index).type == .url {
      let name = table.capture(index).name
      if let text = pathParameter(name) { try checkURL(text, named: name) }
    }
    return RouteParameters(
      path: pathParameters, query: query, payload: payload, fragment: fragment, defaults: route.defaults)
  }

  private func lists(_ items: [(key: String, value: String)]) throws(URLRejection) -> ValueObject {
    var lists = ValueObject()
    for (key, text) in items {
      let value = try typed(text, named: key)
      lists[key] = .array((lists[key]?.arrayValue ?? []) + [value])
    }
    return lists
  }

  private func typed(_ text: String, named name: String) throws(URLRejection) -> Value {
    guard let type = route.parameterTypes[name] else { return .string(text) }
    try check(.string(text), named: name, is: type)
    return type.value(of: text)
  }

  private func check(_ value: Value, named name: String, is type: ParameterType) throws(URLRejection) {
    let text: String? =
      switch (value, type) {
      case (.string(let text), _): text
      case (.boolean(let flag), .boolean): String(flag)
      case (.integer(let number), .integer), (.integer(let number), .unsignedInteger), (.integer(let number), .double):
        String(number)
      case (.number(let number), .double): String(number)
      default: nil
      }
    guard let text, !text.isEmpty, text.withUTF8Span({ type.accepts($0, from: 0, to: $0.count) }) else {
      throw URLRejection(.parameterTypeMismatch, at: 0, parameter: name)
    }
    if type == .url { try checkURL(text, named: name) }
  }

  private func checkURL(_ text: String, named name: String) throws(URLRejection) {
    do {
      _ = try URLScanner.scan(text, policy: table.policy)
    } catch {
      throw URLRejection(.urlParameterNotAllowed, at: 0, parameter: name)
    }
  }
}
