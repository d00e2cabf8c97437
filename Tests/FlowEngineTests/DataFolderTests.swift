import Foundation
import Testing

@testable import FlowEngine

struct `Creating a data folder` {
  private let root: String

  init() throws {
    root = FileManager.default.temporaryDirectory.appendingPathComponent("flowrun-data-\(UUID())").path
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
  }

  private func isFolder(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
  }

  @Test func `creating a data folder checks no ancestors if the parent folder exists`() throws {
    defer { try? FileManager.default.removeItem(atPath: root) }
    var made: [String] = []
    _ = try DataFolder(making: "\(root)/data") { path in
      made.append(path)
      return mkdir(path, 0o700)
    }
    #expect(made == ["\(root)/data"])
    #expect(isFolder("\(root)/data"))
  }

  @Test func `creating a data folder checks ancestors only up to the first that exists`() throws {
    defer { try? FileManager.default.removeItem(atPath: root) }
    var made: [String] = []
    _ = try DataFolder(making: "\(root)/a/b") { path in
      made.append(path)
      return mkdir(path, 0o700)
    }
    #expect(made == ["\(root)/a/b", "\(root)/a", "\(root)/a/b"])
  }

  @Test(arguments: ["a/b/c/d", "a//b/", "a/../b", "./a"]) func `missing folders are created`(path: String) throws {
    defer { try? FileManager.default.removeItem(atPath: root) }
    let folder = try DataFolder(making: "\(root)/\(path)")
    #expect(isFolder(folder.path))
  }

  @Test func `creating a data folder reports the file or link that is in the way`() throws {
    defer { try? FileManager.default.removeItem(atPath: root) }
    try Data().write(to: URL(fileURLWithPath: "\(root)/file"))
    try FileManager.default.createSymbolicLink(atPath: "\(root)/link", withDestinationPath: "\(root)/missing")
    func cause(_ path: String) -> String? {
      do {
        _ = try DataFolder(making: "\(root)/\(path)")
        return nil
      } catch {
        return error.cause
      }
    }
    #expect(cause("file") == "it is a file")
    #expect(cause("file/a/b") == "'\(root)/file' is a file")
    #expect(cause("link/a")?.hasPrefix("'\(root)' cannot hold a new folder: ") == true)
  }
}
