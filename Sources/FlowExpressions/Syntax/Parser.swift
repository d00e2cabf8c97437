import FlowDiagnostics

/// Creates the nodes of an expression from its tokens. Operators that wait for an operand are on an explicit stack, so
/// that deep nesting does not use the call stack.
struct Parser {
  /// The maximum nesting depth of an expression.
  static let deepest = 50
  /// The maximum number of arguments in a call, for functions that accept any number.
  static let argumentLimit = 255

  private let source: String
  private let tokens: [Token]
  private let dialect: ExpressionDialect
  private var position = 0
  private var operands: [ExpressionNode.Index] = []
  private var operators: [Operator] = []
  private var overDepth = false
  private(set) var nodes: [ExpressionNode] = []
  private(set) var statusFunctions: Set<StatusFunction> = []

  /// An operator whose right operand has not been read, or an opening bracket whose closing bracket has not been read.
  private struct Operator {
    enum Kind {
      case not, and, or, product
      case comparison(Comparison)
      case group
      case index
      case call(Callee, firstOperand: Int)
    }

    var kind: Kind
    var token: Token

    /// The precedence of the operator. Brackets have the lowest one.
    var precedence: Int {
      switch kind {
      case .group, .index, .call: 0
      case .or: 1
      case .and: 2
      case .comparison(.equal), .comparison(.notEqual): 3
      case .comparison: 4
      case .product: 5
      case .not: 6
      }
    }
  }

  private enum Callee {
    case function(Function)
    case status(StatusFunction)
  }

  init(source: String, tokens: [Token], dialect: ExpressionDialect) {
    self.source = source
    self.tokens = tokens
    self.dialect = dialect
  }

  /// Parses all tokens. Returns nil if the expression is empty.
  mutating func parse() throws(ExpressionError) -> ExpressionNode.Index? {
    guard let last = tokens.last else { return nil }
    try readOperand()
    while position < tokens.count { try readOperator() }
    reduce(downTo: 1)
    guard operators.isEmpty else { throw unexpectedEnd(behind: last) }
    guard !overDepth else {
      throw ExpressionError(
        .parsing, "Exceeded max expression depth \(Self.deepest)", offset: 0, length: 0,
        help: "compute parts of it in steps of their own")
    }
    return operands[0]
  }

  // MARK: Operands

  /// Reads a value, including any operators and brackets before it.
  private mutating func readOperand() throws(ExpressionError) {
    while true {
      let token = try next()
      switch token.kind {
      case .null: return push(.null, token.range)
      case .boolean(let value): return push(.boolean(value), token.range)
      case .number(let value): return push(.number(value), token.range)
      case .string: return push(.string(content(of: token)), token.range)
      case .not: operators.append(Operator(kind: .not, token: token))
      case .leftParenthesis: operators.append(Operator(kind: .group, token: token))
      case .identifier:
        guard peek == .leftParenthesis else { return push(.name(try name(token)), token.range) }
        let callee = try callee(token)
        position += 1
        operators.append(Operator(kind: .call(callee, firstOperand: operands.count), token: token))
        if peek == .rightParenthesis {
          position += 1
          return try closeCall(upTo: tokens[position - 1].range.upperBound)
        }
      case .star:
        guard case .index? = operators.last?.kind, tokens[position - 2].kind == .leftBracket, peek == .rightBracket
        else { throw unexpected(token) }
        operators.removeLast()
        position += 1
        pushFilter(upTo: tokens[position - 1].range.upperBound)
        return
      default: throw unexpected(token)
      }
    }
  }

  private func name(_ token: Token) throws(ExpressionError) -> String {
    let word = text(of: token)
    if let name = dialect.names.first(where: { CaseFolding.areEqual($0, word) }) { return name }
    let remedy = ForeignWords.remedy(forName: word)
    let correction = remedy == nil ? Correction(word, among: dialect.names) : nil
    var help = remedy ?? correction?.question
    if help == nil, let function = FunctionTable.name(matching: word, in: dialect) {
      help = "'\(function)' is a function: write \(function)(…)"
    }
    if help == nil, !dialect.names.isEmpty { help = "there is \(dialect.names.joined(separator: ", "))" }
    throw ExpressionError(
      .parsing, "Unrecognized named-value: '\(word)'", offset: token.range.lowerBound, length: token.range.count,
      help: help, correction: correction)
  }

  private mutating func callee(_ token: Token) throws(ExpressionError) -> Callee {
    let word = text(of: token)
    if let function = FunctionTable.function(named: word) { return .function(function) }
    if dialect.allowsStatusFunctions, let status = FunctionTable.statusFunction(named: word) {
      statusFunctions.insert(status)
      return .status(status)
    }
    let known = FunctionTable.names(in: dialect)
    let remedy = ForeignWords.remedy(forFunction: word)
    let correction =
      ForeignWords.counterpart(ofFunction: word).map { Correction(word, to: $0) }
      ?? (remedy == nil ? Correction(word, among: known) : nil)
    throw ExpressionError(
      .parsing, "Unrecognized function: '\(word)'", offset: token.range.lowerBound, length: token.range.count,
      help: remedy ?? correction?.question ?? "there is \(known.joined(separator: ", "))", correction: correction)
  }

