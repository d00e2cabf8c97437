import FlowModel

extension ActionDeclaration: Compilable {
  func write(to writer: inout CompiledWriter) {
    name.write(to: &writer)
    summary.write(to: &writer)
    inputs.write(to: &writer)
    outputs.write(to: &writer)
    outputsFromInput.write(to: &writer)
    events.write(to: &writer)
    eventFromInput.write(to: &writer)
    provides.write(to: &writer)
    requires.write(to: &writer)
    needsProtectedData.write(to: &writer)
    isService.write(to: &writer)
    errors.write(to: &writer)
    example.write(to: &writer)
    origin.write(to: &writer)
    calls.write(to: &writer)
    outputFieldsFromInput.write(to: &writer)
    shellTextInput.write(to: &writer)
    outputLimitBytes.write(to: &writer)
    // Both flags are in one byte, so that the encoding of declarations without events has not changed.
    let isOfEvents = !eventValues.isEmpty || !follows.isEmpty || source != .run
    writer.write(byte: (isPortable ? 1 : 0) | (isOfEvents ? 2 : 0))
    effect.write(to: &writer)
    guard isOfEvents else { return }
    eventValues.write(to: &writer)
    follows.write(to: &writer)
    source.write(to: &writer)
  }

  init(from reader: inout CompiledReader) throws(CompiledWorkflowError) {
    self.init(
      name: try String(from: &reader), summary: try String(from: &reader),
      inputs: try [FieldDeclaration](from: &reader), outputs: try [FieldDeclaration](from: &reader),
      outputsFromInput: try String?(from: &reader), events: try [String](from: &reader),
      eventFromInput: try String?(from: &reader), provides: try [HandleKey](from: &reader),
      requires: try [HandleKey](from: &reader), needsProtectedData: try Bool(from: &reader),
      isService: try Bool(from: &reader), errors: try [ErrorDeclaration](from: &reader),
      example: try String(from: &reader), origin: try String?(from: &reader))
    // They are assigned only if present, for the reason given at `Array.add(from:)`, which applies to optionals, too.
    if let call = try ActionCall?(from: &reader) { calls = call }
    if let input = try String?(from: &reader) { outputFieldsFromInput = input }
    if let input = try String?(from: &reader) { shellTextInput = input }
    outputLimitBytes = try Int(from: &reader)
    let members = try reader.index(below: 4)
    isPortable = members & 1 != 0
    effect = try ActionEffect(from: &reader)
    guard members & 2 != 0 else { return }
    eventValues = try [FieldDeclaration](from: &reader)
    follows = try [String](from: &reader)
    source = try EventSource(from: &reader)
  }
}

extension ActionCall: Compilable {
  func write(to writer: inout CompiledWriter) {
    event.write(to: &writer)
    action.write(to: &writer)
    inputs.write(to: &writer)
  }

  init(from reader: inout CompiledReader) throws(CompiledWorkflowError) {
    self.init(event: try reader.text(), action: try reader.text(), inputs: try reader.text())
  }
}

extension ErrorDeclaration: Compilable {
  func write(to writer: inout CompiledWriter) {
    code.write(to: &writer)
    summary.write(to: &writer)
    isRetryable.write(to: &writer)
  }

  init(from reader: inout CompiledReader) throws(CompiledWorkflowError) {
    self.init(try reader.text(), try reader.text(), isRetryable: try Bool(from: &reader))
  }
}

extension HandleKey: Compilable {
  func write(to writer: inout CompiledWriter) { name.write(to: &writer) }
  init(from reader: inout CompiledReader) throws(CompiledWorkflowError) { self.init(try reader.text()) }
}
