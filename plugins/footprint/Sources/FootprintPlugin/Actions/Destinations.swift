import FlowModel
import FlowPluginKit
import FlowSQLite
import StorageCore

/// Reads the places of one trip or of all trips, in the order of the visits, for a detail view (L37).
struct Destinations: Action, DetailedAction {
  static let name = "footprint.destinations"
  static let summary = "Places in the order of their visits, all of them or one trip's"
  static let requires: [HandleKey] = [.journeys]
  static let errors =
    StoreFailure.whenOpen + [
      ErrorDeclaration("unknown-trip", "No trip has this id; `footprint.trips` lists them", isRetryable: false)
    ]
  static let example = """
    uses: footprint.destinations
    needs: prepare
    with: { trip: 2022-adriatic }
    """

  struct Input: ActionInput {
    @Field("The id of the trip; without it, all places") var trip: String?
    @Field("The maximum number of places to read: 1 to 1000") var limit = 1000
    @Field("How many to leave out at the beginning") var offset = 0
  }

  struct Output: ActionOutput {
    var destinations: [Value]
    var count: Int

    static let summaries = [
      "destinations": "Objects with id, name, countryCode, latitude, longitude, visitDate, tripId and notes",
      "count": "How many there are",
    ]
  }

  static func check(_ input: LiteralInput) -> [InputProblem] { PageLimit.problems(with: input) }

  func run(_ input: Input, in context: ActionContext) throws -> Output {
    let store = try context.handle(.journeys, as: Journeys.self).store
    let limit = try PageLimit.checked(input.limit)
    if let trip = input.trip, try store.rows("SELECT 1 FROM TravelTrip WHERE id = ?", [.text(trip)]).isEmpty {
      throw ActionError("unknown-trip", "no trip has the id '\(trip)'; footprint.trips lists them", isRetryable: false)
    }
    let destinations = try store.rows(
      """
      SELECT id, name, countryCode, latitude, longitude, visitDate, tripId, notes FROM TravelDestination
      WHERE ?1 IS NULL OR tripId = ?1 ORDER BY visitDate, id LIMIT ?2 OFFSET ?3
      """, [SQLiteValue(input.trip), .integer(limit), .integer(max(0, input.offset))])
    return Output(destinations: destinations, count: destinations.count)
  }
}
