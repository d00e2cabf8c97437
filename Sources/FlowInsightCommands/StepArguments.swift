import FlowCLI
import FlowCommandKit
import FlowDiagnostics
import FlowModel

/// Parses the options that name steps, such as `--slow geocode=2`, `--fail pull=0.1` or `--defer STEP`.
struct StepArguments {
  let workflow: Workflow

  /// Returns the index of the step with this id. Throws a usage error if there is none.
  func step(_ id: String, _ option: String) throws(UsageProblem) -> StepIndex {
    if let index = workflow.steps.firstIndex(where: { $0.id.text == id }) { return StepIndex(index) }
    throw UsageProblem("\(option): \(LoadedWorkflow.unknownStep(id, workflow))")
  }

  /// Parses options such as `--slow STEP=NUMBER` and returns the number for each step. `*` stands for all steps.
  func numbers(
    _ arguments: [String], _ option: String, in range: ClosedRange<Double>, _ example: String
  ) throws(UsageProblem) -> [StepIndex: Double] {
    var numbers: [StepIndex: Double] = [:]
    for argument in arguments {
      guard let equals = argument.utf8.lastIndex(of: UInt8(ascii: "=")), equals != argument.startIndex else {
        throw UsageProblem("\(option) '\(argument)': write \(option) \(example)")
      }
      let (id, text) = (String(argument[..<equals]), String(argument[argument.utf8.index(after: equals)...]))
      guard let number = Double(text), number.isFinite, range.contains(number) else {
        throw UsageProblem(
          "\(option) '\(argument)': '\(text)' is not a number from \(Self.text(range.lowerBound)) to "
            + "\(Self.text(range.upperBound)); write \(option) \(example)")
      }
      if id == "*" {
        for index in workflow.steps.indices { numbers[StepIndex(index), default: 1] = number }
      } else {
        numbers[try step(id, option)] = number
      }
    }
    return numbers
  }

  private static func text(_ number: Double) -> String {
    number == number.rounded() ? String(Int(number)) : String(number)
  }

  /// Parses the `--assume` options: outputs of steps, and numbers of items of steps with `foreach`.
  func assumptions(
    _ arguments: [String]
  ) throws(UsageProblem) -> (outputs: [StepIndex: ValueObject], names: Set<String>, items: [StepIndex: Int]) {
    var outputs: [StepIndex: ValueObject] = [:]
    var names: Set<String> = []
    var items: [StepIndex: Int] = [:]
    for argument in arguments {
      let help = "write --assume steps.ID.outputs.NAME=VALUE or --assume steps.ID.items=COUNT"
      guard let equals = argument.utf8.firstIndex(of: UInt8(ascii: "=")) else {
        throw UsageProblem("--assume '\(argument)': \(help)")
      }
      let path = argument[..<equals].split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      let text = String(argument[argument.utf8.index(after: equals)...])
      guard path.first == "steps", path.count == 3 || path.count == 4 else {
        throw UsageProblem("--assume '\(argument)': \(help)")
      }
      let index = try step(path[1], "--assume")
      if path.count == 3, path[2] == "items" {
        guard let count = Int(text), (0...Limits.items).contains(count) else {
          throw UsageProblem("--assume '\(argument)': items are a whole number from 0 to \(Limits.items)")
        }
        items[index] = count
      } else if path.count == 4, path[2] == "outputs" {
        outputs[index, default: [:]][path[3]] = (try? JSONText.parse(text)) ?? .string(text)
        names.insert("\(path[1]).\(path[3])".lowercased())
      } else {
        throw UsageProblem("--assume '\(argument)': \(help)")
      }
    }
    return (outputs, names, items)
  }
}
