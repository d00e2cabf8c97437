import Foundation
import Testing

@testable import FlowPlatform

struct `Paths` {
  @Test(
    arguments: [
      ("/", "/"), ("/a", "/a"), ("/a/", "/a"), ("//a///b", "/a/b"), ("/a/./b/.", "/a/b"), ("/a/../b", "/b"),
      ("/../../a", "/a"), ("/a/b/../..", "/"), ("/a/...", "/a/..."),
    ]) func `a normalized path does not contain redundant parts`(path: String, expected: String)
  {
    #expect(FilePath.normalized(path) == expected)
  }

  @Test func `a relative path refers to the working directory`() {
    let current = FileManager.default.currentDirectoryPath
    #expect(FilePath.normalized(".") == current)
    #expect(FilePath.normalized("a/b/") == current + "/a/b")
    #expect(FilePath.normalized("x/../a") == current + "/a")
  }

  @Test func `a path becomes absolute without resolving .., which may follow a link`() {
    let current = FileManager.default.currentDirectoryPath
    #expect(FilePath.absolute("/a/../b") == "/a/../b")
    #expect(FilePath.absolute("link/../a") == current + "/link/../a")
  }

  @Test(
    arguments: [
      ("/a/b/c", "/a", "b/c"), ("/a/b", "/", "a/b"), ("/a/b", "/a/", "b"), ("/ab", "/a", nil), ("/a", "/a", nil),
      ("/d\u{E9}/x", "/d\u{E9}", "x"), ("/de\u{301}/x", "/d\u{E9}", nil), ("/a/\u{301}x", "/a", "\u{301}x"),
    ] as [(String, String, String?)])
  func `a path is in a folder only if it starts with the same bytes`(path: String, folder: String, expected: String?) {
    let found = FilePath.path(of: path, below: folder)
    #expect(found.map { Array($0.utf8) } == expected.map { Array($0.utf8) })
  }

  @Test func `the names in a folder are sorted, and links in it can be resolved`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "flowrun-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileManager.default.createDirectory(atPath: folder + "/z", withIntermediateDirectories: true)
    for name in ["b", ".hidden", "é"] { try Data().write(to: URL(filePath: "\(folder)/\(name)")) }
    try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: folder + "/z")
    #expect(FilePath.names(in: folder) == [".hidden", "b", "link", "z", "é"])
    #expect(FilePath.names(in: folder + "/b") == nil)
    #expect(FilePath.isFolder(folder + "/link") && !FilePath.isFile(folder + "/link"))
    #expect(FilePath.isFile(folder + "/b") && !FilePath.isFolder(folder + "/b"))
    #expect(!FilePath.exists(folder + "/missing") && !FilePath.isFile(folder + "/missing"))
    #expect(FilePath.real(folder + "/link") == FilePath.real(folder) + "/z")
    #expect(FilePath.real(folder + "/missing") == folder + "/missing")
  }
}
