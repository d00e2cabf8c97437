import FlowModel
import FlowPluginKit
import SyncDevice
import SyncEngine

/// The operations on parked changes.
enum ParkedWord: String, FieldWord {
  case list, retry, discard
}

/// Lists parked changes, sends them again, or discards them (F31, V20).
struct Parked: AsyncAction {
  static let name = "sync.parked"
  static let summary = "Lists, retries or discards the changes that were parked"
  static let requires: [HandleKey] = [.syncConnection]
  static let errors = [Failure.input]
  static let example = """
    uses: sync.parked
    with: { do: retry }
    """

  struct Input: ActionInput {
    @Field("What to do") var `do` = ParkedWord.list
    @Field(refusingNull: "The number of the only change to do it with, not null; if the key is left out, all")
    var position: Int?
  }

  struct Output: ActionOutput {
    var count: Int
    var parked: [ValueObject]

    static let summaries = [
      "count": "How many are still parked",
      "parked": "Each with its position, record, change, time of queueing and reason",
    ]
  }

  nonisolated(nonsending) func run(_ input: Input, in context: ActionContext) async throws -> Output {
    let connection: Connection = try context.handle(.syncConnection)
    let all = await connection.session.status().parked.map(\.position)
    for position in input.position.map({ [Int64($0)] }) ?? all {
      try await connection.change(parked: position) { session, position in
        switch input.do {
        case .list: break
        case .retry: await session.retry(parked: position)
        case .discard: await session.discard(parked: position)
        }
      }
    }
    let parked = await connection.session.status().parked.filter { one in
      input.position.map { one.position == Int64($0) } ?? true
    }
    return Output(count: parked.count, parked: parked.map(\.value))
  }
}
