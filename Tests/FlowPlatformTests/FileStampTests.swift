import FlowPlatform
import Foundation
import Testing

struct `A file's stamp` {
  @Test func `a file's stamp changes with its content, even if a program restores its size and time`() throws {
    let path = FileManager.default.temporaryDirectory.path + "/flowrun-stamp-\(UInt64.random(in: 0 ... .max))"
    defer { unlink(path) }
    func write(_ text: String) throws {
      let file = try #require(fopen(path, "w"))
      #expect(fputs(text, file) >= 0 && fclose(file) == 0)
      var times = [timeval(tv_sec: 1_000_000, tv_usec: 0), timeval(tv_sec: 1_000_000, tv_usec: 0)]
      #expect(utimes(path, &times) == 0)
    }
    #expect(FileStamp.of(path) == nil)
    try write("one")
    let first = try #require(FileStamp.of(path))
    #expect(FileStamp.of(path) == first)
    // Write repeatedly, because the clock of a file system is coarse and may not have advanced.
    var second: String? = first
    for _ in 0..<1_000 where second == first {
      usleep(1_000)
      try write("two")
      second = FileStamp.of(path)
    }
    #expect(second != first)
  }
}
