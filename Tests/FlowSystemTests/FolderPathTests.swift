import Foundation
import Testing

@testable import FlowSystem

@Suite struct `Paths of folders` {
  @Test(
    arguments: [
      ("/", "/"), ("/a", "/a"), ("/a/", "/a"), ("//a///b", "/a/b"), ("/a/./b/.", "/a/b"), ("/a/../b", "/b"),
      ("/../../a", "/a"), ("/a/b/../..", "/"), ("/a/...", "/a/..."),
    ]) func `lose what changes nothing`(path: String, expected: String)
  {
    #expect(FolderPath.absolute(path) == expected)
  }

  @Test func `are taken from the working directory where they are relative`() {
    let current = FileManager.default.currentDirectoryPath
    #expect(FolderPath.absolute(".") == current)
    #expect(FolderPath.absolute("a/b/") == current + "/a/b")
    #expect(FolderPath.absolute("x/../a") == current + "/a")
  }

  @Test func `tell what lies in them, sorted, without themselves and the folder above`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "flowrun-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileManager.default.createDirectory(atPath: folder + "/z", withIntermediateDirectories: true)
    for name in ["b", ".hidden", "é"] { try Data().write(to: URL(filePath: "\(folder)/\(name)")) }
    try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: folder + "/z")
    #expect(FolderPath.names(in: folder) == [".hidden", "b", "link", "z", "é"])
    #expect(FolderPath.names(in: folder + "/b") == nil)
    #expect(FolderPath.isFolder(folder + "/link") && !FolderPath.isFile(folder + "/link"))
    #expect(FolderPath.isFile(folder + "/b") && !FolderPath.isFolder(folder + "/b"))
    #expect(!FolderPath.exists(folder + "/missing") && !FolderPath.isFile(folder + "/missing"))
    #expect(FolderPath.real(folder + "/link") == FolderPath.real(folder) + "/z")
    #expect(FolderPath.real(folder + "/missing") == folder + "/missing")
  }
}
