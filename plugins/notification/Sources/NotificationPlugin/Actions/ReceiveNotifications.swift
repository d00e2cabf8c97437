import FlowModel
import FlowPluginKit

/// Receives notifications while the application runs. Shows those that arrive and opens those that are tapped (N9, N10,
/// N15, N21, N24).
///
/// A notification that arrives opens a page only if `route-on-receipt` allows it (ruling C3).
struct ReceiveNotifications: StepService, DetailedAction {
  static let name = "notification.receive"
  static let effect = ActionEffect.process
  static let summary = "Shows arriving notifications and opens those that are tapped"
  static let requires: [HandleKey] = [.linkOpener, .userInterface]
  static let events = [received, tapped, acted]
  static let eventValues: [FieldDeclaration] = events.map { event in
    var reply = FieldDeclaration("reply", .string, isRequired: false)
    reply.isSecret = true
    var value = FieldDeclaration(
      event,
      .object(properties: [
        FieldDeclaration("id", .string), FieldDeclaration("action", .string, isRequired: false), reply,
      ]),
      summary: "The notification's identifier, the action that the person chose, and the reply")
    value.isSecret = event == acted
    return value
  }
  static let source = EventSource.outside
  static let example = """
    uses: notification.receive
    needs: [register-routes, launch-app]
    """

  private static let received = "notification.received"
  private static let tapped = "notification.tapped"
  private static let acted = "notification.acted"

  struct Input: ActionInput {
    @Field("Whether a notification opens its page without a tap") var routeOnReceipt: Bool =
      false
    @Field("Simulates a tap on each banner after this time, on a headless center")
    var tapAfter: Duration?
  }

  struct Output: ActionOutput {
    var installed: Bool

    static let summaries = ["installed": "That the delegate is in place"]
  }

  nonisolated(nonsending) func run(_ input: Input, in context: ActionContext) async throws -> Output {
    let center = try context.notificationCenter()
    let (deliveries, source) = AsyncStream.makeStream(
      of: NotificationDelivery.self, bufferingPolicy: .bufferingOldest(Self.bufferLimit))
    let host = context.host
    center.setDelegate { delivery in
      host.expectFromOutside(1)
      // The system also expects a result for a notification that was dropped.
      if case .dropped(let dropped) = source.yield(delivery) {
        dropped.complete(.failed)
        host.expectFromOutside(-1)
      }
    }
    defer { center.setDelegate(nil) }
    context.log("notification delegate installed")
    context.ready(Output(installed: true))
    if !center.keepsSchedule { try takeOver(center, context) }
    for await delivery in deliveries {
      defer { context.expectFromOutside(-1) }
      try await handle(delivery, input, context)
    }
    return Output(installed: true)
  }

  /// The maximum number of deliveries that wait to be handled.
  private static let bufferLimit = 64

  /// Schedules the pending notifications of earlier runs. Overdue ones are delivered immediately.
  private func takeOver(_ center: any UserNotificationCenter, _ context: ActionContext) throws {
    let (entries, unreadable) = ScheduledNotifications(dataFolder: context.run.dataFolder).waiting()
    for name in unreadable { context.log("'\(name)' holds no notification and is left as it is", level: .warning) }
    let (now, host, expected) = (try context.notificationTime(), context.host, try context.expectedNotifications())
    for entry in entries {
      context.log("notification \(entry.id) of an earlier run \(entry.dueAtMilliseconds <= now ? "is due" : "waits")")
      let delay = Duration.milliseconds(max(0, entry.dueAtMilliseconds - now))
      do {
        let interval = entry.intervalMilliseconds.map { Duration.milliseconds($0) }
        let request = NotificationRequest(id: entry.id, payload: entry.payload, delay: delay, interval: interval)
        try center.add(request) { expected.wake(entry.id, after: $0, host, $1) }
      } catch {
        // The notification stays on disk for the next run.
        context.log("notification \(entry.id) cannot be taken over yet: \(error)", level: .warning)
      }
    }
  }

