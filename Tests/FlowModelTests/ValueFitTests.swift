import FlowModel
import Testing

/// Compares values with declared types and locates mismatches.
struct `A value of a type` {
  private static let trip = ValueType.object(properties: [
    FieldDeclaration("name", .string), FieldDeclaration("days", .integer),
    FieldDeclaration("stops", .array(of: .object(properties: [FieldDeclaration("at", .duration)])), isRequired: false),
  ])

  @Test(
    arguments: [
      (.any, "null"), (.string, #""a""#), (.path(base: .file), #""a/b""#), (.boolean, "false"), (.integer, "3"),
      (.integer, "3.0"), (.number, "3"), (.number, "2.5"), (.duration, #""1m30s""#), (.array(of: .integer), "[]"),
      (.array(of: .integer), "[1, 2]"), (.object(properties: nil), #"{"a": 1}"#),
      (trip, #"{"name": "Kyoto", "days": 2}"#), (trip, #"{"name": "Kyoto", "days": 2, "stops": null}"#),
      (.enumeration(["a", 1], of: .any), "1"),
    ] as [(ValueType, String)])
  func `a value fits its type`(type: ValueType, json: String) throws {
    #expect(type.mismatch(of: try JSONText.parse(json)) == nil)
  }

  @Test(
    arguments: [
      (.string, "5", "expected a string, found 5"),
      (.integer, "2.5", "expected an integer, found 2.5"),
      (.boolean, #""yes""#, #"expected true or false, found "yes""#),
      (.duration, "5", "expected a duration such as 250ms or 1m30s, found 5"),
      (.array(of: .integer), #"[1, "2"]"#, #"'[1]': expected an integer, found "2""#),
      (trip, #"{"name": "Kyoto"}"#, "expected the key 'days' (an integer), found no such key"),
      (
        trip, #"{"name": "Kyoto", "days": 2, "stops": [{"at": "1s"}, {"at": 3}]}"#,
        "'stops[1].at': expected a duration such as 250ms or 1m30s, found 3"
      ),
      (
        trip, #"{"name": "Kyoto", "days": 2, "color": 1}"#,
        "'color': expected one of the keys 'name', 'days', 'stops', found the unknown key 'color'"
      ),
      (
        .enumeration(["push", "present"], of: .string), #""pull""#,
        #"expected one of "push", "present", found "pull""#
      ),
    ] as [(ValueType, String, String)])
  func `a mismatch is described with its path and expected type`(type: ValueType, json: String, text: String) throws {
    let mismatch = try #require(type.mismatch(of: try JSONText.parse(json)))
    #expect(mismatch.description == text)
  }

  @Test func `a mismatch identifies the wrong or missing member`() throws {
    let missing = try #require(Self.trip.mismatch(of: ["name": "Kyoto"]))
    #expect(missing.isIn(member: "days") && !missing.isIn(member: "name") && !missing.isIn(member: "day"))
    let inside = try #require(Self.trip.mismatch(of: ["name": "Kyoto", "days": 2, "stops": [["at": 3]]]))
    #expect(inside.isIn(member: "stops") && !inside.isIn(member: "stop") && !inside.isIn(member: "at"))
    let own = try #require(Self.trip.mismatch(of: ["name": 5, "days": 2]))
    #expect(own.isIn(member: "name"))
  }
}
