import FlowModel

extension EventDeclaration: Compilable {
  func write(to writer: inout CompiledWriter) {
    name.write(to: &writer)
    summary.write(to: &writer)
    // Both flags are in one byte, so that the encoding of events without a value has not changed.
    writer.write(byte: (repeats ? 1 : 0) | (value == nil ? 0 : 2))
    if let value { value.write(to: &writer) }
  }

  init(from reader: inout CompiledReader) throws(CompiledWorkflowError) {
    let (name, summary, members) = (try reader.text(), try reader.text(), try reader.index(below: 4))
    self.init(name, summary: summary, repeats: members & 1 != 0)
    if members & 2 != 0 { value = try FieldDeclaration(from: &reader) }
  }
}

extension GateDeadline: Compilable {
  func write(to writer: inout CompiledWriter) {
    min.write(to: &writer)
    max.write(to: &writer)
  }

  init(from reader: inout CompiledReader) throws(CompiledWorkflowError) {
    self.init(min: try DurationSource?(from: &reader), max: try DurationSource?(from: &reader))
  }
}

extension DurationSource: Compilable {
  func write(to writer: inout CompiledWriter) {
    switch self {
    case .literal(let duration):
      writer.write(byte: 0)
      duration.write(to: &writer)
    case .expression(let text):
      writer.write(byte: 1)
      text.write(to: &writer)
    }
  }

  init(from reader: inout CompiledReader) throws(CompiledWorkflowError) {
    if try reader.index(below: 2) == 0 {
      self = .literal(try Duration(from: &reader))
    } else {
      self = .expression(try reader.text())
    }
  }
}

extension QueueDeclaration: Compilable {
  func write(to writer: inout CompiledWriter) {
    name.write(to: &writer)
    qualityOfService.write(to: &writer)
    width.write(to: &writer)
  }

  init(from reader: inout CompiledReader) throws(CompiledWorkflowError) {
    self.init(
      name: try reader.text(), qualityOfService: try StepQueue(from: &reader), width: try Int?(from: &reader))
    guard width ?? 1 >= 1 else { throw reader.damaged("a width above 0") }
  }
}

extension SecretDeclaration: Compilable {
  func write(to writer: inout CompiledWriter) {
    name.write(to: &writer)
    switch source {
    case .environment(let variable):
      writer.write(byte: 0)
      variable.write(to: &writer)
    case .file(let path):
      writer.write(byte: 1)
      path.write(to: &writer)
    case .command(let words):
      writer.write(byte: 2)
      words.write(to: &writer)
    }
    isRequired.write(to: &writer)
  }

  init(from reader: inout CompiledReader) throws(CompiledWorkflowError) {
    let name = try reader.text()
    let source: Source
    switch try reader.index(below: 3) {
    case 0: source = .environment(try reader.text())
    case 1: source = .file(try reader.text())
    default:
      let words = try [String](from: &reader)
      guard !words.isEmpty else { throw reader.damaged("a program") }
      source = .command(words)
    }
    self.init(name, source, isRequired: try Bool(from: &reader))
  }
}

/// A rule is stored as it is written in the workflow.
extension BudgetRule: Compilable {
  func write(to writer: inout CompiledWriter) { text.write(to: &writer) }

  init(from reader: inout CompiledReader) throws(CompiledWorkflowError) {
    let text = try reader.text()
    do throws(RuleProblem) {
      try self.init(parsing: text)
    } catch {
      throw reader.damaged("a budget")
    }
  }
}
