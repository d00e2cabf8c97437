/// A file as the `item` of a step with `foreach: { files: … }`.
public enum FileItem {
  /// The members of such an item.
  public static let fields = [
    FieldDeclaration("path", .string, summary: "The path of the file, from the folder of the workflow"),
    FieldDeclaration("name", .string, summary: "Its name with the extension"),
    FieldDeclaration("stem", .string, summary: "Its name without the last extension"),
    FieldDeclaration("extension", .string, summary: "The part of the name after its last dot, or an empty string"),
    FieldDeclaration("folder", .string, summary: "The path of its folder; '.' is the workflow's own"),
  ]

  /// The item of the file at `path`. A name that begins with its only dot has no extension.
  public static func value(of path: String) -> Value {
    let bytes = path.utf8
    let nameStart = bytes.lastIndex(of: UInt8(ascii: "/")).map { bytes.index(after: $0) } ?? bytes.startIndex
    let name = path[nameStart...]
    var (stem, suffix) = (name, Substring())
    if let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot > nameStart,
      name.utf8.index(after: dot) < bytes.endIndex
    {
      (stem, suffix) = (name[..<dot], name[name.utf8.index(after: dot)...])
    }
    let folder = nameStart == bytes.startIndex ? "." : path[..<bytes.index(before: nameStart)]
    return [
      "path": .string(path), "name": .string(String(name)), "stem": .string(String(stem)),
      "extension": .string(String(suffix)), "folder": .string(folder.isEmpty ? "/" : String(folder)),
    ]
  }
}
