import Foundation
import Testing

/// Checks that the plan does not depend on threads, clocks or queues. The compiler cannot check this, because the plan
/// is not a separate module.
struct PlanWallTests {
  private let plan = Repository.files(below: "Sources/FlowEngine/Plan", ending: ".swift")
  private let driver = Repository.files(below: "Sources/FlowEngine/Run", ending: ".swift")

  @Test func `the plan imports only FlowModel`() throws {
    #expect(plan.count > 10)
    for file in plan {
      for line in try Repository.text(file).split(separator: "\n") where line.hasPrefix("import ") {
        #expect(line == "import FlowModel", "\(file): \(line)")
      }
    }
  }

  @Test func `the plan does not use types of the driver`() throws {
    let types: Set<String> = try driver.reduce(into: Set<String>()) { $0.formUnion(try self.types(in: $1)) }
    #expect(types.contains("WorkflowRun") && types.count > 20)
    for file in plan {
      let words = try self.words(of: file)
      #expect(words.isDisjoint(with: types), "\(file) names \(words.intersection(types).sorted())")
    }
  }

  @Test func `only Plan.swift and files in Speed contain calls that end fast paths or copy tables`() throws {
    let inside = ["endFastPath", "makeUnique", "fastPathEnds"]
    for file in plan + driver where !file.contains("/Plan/Speed/") && !file.hasSuffix("/Plan.swift") {
      let words = try self.words(of: file)
      #expect(words.isDisjoint(with: inside), "\(file): change the plan inside `mutate`")
    }
  }

  @Test func `the driver does not call asyncAfter, which can be 10 % late on Apple's systems`()
    throws
  {
    #expect(driver.count > 50)
    for file in driver { #expect(try !self.words(of: file).contains("asyncAfter"), "\(file)") }
  }

  @Test func `a run never copies its plan, because fast paths write to it through pointers`() throws {
    let copy = #/(?:=|\breturn|\[|\() *(?:self\.|state\.)?plan *(?:$|[,)\]}])/#
    for file in driver where file.contains("/Run/Threads/") || file.contains("/WorkflowRun") {
      for line in try Repository.text(file).split(separator: "\n") where line.contains("plan") {
        // Passing the plan as an argument is allowed, because it is read while the lock is held.
        let isCopied = line.contains(copy) && !line.contains("(of: state.plan)") && !line.contains(", state.plan)")
        #expect(!isCopied || line.contains("self.plan = plan"), "\(file): \(line)")
      }
    }
  }

  @Test func `the rules use no types from Speed except StepTables`() throws {
    let speed = try plan.filter { $0.contains("/Plan/Speed/") }.reduce(into: Set<String>()) { types, file in
      types.formUnion(try self.types(in: file))
    }
    #expect(speed.isSuperset(of: ["FastPath", "ReadySet", "StepTables"]))
    let rules = plan.filter { $0.contains("/Plan/Rules/") }
    #expect(rules.count > 10)
    for file in rules {
      let named = try self.words(of: file).intersection(speed).subtracting(["StepTables"])
      #expect(named.isEmpty, "\(file) names \(named.sorted())")
    }
  }

  @Test func `files with rules have at most 250 lines, and their functions at most 60`() throws {
    let start = try Regex(#"^  (?:@\S+ )*(?:public |package |private |static |mutating )*(?:func|init)\b"#)
    for file in plan where file.contains("/Plan/Rules/") {
      let lines = try Repository.text(file).split(separator: "\n", omittingEmptySubsequences: false)
      #expect(lines.count <= 250, "\(file)")
      for (index, line) in lines.enumerated() where line.contains(start) && !line.hasSuffix(" }") {
        let end = lines[index...].firstIndex(of: "  }") ?? lines.count
        #expect(end - index < 60, "\(file):\(index + 1)")
      }
    }
  }

  /// Returns the words in a file's code, without those in comments.
  private func words(of file: String) throws -> Set<String> {
    let code = try Repository.text(file).split(separator: "\n").map { line in
      line.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line
    }
    return Set(code.joined(separator: "\n").split { !($0.isLetter || $0.isNumber || $0 == "_") }.map { String($0) })
  }

  /// Returns the types in a file that are not nested in other types.
  private func types(in file: String) throws -> [String] {
    let declaration = try Regex(
      #"(?m)^(?:public |package |private |fileprivate |final |indirect )*(?:struct|class|enum|actor|protocol) (\w+)"#)
    return try Repository.text(file).matches(of: declaration).compactMap { match in
      match.output[1].substring.map { String($0) }
    }
  }
}
