import FlowModel
import FlowPluginKit
import StorageCore

/// Opens the SQLite store. Creates or migrates it if necessary (L5).
struct OpenStore: Action, DetailedAction {
  static let name = "storage.open"
  static let summary = "Opens the SQLite store, creating and migrating it when needed"
  static let provides: [HandleKey] = [.database, .keyValueStore]
  static let needsProtectedData = true
  static let errors =
    StoreFailure.whenOpening + [
      ErrorDeclaration(
        "migration-unreadable", "A migration file cannot be read; correct its path or content", isRetryable: false)
    ]
  static let example = """
    uses: storage.open
    with: { path: notes.sqlite, migrations: [sql/001-notes.sql] }
    estimate: 50ms..200ms
    """

  struct Input: ActionInput {
    @Field("Where the store is or will be") var path = DataPath("store.sqlite")
    @Field("SQL files next to the workflow, each applied once, in this order") var migrations: [String] = []
  }

  struct Output: ActionOutput {
    var path: String
    var created: Bool
    var migrated: [String]

    static let summaries = [
      "path": "Where the store is", "created": "Whether it was made by this step",
      "migrated": "The migrations this step applied",
    ]
  }

  /// The longest wait if another process has locked the store. It is shorter if the step's deadline is earlier.
  static let lockTimeout = Duration.seconds(2)

  func run(_ input: Input, in context: ActionContext) throws -> Output {
    let migrations = try FileMigration.read(input.migrations, from: context.run.workflowFolder)
    let opening = try Store.open(
      at: input.path.path,
      Store.Options(
        migrations: migrations, lockTimeout: min(Self.lockTimeout, context.remaining ?? Self.lockTimeout)))
    let store = opening.store
    context.provide(.database, store) { store.close() }
    context.provide(.keyValueStore, StoreKeyValues(store: store))
    return Output(path: store.path, created: opening.isCreated, migrated: opening.appliedMigrations)
  }
}
