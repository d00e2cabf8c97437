import FlowDiagnostics
import FlowExpressions
import FlowModel

/// Reads `foreach` and the keys that belong to it.
extension WorkflowReader {
  /// Reads `foreach`: a list, an expression, or a mapping with ``ForeachKey``. The step's own `parallel` and
  /// `fail-fast` are included.
  mutating func fanOut(_ node: NodeID, _ owner: Owner, of location: StepLocation) -> FanOut? {
    var fanOut: FanOut?
    if tree.kind(node) == .mapping {
      fanOut = fanOutMap(node, owner)
    } else {
      fanOut = items(node, owner).map { FanOut(.items($0)) }
    }
    for key in [StepKey.parallel, .failFast] {
      guard let adjacent = tree.member(key.rawValue, of: location.value) else { continue }
      if let inside = tree.member(key.rawValue, of: node) {
        report(
          .conflictingKeys, "'\(key.rawValue)' appears next to 'foreach' and in it", at: span(adjacent.key),
          related: [.init(span(inside.key), "it is here, too")], help: "remove one of the two")
      }
      let owner = Owner.stepKey(key, location.key)
      if key == .parallel {
        fanOut?.parallel = integer(adjacent.value, 1...Limits.items, owner)
      } else {
        fanOut?.isFailFast = boolean(adjacent.value, owner) ?? true
      }
    }
    return fanOut
  }

  /// Reports a key of the step that requires `foreach` if that is missing. The key's value is read with `foreach`.
  mutating func checkBesideForeach(_ key: StepKey, _ member: MemberCursor.Member, of location: StepLocation) {
    guard tree.member(StepKey.foreach.rawValue, of: location.value) == nil else { return }
    report(
      .conflictingKeys,
      "\(Owner.stepKey(key, location.key).text(in: tree)) applies to items, but the step has no 'foreach'",
      at: span(member.key), help: "write 'foreach: [...]' with the items, or remove '\(key.rawValue)'")
  }

  private mutating func fanOutMap(_ node: NodeID, _ owner: Owner) -> FanOut? {
    var fanOut = FanOut(.items([]))
    var members: [ForeachKey: MemberCursor.Member] = [:]
    forEachKey(of: node, KeyTable<ForeachKey>(), owner: owner, location: node) { reader, key, member in
      members[key] = member
      let part = Owner.part(key.rawValue, of: owner)
      switch key {
      case .items, .axes, .exclude, .include, .files, .event: break
      case .parallel: fanOut.parallel = reader.integer(member.value, 1...Limits.items, part)
      case .failFast: fanOut.isFailFast = reader.boolean(member.value, part) ?? true
      case .deadline: fanOut.deadline = reader.duration(member.value, part)
      }
    }
    let sources = [ForeachKey.items, .axes, .files, .event].compactMap { key in members[key].map { (key, $0) } }
    guard let (key, member) = sources.first else {
      report(
        .missingKey, "\(owner.text(in: tree)) lacks 'items', 'axes', 'files' or 'event'", at: span(node),
        help: members[.include] != nil
          ? "write combinations without axes as a list: 'items: [{ os: linux, arch: arm }, …]'"
          : "for the items of a mapping write 'items: { … }', for the product of several lists 'axes: { … }', for each "
            + "file 'files: \"raw/*.csv\"', for each post of an event 'event: NAME'")
      return nil
    }
    for (other, second) in sources.dropFirst() {
      report(
        .conflictingKeys, "\(owner.text(in: tree)) has '\(key.rawValue)' and '\(other.rawValue)'", at: span(second.key),
        related: [.init(span(member.key), "'\(key.rawValue)' is here")], help: "remove one of the two")
    }
    for (part, does, help) in [
      (ForeachKey.exclude, "leaves out combinations", "leave the items out of the list, or skip them with 'if'"),
      (.include, "adds to the combinations", "add the items to the list"),
    ] {
      guard let member = members[part], key != .axes else { continue }
      report(
        .conflictingKeys,
        "'\(part.rawValue)' \(does) of 'axes', but \(owner.text(in: tree)) has '\(key.rawValue)'",
        at: span(member.key), help: help)
    }
    switch key {
    case .axes: fanOut.source = axesSource(member.value, members, owner)
    case .files: fanOut.source = .files(itemFiles(member.value, .part("files", of: owner)))
    case .event: fanOut.source = .posts(of: string(member.value, .part("event", of: owner)) ?? "")
    default: fanOut.source = .items(anyItems(member.value, .part("items", of: owner)) ?? [])
    }
    return fanOut
  }

