import FlowModel
import FlowPluginKit
import StorageCore

/// Creates the tables of trips and places in a store and, if requested, fills them with a sample (L5, R6).
struct Prepare: Action {
  static let name = "footprint.prepare"
  static let summary = "Makes the tables of trips and places in an open store, or takes over those that it has"
  static let requires: [HandleKey] = [.database]
  static let provides: [HandleKey] = [.journeys]
  static let errors =
    StoreFailure.whenOpen + [
      ErrorDeclaration(
        "tables-differ", "A table of trips or places lacks columns; add them in a migration, or choose another store",
        isRetryable: false)
    ]
  static let example = """
    uses: footprint.prepare
    needs: open-store
    with: { sample: true }
    """

  struct Input: ActionInput {
    @Field("Whether a store without trips and places starts with the sample") var sample = false
  }

  struct Output: ActionOutput {
    var created: Bool
    var imported: Int

    static let summaries = [
      "created": "Whether this step made the tables", "imported": "How many places this step imported",
    ]
  }

  func run(_ input: Input, in context: ActionContext) throws -> Output {
    let store: Store = try context.handle(.database)
    let sample = SampleImport { written, total in
      if written % 64 == 0 { context.progress(Double(written) / Double(total), "importing") }
      try context.checkCancellation()
    }
    let preparation = try Journeys.prepare(store, sample: input.sample ? sample : nil)
    // There is nothing to release, because the step that opened the store closes it.
    context.provide(.journeys, Journeys(store: store)) {}
    if preparation.imported > 0 { context.log("imported \(preparation.imported) places") }
    return Output(created: preparation.isCreated, imported: preparation.imported)
  }
}
