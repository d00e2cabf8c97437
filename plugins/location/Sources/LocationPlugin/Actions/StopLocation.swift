import FlowModel
import FlowPluginKit

/// Stops the location service that a `location.start` step of the run has started.
struct StopLocation: Action {
  static let name = "location.stop"
  static let effect = ActionEffect.process
  static let summary = "Ends the location service of this run and returns the last position"
  static let example = """
    uses: location.stop
    needs: start-location
    """

  struct Output: ActionOutput {
    static let summaries = [
      "stopped": "Whether the service was running", "positions": "How many positions it delivered",
      "latitude": "Degrees north, of the last", "longitude": "Degrees east, of the last",
    ]
    var stopped: Bool
    var positions: Int
    var latitude: Double?
    var longitude: Double?
  }

  func run(_ input: NoInput, in context: ActionContext) throws -> Output {
    let center: LocationCenter = try context.handle(.locationCenter)
    let (position, count) = center.latest(run: context.run.id)
    let stopped = center.stop(run: context.run.id)
    return Output(
      stopped: stopped, positions: count, latitude: position?.latitude, longitude: position?.longitude)
  }
}
