/// The `item` in a step with `foreach: { files: … }`.
package enum FileItem {
  /// The declarations of the members that an `item` has.
  package static let fields = [
    FieldDeclaration("path", .string, summary: "The path of the file, from the folder of the workflow"),
    FieldDeclaration("name", .string, summary: "Its name with the extension"),
    FieldDeclaration("stem", .string, summary: "Its name without the last extension"),
    FieldDeclaration("extension", .string, summary: "The part of the name after its last dot, or an empty string"),
    FieldDeclaration("folder", .string, summary: "The path of its folder; '.' is the workflow's own"),
  ]

  /// Returns the item for a file. A name without a dot has no extension, nor has a name whose last dot is its first or
  /// last character.
  package static func value(of path: String) -> Value {
    let parts = parts(of: path)
    return [
      "path": .string(path), "name": .string(String(parts.name)), "stem": .string(String(parts.stem)),
      "extension": .string(String(parts.extension)), "folder": .string(String(parts.folder)),
    ]
  }

  /// Returns the name, stem, extension and folder in the path of a file.
  package static func parts(
    of path: String
  ) -> (name: Substring, stem: Substring, extension: Substring, folder: Substring) {
    let bytes = path.utf8
    let nameStart = bytes.lastIndex(of: UInt8(ascii: "/")).map { bytes.index(after: $0) } ?? bytes.startIndex
    let name = path[nameStart...]
    let folder = nameStart == bytes.startIndex ? "." : path[..<bytes.index(before: nameStart)]
    guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot > nameStart,
      name.utf8.index(after: dot) < bytes.endIndex
    else { return (name, name, "", folder.isEmpty ? "/" : folder) }
    return (name, name[..<dot], name[name.utf8.index(after: dot)...], folder.isEmpty ? "/" : folder)
  }
}
