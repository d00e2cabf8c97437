import Synchronization

/// The launch of launch.yaml, written without flowrun. Each step is a task that awaits its dependencies, because an
/// `async let` cannot await another one. Deadlines are task groups that race a sleep, and queues are actors and
/// priorities.
enum HandWrittenLaunch {
  /// Starts the launch and returns the gate's outcome. Steps that do not hold the gate may still be running.
  static func gate() async -> String {
    let gate = Gate()
    Task {
      await withTaskGroup(of: Void.self) { group in
        group.addTask {
          do { try await launch(gate) } catch { gate.open("failed") }
        }
        group.addTask {
          try? await Task.sleep(for: .seconds(5))
          gate.open("timed-out")
        }
        await group.next()
        group.cancelAll()
      }
    }
    return await gate.outcome
  }

  private static func launch(_ gate: Gate) async throws {
    let systemReady = Task { try await step() }
    let cloudStatus = Task { try? await step(systemReady.value) }
    let prepareGeocoder = Task { try? await inBackground(systemReady.value) }
    let connectCloud = Task { try await step(cloudStatus.value) }
    let keyData = Task { try? await within(.seconds(3), connectCloud.value) }
    let keyDataAtAnyPrice = Task { try await step(connectCloud.value) }
    let paceSystem = Task { try await step(systemReady.value) }
    let launchApp = Task { try await onMain(systemReady.value, paceSystem.value) }
    let splash = Task { try await step(launchApp.value) }
    let openStore = Task { try await step(systemReady.value, paceSystem.value) }
    let prepareLocation = Task { try? await step(openStore.value) }
    let notificationStatus = Task { try? await step(openStore.value) }
    let checkResources = Task { try await step(launchApp.value) }
    let templates = Task { try await step(openStore.value, launchApp.value) }
    let registerRoutes = Task { try await step(openStore.value, launchApp.value) }
    let listen = Task { try await step(registerRoutes.value, launchApp.value) }
    let askForNotifications = Task { try? await step(registerRoutes.value, notificationStatus.value) }
    let deviceToken = Task { try? await onMain(askForNotifications.value) }
    let launchLink = Task { try await step(registerRoutes.value, askForNotifications.value, launchApp.value) }
    let holdLaunchLink = Task { try await step(launchLink.value) }
    let inspectLaunch = Task { try await step(launchApp.value) }
    let welcome = Task { try await step(openStore.value, launchApp.value) }
    let locateAtOnce = Task { try? await step(prepareLocation.value, launchApp.value) }
    let locationRefused = Task { try await step(prepareLocation.value, launchApp.value) }
    let recentDestinations = Task { try? await step(openStore.value) }
    let trips = Task { try? await step(openStore.value) }
    let userPreferences = Task { try? await step(openStore.value) }
    let configuration = Task { try? await step(openStore.value) }
    let pullFromCloud = Task {
      try? await step(connectCloud.value, keyData.value, keyDataAtAnyPrice.value, openStore.value)
    }
    let refreshLists = Task { try? await step(pullFromCloud.value, trips.value, recentDestinations.value) }
    let paceStore = Task { try await step(openStore.value) }
    let restore = Task { try await onMain(launchApp.value, openStore.value, listen.value) }
    let account = Task { try await step(openStore.value, paceStore.value) }
    let language = Task { try await step(openStore.value, paceStore.value) }
    let countryList = Task { try await step(language.value) }
    let brandColor = Task { try await step(openStore.value, paceStore.value) }
    let appearance = Task { try await step(openStore.value, paceStore.value) }
    let appReady = Task {
      try await step(
        systemReady.value, openStore.value, account.value, language.value, countryList.value, brandColor.value,
        appearance.value)
    }
    let paceManagers = Task { try await step(account.value, countryList.value, brandColor.value, appearance.value) }
    let contentView = Task {
      try await step(
        restore.value, account.value, language.value, countryList.value, brandColor.value, appearance.value,
        paceManagers.value)
    }
    let viewReady = Task { try await step(appReady.value, contentView.value) }
    let dataReady = Task {
      try await step(viewReady.value, recentDestinations.value, trips.value, userPreferences.value, configuration.value)
    }
    let servicesReady = Task { try await step(dataReady.value, prepareLocation.value, prepareGeocoder.value) }
    let paceView = Task { try await step(contentView.value) }
    for step in [
      keyDataAtAnyPrice, openStore, account, language, countryList, brandColor, appearance, contentView, paceView,
    ] { try await step.value }
    for step in [keyData, recentDestinations, trips] { _ = await step.value }
    gate.open("ready")
    for step in [
      systemReady, connectCloud, paceSystem, launchApp, splash, checkResources, templates, registerRoutes, listen,
      launchLink, holdLaunchLink, inspectLaunch, welcome, locationRefused, paceStore, restore, appReady, paceManagers,
      viewReady, dataReady, servicesReady,
    ] { try await step.value }
    for step in [
      cloudStatus, prepareGeocoder, prepareLocation, notificationStatus, askForNotifications, deviceToken, locateAtOnce,
      userPreferences, configuration, pullFromCloud, refreshLists,
    ] { _ = await step.value }
  }

  private static func step(_ needs: Void?...) async throws { try Task.checkCancellation() }

  @MainActor private static func onMain(_ needs: Void?...) async throws { try Task.checkCancellation() }

  /// Runs a step in a task with background priority after its dependencies.
  private static func inBackground(_ needs: Void?...) async throws {
    try await Task(priority: .background) { try Task.checkCancellation() }.value
  }

  /// Runs a step that fails if it has not ended at the deadline.
  private static func within(_ deadline: Duration, _ needs: Void?...) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await step() }
      group.addTask {
        try await Task.sleep(for: deadline)
        throw CancellationError()
      }
      try await group.next()
      group.cancelAll()
    }
  }
}

/// A gate whose first outcome counts. Later outcomes are ignored.
private final class Gate: Sendable {
  private struct State {
    var outcome: String?
    var waiter: CheckedContinuation<String, Never>?
  }

  private let state = Mutex(State())

  var outcome: String {
    get async {
      await withCheckedContinuation { continuation in
        let known = state.withLock { state in
          if state.outcome == nil { state.waiter = continuation }
          return state.outcome
        }
        if let known { continuation.resume(returning: known) }
      }
    }
  }

  func open(_ outcome: String) {
    let waiter = state.withLock { state -> CheckedContinuation<String, Never>? in
      guard state.outcome == nil else { return nil }
      state.outcome = outcome
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume(returning: outcome)
  }
}
