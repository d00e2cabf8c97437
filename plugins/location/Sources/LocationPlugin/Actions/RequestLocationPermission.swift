import FlowModel
import FlowPluginKit

/// Asks the user for permission unless an answer is known, so that each installation asks only once (L21).
struct RequestLocationPermission: AsyncAction {
  static let name = "location.request-permission"
  static let summary = "Asks for the permission to use the location, unless the user has answered before"
  static let requires: [HandleKey] = [.keyValueStore]
  static let example = """
    uses: location.request-permission
    needs: prepare-location
    after: map.first-use
    defer: true
    """

  /// The answers that a simulated user can give.
  enum Answer: String, FieldWord {
    case whenInUse = "when-in-use"
    case always
    case denied
  }

  struct Input: ActionInput {
    @Field("The answer where the system cannot ask, as on Linux") var answer: Answer = .whenInUse
  }

  struct Output: ActionOutput {
    static let summaries = [
      "authorization": "The permission of the user", "granted": "Whether positions are available",
      "asked": "Whether the user was asked now",
    ]
    var authorization: LocationAuthorization
    var granted: Bool
    var asked: Bool
  }

  nonisolated(nonsending) func run(_ input: Input, in context: ActionContext) async throws -> Output {
    let known = try LocationPermission.current(in: context)
    guard known == .notDetermined else {
      return Output(authorization: known, granted: known.isGranted, asked: false)
    }
    let source: any LocationSource = try context.handle(.locationSource)
    let simulated = LocationAuthorization(rawValue: input.answer.rawValue) ?? .denied
    let answer = try await source.requestAuthorization(simulatedAnswer: simulated)
    try LocationPermission.keep(answer, in: context)
    if !answer.isGranted { context.log("the location may not be used: \(answer.rawValue)", level: .warning) }
    return Output(authorization: answer, granted: answer.isGranted, asked: true)
  }
}
