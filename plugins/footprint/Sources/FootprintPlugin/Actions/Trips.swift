import FlowModel
import FlowPluginKit
import StorageCore

/// Reads the trips, ordered by their first day, newest first (L24).
struct Trips: Action, DetailedAction {
  static let name = "footprint.trips"
  static let summary = "The trips by their first day, newest first"
  static let requires: [HandleKey] = [.journeys]
  static let errors = StoreFailure.whenOpen
  static let example = """
    uses: footprint.trips
    needs: prepare
    """

  struct Input: ActionInput {
    @Field("The maximum number of trips to read: 1 to 1000") var limit = 100
  }

  struct Output: ActionOutput {
    var trips: [Value]
    var count: Int

    static let summaries = [
      "trips": "Objects with id, name, startDate, endDate, notes and destinationCount", "count": "How many there are",
    ]
  }

  static func check(_ input: LiteralInput) -> [InputProblem] { PageLimit.problems(with: input) }

  func run(_ input: Input, in context: ActionContext) throws -> Output {
    let store = try context.handle(.journeys, as: Journeys.self).store
    let trips = try store.rows(
      """
      SELECT id, name, startDate, endDate, notes,
        (SELECT count(*) FROM TravelDestination WHERE tripId = TravelTrip.id) AS destinationCount
      FROM TravelTrip ORDER BY startDate DESC, id LIMIT ?
      """, [.integer(try PageLimit.checked(input.limit))])
    return Output(trips: trips, count: trips.count)
  }
}