  /// Reads the value of `items`: a list, an expression or a mapping.
  private mutating func anyItems(_ node: NodeID, _ owner: Owner) -> Value? {
    tree.kind(node) == .mapping ? .object(object(node)) : items(node, owner)
  }

  /// Reads a list, or an expression that must result in one.
  private mutating func items(_ node: NodeID, _ owner: Owner, allowsMap: Bool = true) -> Value? {
    switch tree.kind(node) {
    case .sequence:
      let values = value(node)
      if let count = values.arrayValue?.count, count > Limits.items {
        report(
          .outOfRange, "\(owner.text(in: tree)) has \(count) items; the limit is \(Limits.items)", at: span(node))
      }
      return values
    case .scalar, .alias:
      let text = isString(node) ? tree.text(node) : ""
      if Template.containsExpression(text), let template = try? workflow.texts.template(text) {
        if template.isSingleExpression { return .string(text) }
        reportType(
          node, owner, expected: "a list or one expression that gives one",
          help: "a string with ${{ }} in it stays a string; write the expression alone")
        return nil
      }
      // The check of expressions reports an invalid expression.
      if Template.containsExpression(text) { return .string(text) }
      let isBare = text.contains(".") && (try? workflow.texts.condition(text)) != nil
      reportType(
        node, owner,
        expected: allowsMap ? "a list, an expression in ${{ }} or a mapping" : "a list or an expression in ${{ }}",
        help: isBare
          ? "write '${{ \(text) }}'"
          : text.contains("*")
            ? "for each file write '{ files: \"\(text)\" }'"
            : "write '[…]' around a single item")
      return nil
    case .mapping:
      reportType(node, owner, expected: "a list or an expression in ${{ }}")
      return nil
    }
  }

  private mutating func axesSource(
    _ node: NodeID, _ members: [ForeachKey: MemberCursor.Member], _ owner: Owner
  ) -> FanOut.Source {
    let owner = Owner.part("axes", of: owner)
    guard tree.kind(node) == .mapping else {
      reportType(node, owner, expected: "a mapping from name to list")
      return .items([])
    }
    var axes = ValueObject()
    forEachName(of: node, .field) { reader, name, member in
      axes[name] = reader.items(member.value, .part("'\(name)'", of: owner), allowsMap: false)
    }
    if axes.isEmpty, tree.next(tree.resolve(node)) == tree.resolve(node) + 1 {
      report(.outOfRange, "\(owner.text(in: tree)) has no lists", at: span(node), help: "write 'os: [mac, linux]'")
    }
    checkCount(of: axes, node, owner)
    return .axes(
      axes, exclude: members[.exclude].map { combinations($0.value, .exclude, of: axes) } ?? [],
      include: members[.include].map { combinations($0.value, .include) } ?? [])
  }

  private mutating func checkCount(of axes: ValueObject, _ node: NodeID, _ owner: Owner) {
    var count = 1
    for (_, list) in axes {
      guard let values = list.arrayValue else { return }
      count = min(count * values.count, 10 * Limits.items + 1)
    }
    guard count > 10 * Limits.items else { return }
    report(
      .outOfRange, "\(owner.text(in: tree)) have more than \(10 * Limits.items) combinations", at: span(node),
      help: "the limit is \(Limits.items) items")
  }

  /// Reads the mappings in `exclude`, which have no keys except those of the axes, or in `include`, which may have
  /// others.
  private mutating func combinations(_ node: NodeID, _ key: ForeachKey, of axes: ValueObject? = nil) -> [Value] {
    guard tree.kind(node) == .sequence else {
      reportType(node, .text(key.rawValue), expected: "a list of mappings", help: "write '- { os: mac, arch: x86 }'")
      return []
    }
    return tree.elements(node).compactMap { element in
      guard tree.kind(element) == .mapping else {
        reportType(
          element, "an element of \(key.rawValue)",
          expected: axes == nil ? "a mapping of keys of a combination" : "a mapping of some of the axes")
        return nil
      }
      if let axes { checkKeys(of: element, areAmong: axes) }
      return .object(object(element))
    }
  }

  private mutating func checkKeys(of element: NodeID, areAmong axes: ValueObject) {
    var members = tree.members(of: element, failures: &diagnostics)
    while let member = members.next(in: tree) {
      guard let name = keyText(member.key), axes[name] == nil else { continue }
      report(
        .unknownKey, "'exclude' names '\(name)', which is not an axis", at: span(member.key),
        correction: Correction(name, among: axes.keys), otherwise: "the axes are \(Self.list(axes.keys))")
    }
  }
}
