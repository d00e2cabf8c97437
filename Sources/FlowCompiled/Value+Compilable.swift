import FlowModel

extension Value: Compilable {
  func write(to writer: inout CompiledWriter) {
    switch self {
    case .null: writer.write(byte: 0)
    case .boolean(let value): writer.write(byte: value ? 2 : 1)
    case .integer(let value):
      writer.write(byte: 3)
      value.write(to: &writer)
    case .number(let value):
      writer.write(byte: 4)
      value.write(to: &writer)
    case .string(let text):
      writer.write(byte: 5)
      text.write(to: &writer)
    case .array(let values):
      writer.write(byte: 6)
      values.write(to: &writer)
    case .object(let members):
      writer.write(byte: 7)
      members.write(to: &writer)
    }
  }

  init(from reader: inout CompiledReader) throws(CompiledWorkflowError) {
    switch try reader.byte() {
    case 0: self = .null
    case 1: self = .boolean(false)
    case 2: self = .boolean(true)
    case 3: self = .integer(try Int(from: &reader))
    case 4: self = .number(try Double(from: &reader))
    case 5: self = .string(try reader.text())
    case 6:
      let values = try reader.nested { (reader: inout CompiledReader) throws(CompiledWorkflowError) -> [Value] in
        try [Value](from: &reader)
      }
      self = .array(values)
    case 7:
      let members = try reader.nested { (reader: inout CompiledReader) throws(CompiledWorkflowError) -> ValueObject in
        try ValueObject(from: &reader)
      }
      self = .object(members)
    default: throw reader.damaged("a kind of value")
    }
  }
}

extension ValueObject: Compilable {
  func write(to writer: inout CompiledWriter) {
    writer.write(count: count)
    for (key, value) in self {
      key.write(to: &writer)
      value.write(to: &writer)
    }
  }

  init(from reader: inout CompiledReader) throws(CompiledWorkflowError) {
    self.init()
    try add(from: &reader)
  }

  /// Reads members into an empty object. The reason is given at `Array.add(from:)`.
  mutating func add(from reader: inout CompiledReader) throws(CompiledWorkflowError) {
    for _ in 0..<(try reader.count()) {
      let key = try reader.text()
      guard insert(try Value(from: &reader), for: key) else { throw reader.damaged("each key once") }
    }
  }
}

extension ValueType: Compilable {
  func write(to writer: inout CompiledWriter) {
    switch self {
    case .string: writer.write(byte: 0)
    case .boolean: writer.write(byte: 1)
    case .integer: writer.write(byte: 2)
    case .number: writer.write(byte: 3)
    case .duration: writer.write(byte: 4)
    case .path(let base):
      writer.write(byte: 5)
      base.write(to: &writer)
    case .array(let element):
      writer.write(byte: 6)
      element.write(to: &writer)
    case .object(let properties):
      writer.write(byte: 7)
      properties.write(to: &writer)
    case .any: writer.write(byte: 8)
    case .enumeration(let values, let base):
      writer.write(byte: 9)
      values.write(to: &writer)
      base.write(to: &writer)
    }
  }

  init(from reader: inout CompiledReader) throws(CompiledWorkflowError) {
    self = try reader.nested(Self.read)
  }

  private static func read(_ reader: inout CompiledReader) throws(CompiledWorkflowError) -> ValueType {
    switch try reader.byte() {
    case 0: return .string
    case 1: return .boolean
    case 2: return .integer
    case 3: return .number
    case 4: return .duration
    case 5: return .path(base: try PathBase(from: &reader))
    case 6: return .array(of: try ValueType(from: &reader))
    case 7: return .object(properties: try [FieldDeclaration]?(from: &reader))
    case 8: return .any
    case 9: return .enumeration(try [Value](from: &reader), of: try ValueType(from: &reader))
    default: throw reader.damaged("a type")
    }
  }
}

extension FieldDeclaration: Compilable {
  func write(to writer: inout CompiledWriter) {
    name.write(to: &writer)
    type.write(to: &writer)
    isRequired.write(to: &writer)
    defaultValue.write(to: &writer)
    summary.write(to: &writer)
    isSecret.write(to: &writer)
  }

  init(from reader: inout CompiledReader) throws(CompiledWorkflowError) {
    self.init(
      try String(from: &reader), try ValueType(from: &reader), isRequired: try Bool(from: &reader),
      default: try Value?(from: &reader), summary: try String(from: &reader))
    isSecret = try Bool(from: &reader)
  }
}