  private nonisolated(nonsending) func handle(
    _ delivery: NotificationDelivery, _ input: Input, _ context: ActionContext
  ) async throws {
    defer { delivery.complete(.newData) }
    let payload: NotificationPayload
    do throws(NotificationPayload.PayloadProblem) {
      payload = try NotificationPayload(delivery.payload)
    } catch {
      return context.log("notification \(delivery.id) is dropped: \(error.message)", level: .warning)
    }
    for warning in payload.warnings { context.log(warning, level: .warning) }
    switch delivery.kind {
    case .tapped: try await answered(payload, delivery, context)
    case .received:
      // If two processes use the same data folder, only one of them delivers a notification scheduled there.
      var claim: NotificationClaim?
      if try !context.notificationCenter().keepsSchedule {
        claim = ScheduledNotifications(dataFolder: context.run.dataFolder).claim(delivery.id)
        if claim == nil { return context.log("notification \(delivery.id) is delivered elsewhere") }
      }
      context.log("notification received \(delivery.id)")
      let isShown = try await show(payload, context)
      try context.post(Self.received, value: ["id": .string(delivery.id)])
      if let claim {
        let now = try context.notificationTime()
        ScheduledNotifications(dataFolder: context.run.dataFolder).finish(claim, of: delivery.id, atMilliseconds: now)
      }
      if input.routeOnReceipt {
        await route(payload, delivery.id, context)
      } else if isShown, let pause = input.tapAfter {
        try await context.sleep(for: pause)
        try await open(payload, delivery.id, context)
      }
    }
  }

  private nonisolated(nonsending) func show(
    _ payload: NotificationPayload, _ context: ActionContext
  ) async throws -> Bool {
    guard !payload.isSilent else { return false }
    let interface: any UserInterface = try context.handle(.userInterface)
    guard try await context.calling(interface, { await interface.isReady }) else { return true }
    try await context.calling(interface) {
      try await interface.showBanner(title: payload.title, body: payload.body)
    }
    context.log("banner '\(payload.title)'")
    return true
  }

  /// Handles the person's answer. If the notification itself was tapped, its page is opened. A button is posted as an
  /// event, and opens the page if its route lists the button.
  private nonisolated(nonsending) func answered(
    _ payload: NotificationPayload, _ delivery: NotificationDelivery, _ context: ActionContext
  ) async throws {
    let action = NotificationAnswer.word(for: delivery.action)
    switch action {
    case NotificationAnswer.open: try await open(payload, delivery.id, context)
    case NotificationAnswer.dismiss: context.log("notification dismissed \(delivery.id)")
    default:
      context.log("notification answered \(delivery.id) by the action '\(action)'")
      await route(payload, delivery.id, action: action, context)
      var value: ValueObject = ["id": .string(delivery.id), "action": .string(action)]
      if let reply = delivery.reply { value["reply"] = .string(reply) }
      try context.post(Self.acted, value: .object(value))
    }
  }

  private nonisolated(nonsending) func open(
    _ payload: NotificationPayload, _ id: String, _ context: ActionContext
  ) async throws {
    context.log("notification tapped \(id)")
    await route(payload, id, context)
    try context.post(Self.tapped, value: ["id": .string(id), "action": .string(NotificationAnswer.open)])
  }

  private nonisolated(nonsending) func route(
    _ payload: NotificationPayload, _ id: String, action: String = NotificationAnswer.open, _ context: ActionContext
  ) async {
    guard let url = payload.route else { return }
    do {
      let opener: any LinkOpener = try context.handle(.linkOpener)
      let link = TappedLink(url: url, parameters: payload.parameters, notificationID: id, action: action)
      let interface: any UserInterface = try context.handle(.userInterface)
      let result = await opener.open(link, on: interface, in: context)
      context.log("the link of notification \(id) was \(result == "opened" ? "opened" : "not opened: \(result)")")
    } catch {
      context.log("the link of notification \(id) cannot be opened: \(error)", level: .error)
    }
  }
}
