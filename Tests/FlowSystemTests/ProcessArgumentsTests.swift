import FlowSystem
import Foundation
import Testing

struct `The arguments of a process` {
  #if os(Linux)
    @Test func `the arguments read from the system match CommandLine.arguments`() throws {
      #expect(ProcessArguments.all == CommandLine.arguments)
      #expect(ProcessArguments.known(to: "/proc/self/cmdline") == CommandLine.arguments)
    }
  #endif

  @Test func `the arguments of a process can be empty, contain spaces or be thousands of bytes long`() throws {
    let path = FileManager.default.temporaryDirectory.path + "/words-\(UInt64.random(in: 0 ... .max))"
    defer { unlink(path) }
    let words = ["flowrun", "", "a b", String(repeating: "ä", count: 5000), ""]
    try Data(words.flatMap { Array($0.utf8) + [0] }).write(to: URL(fileURLWithPath: path))
    #expect(ProcessArguments.known(to: path) == words)
    #expect(ProcessArguments.known(to: path + "-none").isEmpty)
  }
}
