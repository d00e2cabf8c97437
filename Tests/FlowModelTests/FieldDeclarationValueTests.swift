import FlowModel
import FlowTestKit
import Testing

struct `A field declaration as a value` {
  private static func type(depth: Int, _ random: inout SeededGenerator) -> ValueType {
    switch Int.random(in: 0...(depth > 0 ? 10 : 7), using: &random) {
    case 0: .string
    case 1: .boolean
    case 2: .integer
    case 3: .number
    case 4: .duration
    case 5: .path(base: Bool.random(using: &random) ? .data : .file)
    case 6: .any
    case 7: .enumeration(["a", "b"], of: .string)
    case 8: .array(of: type(depth: depth - 1, &random))
    case 9: .object(properties: nil)
    default:
      .object(
        properties: (0..<Int.random(in: 0...3, using: &random)).map { field("p\($0)", depth: depth - 1, &random) })
    }
  }

  private static func field(_ name: String, depth: Int, _ random: inout SeededGenerator) -> FieldDeclaration {
    var field = FieldDeclaration(name, type(depth: depth, &random))
    field.isRequired = Bool.random(using: &random)
    field.isSecret = Bool.random(using: &random)
    field.summary = Bool.random(using: &random) ? "" : "What it is"
    if Bool.random(using: &random), field.type.mismatch(of: "a") == nil { field.defaultValue = "a" }
    return field
  }

  @Test(arguments: SeededGenerator.environmentSeed.map { [$0] } ?? Array(1...300))
  func `a field declaration is restored from its value with all properties`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let field = Self.field("x", depth: 3, &random)
    // The elements of an array have only a type.
    #expect(try FieldDeclaration("x", declaration: .object(field.declaration)) == field, "seed \(seed): \(field)")
  }

  @Test(
    arguments: [
      ("string", "", "expected an object"), ([:], "", "the key 'type'"), (["type": "text"], "type", "\"text\""),
      (["type": "string", "required": 1], "required", "true or false"),
      (["type": "integer", "default": "x"], "default", "expected an integer"),
      (["type": "integer", "enum": [1, "x"]], "enum[1]", "expected an integer"),
      (["type": "array", "items": ["type": "x"]], "items.type", "\"x\""),
      (["type": "object", "properties": ["a": ["type": "x"]]], "properties.a.type", "\"x\""),
      (["type": "path", "base": "home"], "base", "\"home\""), (["type": "string", "x": 1], "x", "unknown key"),
    ] as [(Value, String, String)])
  func `an invalid field declaration is rejected with its path`(declaration: Value, path: String, message: String) {
    do throws(TypeMismatch) {
      _ = try FieldDeclaration("a", declaration: declaration)
      Issue.record("\(declaration) is taken")
    } catch {
      #expect(error.path == path && error.description.contains(message), "\(error.description)")
    }
  }

  @Test(
    arguments: [
      (.string, "1", "1"), (.integer, "1", 1), (.integer, "x", "x"), (.boolean, "true", true), (.any, "[1]", [1]),
      (.any, "a b", "a b"),
      (.array(of: .any), "[]", []), (.duration, "5s", "5s"), (.enumeration([1, 2], of: .integer), "2", 2),
      (.number, "", ""),
    ] as [(ValueType, String, Value)])
  func `a field declaration converts text to the declared type`(type: ValueType, text: String, value: Value) {
    #expect(type.value(of: text) == value)
  }
}
