import FlowModel
import FlowPluginKit

/// Saves a preference, or removes it if the value is null.
struct SetPreference: Action, DetailedAction {
  static let name = "preferences.set"
  static let summary = "Saves one preference, or removes it when the value is null"
  static let requires: [HandleKey] = [.keyValueStore]
  static let errors = [
    ErrorDeclaration(
      "preference-invalid", "The preference cannot have this value; the message lists the allowed ones",
      isRetryable: false
    )
  ]
  static let example = """
    uses: preferences.set
    needs: open-store
    with: { key: appearance, value: dark }
    """

  struct Input: ActionInput {
    @Field("Which: account, language, brand-color, appearance, or a key of your own") var key: String
    @Field("The value; null removes the preference") var value: Value
  }

  static func check(_ input: LiteralInput) -> [InputProblem] {
    guard let key = input["key"]?.stringValue else { return [] }
    if let problem = PreferenceRule.problem(withKey: key) { return [InputProblem("key", problem)] }
    guard let value = input["value"], !value.isNull, let problem = PreferenceRule.problem(with: value, for: key) else {
      return []
    }
    return [InputProblem("value", problem)]
  }

  func run(_ input: Input, in context: ActionContext) throws -> NoOutput {
    let problem =
      PreferenceRule.problem(withKey: input.key)
      ?? (input.value.isNull ? nil : PreferenceRule.problem(with: input.value, for: input.key))
    if let problem {
      throw ActionError("preference-invalid", "'\(input.key)' cannot be saved: \(problem)", isRetryable: false)
    }
    let store: any KeyValueStore = try context.handle(.keyValueStore)
    if input.value.isNull {
      try store.delete(input.key, in: ManagerRoster.scope)
    } else {
      try store.put(input.value, for: input.key, in: ManagerRoster.scope)
    }
    try ManagerRoster.preferenceChanged(input.key, to: input.value.isNull ? nil : input.value, in: context)
    return NoOutput()
  }
}