  private func content(of token: Token) -> String {
    let inner = source.utf8.dropFirst(token.range.lowerBound + 1).prefix(token.range.count - 2)
    guard inner.contains(UInt8(ascii: "'")) else { return String(decoding: inner, as: UTF8.self) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(inner.count)
    var isEscape = false
    for byte in inner {
      // A quote inside a string is written twice. Only the first of the two is kept.
      isEscape = byte == UInt8(ascii: "'") && !isEscape
      if byte != UInt8(ascii: "'") || isEscape { bytes.append(byte) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  // MARK: Operators

  /// Reads an operator or bracket that follows a value. If it requires an operand, reads that, too.
  private mutating func readOperator() throws(ExpressionError) {
    let token = try next()
    switch token.kind {
    case .or: try readRightSide(.or, token)
    case .and: try readRightSide(.and, token)
    case .comparison(let comparison): try readRightSide(.comparison(comparison), token)
    case .star where dialect.allowsArithmetic: try readRightSide(.product, token)
    case .comma:
      reduce(downTo: 1)
      guard case .call? = operators.last?.kind else { throw unexpected(token) }
      try readOperand()
    case .rightParenthesis:
      reduce(downTo: 1)
      switch operators.last?.kind {
      case .group: operators.removeLast()
      case .call: try closeCall(upTo: token.range.upperBound)
      default: throw unexpected(token)
      }
    case .rightBracket:
      reduce(downTo: 1)
      guard case .index? = operators.last?.kind else { throw unexpected(token) }
      operators.removeLast()
      pushIndex(upTo: token.range.upperBound)
    case .leftBracket:
      guard hasMembers else { throw unexpected(token) }
      operators.append(Operator(kind: .index, token: token))
      try readOperand()
    case .dot:
      guard hasMembers else { throw unexpected(token) }
      let key = try next()
      switch key.kind {
      case .identifier:
        push(.string(text(of: key)), key.range)
        pushIndex(upTo: key.range.upperBound)
      case .star: pushFilter(upTo: key.range.upperBound)
      default: throw unexpected(key)
      }
    default: throw unexpected(token)
    }
  }

  /// True if the value before the current token can have members. Literals cannot.
  private var hasMembers: Bool {
    switch tokens[position - 2].kind {
    case .identifier, .rightParenthesis, .rightBracket, .star: true
    default: false
    }
  }

  private mutating func readRightSide(_ kind: Operator.Kind, _ token: Token) throws(ExpressionError) {
    let pending = Operator(kind: kind, token: token)
    reduce(downTo: pending.precedence)
    operators.append(pending)
    try readOperand()
  }

  /// Creates nodes for all pending operators whose precedence is at least `precedence`.
  private mutating func reduce(downTo precedence: Int) {
    while let top = operators.last, top.precedence >= precedence {
      operators.removeLast()
      let right = operands.removeLast()
      switch top.kind {
      case .not:
        push(.not(right), Int32(top.token.range.lowerBound)..<end(right), above: [right])
      case .comparison(let comparison):
        let left = operands.removeLast()
        push(.comparison(comparison, left, right), start(left)..<end(right), above: [left, right])
      case .product:
        let left = operands.removeLast()
        push(.product(left, right), start(left)..<end(right), above: [left, right])
      case .and, .or:
        pushLogical(operands.removeLast(), right, isAnd: top.precedence == 2)
      case .group, .index, .call:
        preconditionFailure("brackets have precedence 0 and are never reduced")
      }
    }
  }

  /// Merges a chain of the same operator into one node, so that `a && b && c` is not deeper than `a && b`.
  private mutating func pushLogical(_ left: ExpressionNode.Index, _ right: ExpressionNode.Index, isAnd: Bool) {
    func parts(_ index: ExpressionNode.Index) -> [ExpressionNode.Index] {
      switch nodes[Int(index)].kind {
      case .and(let parts) where isAnd: parts
      case .or(let parts) where !isAnd: parts
      default: [index]
      }
    }
    let range = start(left)..<end(right)
    let added = parts(right)
    // Appending to an existing chain avoids quadratic time.
    let leftDepth = parts(left).count > 1 ? nodes[Int(left)].depth - 1 : nodes[Int(left)].depth
    let depth = 1 + added.reduce(leftDepth) { max($0, nodes[Int($1)].depth) }
    if case .and(var chain) = nodes[Int(left)].kind, isAnd {
      nodes[Int(left)].kind = .null
      chain += added
      nodes[Int(left)] = ExpressionNode(kind: .and(chain), range: range, depth: depth)
      operands.append(left)
    } else if case .or(var chain) = nodes[Int(left)].kind, !isAnd {
      nodes[Int(left)].kind = .null
      chain += added
      nodes[Int(left)] = ExpressionNode(kind: .or(chain), range: range, depth: depth)
      operands.append(left)
    } else {
      push(isAnd ? .and([left] + added) : .or([left] + added), range, above: [left] + added)
    }
    overDepth = overDepth || depth > Self.deepest
  }

  private mutating func closeCall(upTo end: Int) throws(ExpressionError) {
    guard let call = operators.popLast(), case .call(let callee, let firstOperand) = call.kind else {
      preconditionFailure("a call is closed only when one is open")
    }
    let arguments = Array(operands[firstOperand...])
    operands.removeSubrange(firstOperand...)
    let range = Int32(call.token.range.lowerBound)..<Int32(end)
    switch callee {
    case .status(let status):
      try check(arguments.count, of: 0...0, call.token)
      push(.status(status), range, above: [])
    case .function(let function):
      try check(arguments.count, of: function.argumentCounts, call.token)
      guard function != .choose || arguments.count % 2 == 1 else {
        throw wrongArguments(
          "Even number of parameters supplied, requires an odd number of parameters", call.token,
          help: "write case(condition, value, …, otherwise)")
      }
      push(.call(function, arguments), range, above: arguments)
    }
  }

  private func check(_ count: Int, of allowed: ClosedRange<Int>, _ token: Token) throws(ExpressionError) {
    guard !allowed.contains(count) else { return }
    let most = allowed.upperBound
    let wanted =
      most == Self.argumentLimit
      ? "at least \(allowed.lowerBound)"
      : allowed.count == 1 ? "\(most)" : "\(allowed.lowerBound) or \(most)"
    throw wrongArguments(
      count < allowed.lowerBound ? "Too few parameters supplied" : "Too many parameters supplied", token,
      help: "'\(text(of: token))' takes \(wanted), got \(count)")
  }

  private func wrongArguments(_ message: String, _ token: Token, help: String) -> ExpressionError {
    ExpressionError(
      .parsing, "\(message): '\(text(of: token))'", offset: token.range.lowerBound, length: token.range.count,
      help: help)
  }

  // MARK: Nodes

  private func start(_ index: ExpressionNode.Index) -> Int32 { nodes[Int(index)].range.lowerBound }
  private func end(_ index: ExpressionNode.Index) -> Int32 { nodes[Int(index)].range.upperBound }

  private mutating func push(_ kind: ExpressionNode.Kind, _ range: Range<Int>) {
    push(kind, Int32(range.lowerBound)..<Int32(range.upperBound), above: [])
  }

  private mutating func push(_ kind: ExpressionNode.Kind, _ range: Range<Int32>, above children: [ExpressionNode.Index])
  {
    let depth = 1 + children.reduce(0) { max($0, nodes[Int($1)].depth) }
    overDepth = overDepth || depth > Self.deepest
    nodes.append(ExpressionNode(kind: kind, range: range, depth: depth))
    operands.append(ExpressionNode.Index(nodes.count - 1))
  }

  private mutating func pushIndex(upTo end: Int) {
    let key = operands.removeLast()
    let target = operands.removeLast()
    push(.index(target: target, key: key), start(target)..<Int32(end), above: [target, key])
  }

  private mutating func pushFilter(upTo end: Int) {
    let target = operands.removeLast()
    push(.filter(target: target), start(target)..<Int32(end), above: [target])
  }

  // MARK: Tokens

  private var peek: Token.Kind? { position < tokens.count ? tokens[position].kind : nil }

  private mutating func next() throws(ExpressionError) -> Token {
    guard position < tokens.count else { throw unexpectedEnd(behind: tokens[position - 1]) }
    defer { position += 1 }
    return tokens[position]
  }

  private func text(of token: Token) -> String {
    String(decoding: source.utf8.dropFirst(token.range.lowerBound).prefix(token.range.count), as: UTF8.self)
  }

  private func unexpected(_ token: Token) -> ExpressionError {
    let remedy = ForeignWords.remedy(forOperator: text(of: token))
    return ExpressionError(
      .parsing, "Unexpected symbol: '\(text(of: token))'", offset: token.range.lowerBound, length: token.range.count,
      help: remedy == ForeignWords.noArithmetic && !isBehindOperand(token) ? nil : remedy)
  }

  /// True if the token follows a complete value, so that an operator may be at its position.
  private func isBehindOperand(_ token: Token) -> Bool {
    switch tokens.last(where: { $0.range.upperBound <= token.range.lowerBound })?.kind {
    case .rightParenthesis, .rightBracket, .star, .null, .boolean, .number, .string, .identifier: true
    default: false
    }
  }

  private func unexpectedEnd(behind token: Token) -> ExpressionError {
    let open = operators.last { $0.precedence == 0 }
    let help: String? =
      switch open?.kind {
      case .group: "the '(' at position \(open!.token.range.lowerBound + 1) is never closed"
      case .call: "the call of '\(text(of: open!.token))' is never closed"
      case .index: "the '[' at position \(open!.token.range.lowerBound + 1) is never closed"
      default: nil
      }
    return ExpressionError(
      .parsing, "Unexpected end of expression: '\(text(of: token))'", offset: token.range.lowerBound,
      length: token.range.count, help: help)
  }
}
