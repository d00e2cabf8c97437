import FlowModel
import FlowPluginKit
import StorageCore

/// Reads all values of one scope, such as the application's key configuration (L29).
struct ReadValues: Action {
  static let name = "storage.values"
  static let summary = "All small values of one scope, such as `configuration`"
  static let requires: [HandleKey] = [.keyValueStore]
  static let errors = StoreFailure.whenOpen
  static let example = """
    uses: storage.values
    needs: open-store
    with: { scope: configuration }
    """

  struct Input: ActionInput {
    @Field("The scope, such as `configuration` or `preferences`") var scope: String
  }

  struct Output: ActionOutput {
    var entries: ValueObject
    var count: Int

    static let summaries = ["entries": "The values by key, sorted", "count": "How many there are"]
  }

  func run(_ input: Input, in context: ActionContext) throws -> Output {
    let values: any KeyValueStore = try context.handle(.keyValueStore)
    let members = try values.all(in: input.scope).sorted { $0.key < $1.key }
    return Output(entries: ValueObject(members.map { ($0.key, $0.value) }), count: members.count)
  }
}
