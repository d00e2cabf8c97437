import FlowModel
import Testing

/// Writes a large object one member at a time.
struct JSONObjectStreamTests {
  @Test func `a streamed object has the same bytes as an object written at once`() {
    var stream = JSONObjectStream()
    var pieces: [UInt8] = []
    stream.add("name", "a \"quoted\" name")
    stream.add("list", [1, 2.5, .null])
    stream.open("steps")
    for index in 0..<5 {
      stream.add("s\(index)", ["outcome": "success", "none": [:], "deep": ["deeper": [true]]])
      pieces += stream.drain()
    }
    stream.close()
    stream.open("nothing")
    stream.close()
    stream.close()
    pieces += stream.drain()
    var steps = ValueObject()
    for index in 0..<5 { steps["s\(index)"] = ["outcome": "success", "none": [:], "deep": ["deeper": [true]]] }
    let whole: Value = [
      "name": "a \"quoted\" name", "list": [1, 2.5, .null], "steps": .object(steps), "nothing": [:],
    ]
    #expect(pieces == JSONText.bytes(of: whole, layout: .indented))
  }
}
