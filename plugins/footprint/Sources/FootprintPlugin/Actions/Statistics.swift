import FlowModel
import FlowPluginKit
import StorageCore

/// Counts the places, countries and trips, from which the app's badges are computed.
struct Statistics: Action {
  static let name = "footprint.statistics"
  static let summary = "How many places, countries and trips the store holds"
  static let requires: [HandleKey] = [.journeys]
  static let errors = StoreFailure.whenOpen
  static let example = """
    uses: footprint.statistics
    needs: prepare
    """

  struct Output: ActionOutput {
    var destinations: Int
    var countries: Int
    var trips: Int
    var firstVisit: String?
    var lastVisit: String?

    static let summaries = [
      "destinations": "How many places", "countries": "How many countries they lie in", "trips": "How many trips",
      "first-visit": "The day of the first visit", "last-visit": "The day of the last visit",
    ]
  }

  func run(_ input: NoInput, in context: ActionContext) throws -> Output {
    let store = try context.handle(.journeys, as: Journeys.self).store
    let row =
      try store.rows(
        """
        SELECT count(*) AS destinations, count(DISTINCT countryCode) AS countries, min(visitDate) AS firstVisit,
          max(visitDate) AS lastVisit, (SELECT count(*) FROM TravelTrip) AS trips
        FROM TravelDestination
        """
      ).first?.objectValue ?? [:]
    return Output(
      destinations: row["destinations"]?.integerValue ?? 0, countries: row["countries"]?.integerValue ?? 0,
      trips: row["trips"]?.integerValue ?? 0, firstVisit: row["firstVisit"]?.stringValue,
      lastVisit: row["lastVisit"]?.stringValue)
  }
}
