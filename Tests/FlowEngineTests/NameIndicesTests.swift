import Testing

@testable import FlowEngine

struct `Lookup of indices by name` {
  @Test(arguments: [0, 1, 11, 12, 13, 14, 1000]) func `an index is found by name among up to 1000 names`(count: Int) {
    var indices = NameIndices()
    for index in 0..<count { indices["name \(index)"] = Int32(index) }
    for index in 0..<count { #expect(indices["name \(index)"] == Int32(index)) }
    #expect(indices["name \(count)"] == nil && indices[""] == nil)
  }

  @Test(arguments: [3, 20]) func `the index of a name can be changed and removed`(count: Int) {
    var indices = NameIndices()
    for index in 0..<count { indices["name \(index)"] = Int32(index) }
    indices["name 1"] = 77
    indices["name 2"] = nil
    #expect(indices["name 0"] == 0 && indices["name 1"] == 77 && indices["name 2"] == nil)
  }
}
