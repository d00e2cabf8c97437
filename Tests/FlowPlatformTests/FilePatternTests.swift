import FlowPlatform
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

struct FilePatternTests {
  private static let covered: [(String, String, Bool)] = [
    ("src/{api,ingest}/*.c", "src/api/a.c", true), ("src/{api,ingest}/*.c", "src/web/a.c", false),
    ("*.{c,h}", "a.h", true), ("*.{c,h}", "a.o", false), ("{a,b/{c,d}}", "b/d", true), ("{a,b/{c,d}}", "b/a", false),
    ("a{,b}", "a", true), ("a{,b}", "ab", true), ("{**,x}/*.c", "y/z/a.c", true),
    ("[ab].c", "a.c", true), ("[ab].c", "c.c", false), ("[a-c]x", "bx", true), ("[!a-c]x", "bx", false),
    ("[!a-c]x", "dx", true), ("[^a]", "b", true), ("[]a]", "]", true), ("[a-]", "-", true), ("[!a]*", ".b", false),
    ("[.]b", ".b", false), ("[é-ö]", "ñ", true), ("?", "é", true), ("??", "é", false), ("*??", "é", false),
    ("*?", "é", true),
    ("\\*", "*", true), ("\\*", "a", false), ("a\\{b,c\\}", "a{b,c}", true),
    ("\\[a\\]", "[a]", true),
    ("[\\]]", "]", true), ("\\\\", "\\", true), ("a/{b,c}/../d", "a/d", true), ("x,y", "x,y", true),
    ("{\\,,b}", ",", true), ("\\!a", "!a", true), ("a!b", "a!b", true),
  ]

  @Test(arguments: covered)
  func `a file pattern matches the expected paths and no others`(pattern: String, path: String, isCovered: Bool) {
    #expect(PatternText.problem(of: pattern) == nil)
    #expect(FilePattern(pattern).covers(path) == isCovered)
  }

  @Test(arguments: ["*", "a[1].txt", "{a,b}", "!x", "a\\b", "a?", "x,y", "[", "}", "~", "$HOME"])
  func `a quoted path matches only itself`(path: String) {
    let pattern = FilePattern(PatternText.quoted(path))
    #expect(!pattern.isOpen && !pattern.isExclusion)
    #expect(pattern.files(in: "/nowhere") == [path])
    #expect(pattern.covers(path))
    #expect(PatternText.shown(PatternText.quoted(path)) == path)
  }

  private static let problems: [(String, PatternProblem)] = [
    ("[ab", .unmatched("[")), ("a]", .unmatched("]")), ("{a,b", .unmatched("{")), ("a}", .unmatched("}")),
    ("[a/b]", .unmatched("[")), ("[]", .unmatched("[")), ("{a}", .oneAlternative("{a}")), ("{}", .oneAlternative("{}")),
    ("{1..3}", .oneAlternative("{1..3}")), ("{a,{b,{c,{d,{e,f}}}}}", .tooDeep), ("[z-a]", .wrongRange("z-a")),
    ("a/**.c", .joinedFolders("**.c", instead: "**/*.c")), ("a**/b", .joinedFolders("a**", instead: "**/a*")),
    ("***", .joinedFolders("***", instead: "**/*")), ("a\\", .nothingQuoted), ("!", .nothingExcluded),
    ("~", .home), ("~/x", .home), ("!~/x", .home), ("$HOME/x", .variable("$HOME")), ("a/${DIR}/x", .variable("${DIR}")),
  ]

  @Test(arguments: problems)
  func `a file pattern that is probably a mistake is refused`(pattern: String, problem: PatternProblem) {
    #expect(PatternText.problem(of: pattern) == problem)
  }

  @Test(arguments: ["a~", "~a/x", "a/~/b", "$", "a$", "$1", "\\$HOME", "{$,a}", "**", "a/**/b", "!gen/**", "a*b*c"])
  func `an unusual but valid pattern is accepted`(pattern: String) { #expect(PatternText.problem(of: pattern) == nil) }

  @Test func `alternatives in a file pattern may be four levels deep and expand to at most 1,000 patterns`() throws {
    #expect(PatternText.problem(of: "{a,{b,{c,{d,e}}}}") == nil)
    let ten = "{0,1,2,3,4,5,6,7,8,9}"
    #expect(try PatternText.expanded(ten + ten + ten).count == 1_000)
    #expect(PatternText.problem(of: ten + ten + ten + "{a,b}") == .tooMany)
  }

  private func folder(_ files: [String]) throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "flowrun-\(UInt64.random(in: 0 ... .max))")
    for name in files {
      let file = folder.appendingPathComponent(name)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data().write(to: file)
    }
    return folder
  }

  @Test func `the last pattern that matches a path decides whether the path is included`() throws {
    let folder = try folder(["a.c", "gen/b.c", "gen/keep.c", "gen/x/y.c"])
    defer { try? FileManager.default.removeItem(at: folder) }
    func files(_ patterns: String...) -> [String] { FilePatterns(patterns).files(in: folder.path) }
    #expect(files("**/*.c", "!gen/**") == ["a.c"])
    #expect(files("**/*.c", "!gen/**", "gen/keep.c") == ["a.c", "gen/keep.c"])
    #expect(files("**/*.c", "!gen/*.c", "**/keep.c") == ["a.c", "gen/keep.c", "gen/x/y.c"])
    #expect(files("**/*.c", "!./gen/../a.c") == ["gen/b.c", "gen/keep.c", "gen/x/y.c"])
    #expect(files("gen/../a.c", "!a.c") == [])
    #expect(FilePatterns(["**", "!gen"]).excludedFolder(in: folder.path) == "gen")
    #expect(FilePatterns(["**", "!gen/**"]).excludedFolder(in: folder.path) == nil)
  }

  @Test func `a file matched by several alternatives of a pattern is found once`() throws {
    let folder = try folder(["a.c", "b.c"])
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(FilePattern("{a,*}.c").files(in: folder.path) == ["a.c", "b.c"])
    #expect(FilePattern("**/**/*.c").files(in: folder.path) == ["a.c", "b.c"])
  }

  @Test func `links never cause cycles in a search, and a file with several paths is found once`() throws {
    let folder = try folder(["data/y.csv", "data/deep/z.csv", "other/o.csv"])
    defer { try? FileManager.default.removeItem(at: folder) }
    func link(_ name: String, to target: String) throws {
      try FileManager.default.createSymbolicLink(
        atPath: folder.appendingPathComponent(name).path, withDestinationPath: target)
    }
    try link("data/again", to: ".")
    try link("data/a-loop", to: "deep")
    try link("data/deep/up", to: "..")
    #expect(FilePattern("data/**/*.csv").files(in: folder.path) == ["data/deep/z.csv", "data/y.csv"])
    #expect(FilePattern("data/**").files(in: folder.path) == ["data/deep/z.csv", "data/y.csv"])
    try link("data/out", to: "../other")
    try link("data/out2", to: "../other")
    #expect(
      FilePattern("data/**/*.csv").files(in: folder.path) == ["data/deep/z.csv", "data/out/o.csv", "data/y.csv"])
  }

  @Test func `a dangling link does not count as a file`() throws {
    let folder = try folder(["a.csv"])
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createSymbolicLink(
      atPath: folder.appendingPathComponent("b.csv").path, withDestinationPath: "gone")
    let found = FilePattern("*.csv").find(in: folder.path)
    #expect(found.paths == ["a.csv"])
    #expect(found.danglingLinks == ["b.csv"])
    #expect(FilePattern("**/b.csv").find(in: folder.path).danglingLinks == ["b.csv"])
  }
}
