import FlowModel
import Testing

struct AccessTests {
  private let contexts: ValueObject = [
    "list": ["zero", "one", "two"],
    "map": [
      "Key": "value", "with-dash": 1, "_x": 2, "5": "five", "0.5": "half", "": "empty", "true": "yes", "null": "no",
    ],
    "rows": [["id": 1, "tags": ["a", "b"]], ["id": 2], "text", nil, [10, 20], ["ID": 3, "tags": [:]]],
    "nothing": nil,
  ]

  @Test(
    arguments: [
      ("map.key", "value"), ("MAP.KEY", "value"), ("map['kEy']", "value"), ("map.with-dash", 1), ("map._x", 2),
      ("map[5]", "five"), ("map['5']", "five"), ("map[.5]", "half"), ("map[0x5]", "five"), ("map[null]", "empty"),
      ("map[true]", "yes"), ("map.true", "yes"), ("map.null", "no"), ("map.none", nil), ("map[list]", nil),
      ("map.key.deeper.still", nil), ("nothing.a", nil), ("(map).key", "value"), ("fromJSON('{\"a\":[1]}').a[0]", 1),
      ("map . key", "value"), ("map [ 'key' ]", "value"),
    ] as [(String, Value)])
  func `a member is found by a key of any type, ignoring case`(source: String, expected: Value) throws {
    #expect(try evaluate(source, contexts) == expected)
  }

  @Test(
    arguments: [
      ("list[0]", "zero"), ("list[1.9]", "one"), ("list['2']", "two"), ("list[' 0x1 ']", "one"), ("list[true]", "one"),
      ("list[null]", "zero"), ("list['']", "zero"), ("list[3]", nil), ("list[-1]", nil), ("list[-0.5]", nil),
      ("list[-0]", "zero"), ("list[NaN]", nil), ("list[Infinity]", nil), ("list['x']", nil), ("list[list]", nil),
      ("list.zero", nil), ("list[1e300]", nil),
    ] as [(String, Value)])
  func `an element is found by an index of any type`(source: String, expected: Value) throws {
    #expect(try evaluate(source, contexts) == expected)
  }

  @Test(
    arguments: [
      ("list.*", ["zero", "one", "two"]), ("list[*]", ["zero", "one", "two"]), ("nothing.*", []),
      ("'x' && nothing.*", []),
      ("rows.*.id", [1, 2, 3]), ("rows[*]['id']", [1, 2, 3]), ("rows.*[1]", [20]), ("rows.*.tags.*", ["a", "b"]),
      ("rows.*.tags[0]", ["a"]), ("rows.*.*", [1, ["a", "b"], 2, 10, 20, 3, [:]]), ("rows.*.none", []),
      ("rows.*[list]", []), ("list.*[0]", []), ("(rows.*).id", [1, 2, 3]), ("(rows.* || 1).id", [1, 2, 3]),
      ("map.*.none", []), ("rows.*.*.*", ["a", "b"]),
    ] as [(String, Value)])
  func `keys after an asterisk are applied to each element`(source: String, expected: Value) throws {
    #expect(try evaluate(source, contexts) == expected)
  }

  @Test func `a key with the same case is preferred, and otherwise the first match is used`() throws {
    let contexts: ValueObject = ["env": ["path": 1, "PATH": 2]]
    #expect(try evaluate("env.PATH", contexts) == 2)
    #expect(try evaluate("env.Path", contexts) == 1)
  }
}
