import FlowModel
import Testing

/// Names that differ only in Unicode normalization are different.
struct `A name` {
  private static let composed = "caf\u{E9}"
  private static let decomposed = "cafe\u{301}"

  @Test func `names are compared byte by byte`() throws {
    #expect(Self.composed == Self.decomposed)
    #expect(!Self.composed.hasSameBytes(as: Self.decomposed) && Self.composed.hasSameBytes(as: "caf\u{E9}"))
    #expect(Set([ByteName(Self.composed), ByteName(Self.decomposed), ByteName("caf\u{E9}")]).count == 2)
    #expect(Value.string(Self.composed) != Value.string(Self.decomposed))
    // The same combining marks in another order have the same number of bytes.
    #expect(ByteName("a\u{323}\u{307}") != ByteName("a\u{307}\u{323}"))
  }

  @Test(arguments: [0, 20]) func `an object can have two names that differ only in normalization`(others: Int) {
    var object = ValueObject((0..<others).map { ("key\($0)", .integer($0)) })
    object[Self.composed] = 1
    object[Self.decomposed] = 2
    #expect(object.count == others + 2)
    #expect(object[Self.composed] == 1 && object[Self.decomposed] == 2)
  }

  @Test func `a JSON object can have two names that differ only in normalization`() throws {
    let text = "{\"\(Self.composed)\":1,\"\(Self.decomposed)\":2}"
    #expect(try JSONText.parse(Array(text.utf8)).objectValue?.count == 2)
  }

  @Test func `a name is split at a separator even if a combining mark follows the separator`() {
    #expect("/a/\u{338}b//c".pathParts == ["a", "\u{338}b", "c"])
    #expect("a=\u{338}b=c".parted(at: "=") == ("a", "\u{338}b=c") && "a".parted(at: "=") == ("a", nil))
    #expect("a,\u{338}b,".parts(separatedBy: ",") == ["a", "\u{338}b", ""])
  }
}
