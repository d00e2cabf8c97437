import FlowModel
import FlowPluginKit
import SyncDevice

/// Reads the records on this device with SQL.
struct Query: AsyncAction {
  static let name = "sync.query"
  static let summary = "Reads the records on this device with SQL: a view for each collection"
  static let requires: [HandleKey] = [.syncConnection]
  static let errors = RecordFailures.reading + [Failure.query]
  static let example = """
    uses: sync.query
    with: { sql: "SELECT _key, title FROM notes WHERE folder = :folder", values: { folder: home } }
    """

  struct Input: ActionInput {
    @Field(
      "One SELECT; the views have the columns _key, the fields, _changed, _by and, with 'decide', _decided and aged_FIELD"
    ) var sql: String
    @Field("The values of its parameters: an object for :name, a list for ?") var values: Value?
    @Field("Fetch the changes of other devices first") var fetch = true
    @Field("How long the fetch, and then the query, may take") var timeout: Duration = .seconds(10)
  }

  struct Output: ActionOutput {
    var rows: [ValueObject]
    var count: Int

    static let summaries = ["rows": "The rows, each a mapping from column to value", "count": "How many there are"]
  }

  nonisolated(nonsending) func run(_ input: Input, in context: ActionContext) async throws -> Output {
    let connection: Connection = try context.handle(.syncConnection)
    do {
      let records = connection.records
      if input.fetch { try await connection.pull(timeout: input.timeout) }
      let rows = try await records.query(input.sql, input.values, timeout: input.timeout)
      return Output(rows: rows, count: rows.count)
    } catch {
      throw Failure.error(error)
    }
  }
}
