import Foundation
import Testing

/// The plan is a value that knows no thread, clock or queue: the wall of a module, without the module.
struct PlanWallTests {
  private let plan = Repository.files(below: "Sources/FlowEngine/Plan", ending: ".swift")
  private let driver = Repository.files(below: "Sources/FlowEngine/Run", ending: ".swift")

  @Test func `the plan imports FlowModel alone`() throws {
    #expect(plan.count > 10)
    for file in plan {
      for line in try Repository.text(file).split(separator: "\n") where line.hasPrefix("import ") {
        #expect(line == "import FlowModel", "\(file): \(line)")
      }
    }
  }

  @Test func `the plan names nothing of the driver`() throws {
    let declaration = try Regex(
      #"(?m)^(?:public |package |private |fileprivate |final |indirect )*(?:struct|class|enum|actor|protocol) (\w+)"#)
    var types: Set<String> = []
    for file in driver {
      for match in try Repository.text(file).matches(of: declaration) {
        if let name = match.output[1].substring { types.insert(String(name)) }
      }
    }
    #expect(types.contains("WorkflowRun") && types.count > 20)
    for file in plan {
      let code = try Repository.text(file).split(separator: "\n").map { line in
        line.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line
      }
      let words = Set(
        code.joined(separator: "\n").split { !($0.isLetter || $0.isNumber || $0 == "_") }.map { String($0) })
      #expect(words.isDisjoint(with: types), "\(file) names \(words.intersection(types).sorted())")
    }
  }
}
