import FlowModel
import FlowPluginKit
import Testing

/// Compiled-in actions with mistakes that stop the program with a reason.
@Suite(.timeLimit(.minutes(10)))
struct CompiledInTests {
  struct Ambiguous: Action {
    static let name = "ambiguous.run"
    static let summary = "Gives an output that cannot be told from all outputs"
    struct Output: ActionOutput { var values: ValueObject }
    func run(_ input: NoInput, in context: ActionContext) throws -> Output { Output(values: [:]) }
  }

  @Test func `registering an action with an output named values stops the program`() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = RegisteredAction(Ambiguous.self)
    }
    let errors = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(errors.contains("'Output' cannot have an output 'values'"), "\(errors)")
  }
}
