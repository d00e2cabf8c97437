import FlowModel
import FlowPluginKit
import StorageCore

/// Reads the last visited places, the most recent first (L29).
struct RecentDestinations: Action, DetailedAction {
  static let name = "footprint.recent-destinations"
  static let summary = "The places visited last, newest first"
  static let requires: [HandleKey] = [.journeys]
  static let errors = StoreFailure.whenOpen
  static let example = """
    uses: footprint.recent-destinations
    needs: prepare
    with: { limit: 10 }
    """

  struct Input: ActionInput {
    @Field("The maximum number of places to read: 1 to 1000") var limit = 10
  }

  struct Output: ActionOutput {
    var destinations: [Value]
    var count: Int

    static let summaries = [
      "destinations": "Objects with id, name, countryCode, latitude, longitude, visitDate and tripId",
      "count": "How many there are",
    ]
  }

  static func check(_ input: LiteralInput) -> [InputProblem] { PageLimit.problems(with: input) }

  func run(_ input: Input, in context: ActionContext) throws -> Output {
    let store = try context.handle(.journeys, as: Journeys.self).store
    let destinations = try store.rows(
      """
      SELECT id, name, countryCode, latitude, longitude, visitDate, tripId FROM TravelDestination
      ORDER BY visitDate DESC, id LIMIT ?
      """, [.integer(try PageLimit.checked(input.limit))])
    return Output(destinations: destinations, count: destinations.count)
  }
}
