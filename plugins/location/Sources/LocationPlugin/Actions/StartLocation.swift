import FlowModel
import FlowPluginKit

/// Receives positions until the run ends or `location.stop` is called. The step is ready at the first position (L19).
struct StartLocation: StepService, DetailedAction {
  static let name = "location.start"
  static let effect = ActionEffect.process
  static let summary = "Follows the device; ready with the first position, then runs until the end of the run"
  static let requires: [HandleKey] = [.keyValueStore]
  static let events = [firstFix]
  static let errors = [
    ErrorDeclaration("not-permitted", "The user does not allow it, or has not been asked", isRetryable: false),
    ErrorDeclaration("invalid-track", "The GPX file cannot be read; names file and line", isRetryable: false),
    ErrorDeclaration("no-source", "There is no location service, and no track was named", isRetryable: false),
  ]
  static let example = """
    uses: location.start
    needs: ask-for-location
    with: { track: samples/walk.gpx, speed: 10 }
    """
  /// The event that is posted at the first position.
  static let firstFix = "location.first-fix"

  struct Input: ActionInput {
    @Field("A GPX file to play where the system has no location service") var track: SourcePath?
    @Field("How many times faster than recorded it is played, above 0 and up to 1,000,000") var speed: Double = 1
    @Field("Whether to start again at the end of the track") var `repeat`: Bool = false
  }

  struct Output: ActionOutput {
    static let summaries = [
      "latitude": "Degrees north", "longitude": "Degrees east", "elevation-meters": "Above the sea, when known",
      "joined": "Whether the service was running before and this step joined it",
    ]
    var latitude: Double
    var longitude: Double
    var elevationMeters: Double?
    var joined: Bool
  }

  static func check(_ input: LiteralInput) -> [InputProblem] {
    guard let speed = input["speed"]?.numberValue, !isSpeed(speed) else { return [] }
    return [InputProblem("speed", "\(speed) is not a speed; expected a number above 0 and up to 1,000,000")]
  }

  private static func isSpeed(_ speed: Double) -> Bool { speed > 0 && speed <= 1_000_000 }

  nonisolated(nonsending) func run(_ input: Input, in context: ActionContext) async throws -> Output {
    // The system launches an app for a new position only if the user has allowed it, so the permission need not be
    // recorded (R13).
    let status = try LocationPermission.current(in: context)
    guard status.isGranted || (isLaunchedForLocation(context.launch) && status == .notDetermined) else {
      throw ActionError(
        "not-permitted", "the location may not be used: \(status.rawValue); location.request-permission asks the user",
        isRetryable: false)
    }
    guard Self.isSpeed(input.speed) else {
      throw ActionError("invalid-track", "speed is \(input.speed), expected a number above 0", isRetryable: false)
    }
    let center: LocationCenter = try context.handle(.locationCenter)
    let source: any LocationSource = try context.handle(.locationSource)
    let run = context.run.id
    let stopped = OneShot<Void>()
    guard center.begin(run: run, stop: { stopped.finish(()) }) else {
      return try await join(center, run: run, context)
    }
    defer { center.end(run: run) }
    let request = LocationRequest(track: input.track?.path, speed: input.speed, repeats: input.repeat)
    try await withThrowingTaskGroup(of: Bool.self) { group in
      group.addTask {
        try await source.positions(for: request, in: context) { position in
          guard center.update(position) else { return }
          context.ready(Output(position, joined: false))
          try context.post(Self.firstFix)
        }
        return false
      }
      group.addTask {
        await withTaskCancellationHandler {
          await stopped.wait()
        } onCancel: {
          stopped.finish(())
        }
        return true
      }
      // At the end of its track, a simulated device stays in place until the service is stopped.
      while let isStopped = try await group.next(), !isStopped {}
      group.cancelAll()
    }
    guard let last = center.latest(run: run).position else {
      throw ActionError("no-source", "the location service ended without a position")
    }
    return Output(last, joined: false)
  }

  /// True if the system launched the app for a position. The launch option determines this, whatever the reason for the
  /// launch (R12).
  private func isLaunchedForLocation(_ launch: Launch) -> Bool {
    launch.reason == .location || launch.options["location"].map { $0 != .boolean(false) && $0 != .null } ?? false
  }

  /// Joins the service that another step has started. The step is ready when a position is known, immediately if the
  /// service has already received one.
  private nonisolated(nonsending) func join(
    _ center: LocationCenter, run: String, _ context: ActionContext
  ) async throws -> Output {
    while true {
      if let position = center.latest(run: run).position { return Output(position, joined: true) }
      try await context.sleep(for: .milliseconds(100))
    }
  }
}

extension StartLocation.Output {
  /// Creates the outputs from a position.
  init(_ position: Position, joined: Bool) {
    self.init(
      latitude: position.latitude, longitude: position.longitude, elevationMeters: position.elevationMeters,
      joined: joined)
  }
}
