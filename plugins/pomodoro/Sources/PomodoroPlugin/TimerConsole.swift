import FlowModel
import FlowPluginKit
import SyncDevice
import SyncEngine
import SyncPomodoro

/// Lets a person control a timer: executes commands and shows local and remote changes.
struct TimerConsole {
  let connection: Connection
  let show: @Sendable (String) -> Void

  /// Executes one command per line until the input ends. Then waits up to `timeout` until the outbox is empty, unless
  /// the device is offline or paused.
  nonisolated(nonsending) func run(
    lines: AsyncStream<String>, timeout: Duration
  ) async throws -> Timer.Output {
    let (notices, show) = (connection.notices(), show)
    let watching = Task {
      var progress = SyncProgress()
      for await (notice, machine) in notices {
        if let line = progress.take(notice, machine) { show(line) }
        if let line = NoticeText.line(notice, machine, connection.records.schema) { show(line) }
      }
    }
    defer { watching.cancel() }
    let device = await connection.session.status().device
    show("this device is \(device); type a command, help lists them")
    var (commands, rejected) = (0, 0)
    for await line in lines {
      do {
        guard let command = try TimerCommand(line) else { continue }
        try await perform(command)
        commands += 1
      } catch let problem as TimerCommand.TimerProblem {
        rejected += 1
        show("\(problem)")
      } catch let error as ActionError {
        rejected += 1
        show("not done: \(error.message)")
      } catch let error as ReplicaError {
        // The change was not saved, for example because the disk is full. The previous state is unchanged.
        rejected += 1
        show("not done: \(error)")
      }
    }
    _ = await connection.session.wait(milliseconds: timeout.milliseconds) {
      $0.isFlushed || $0.isOffline || $0.pausedBecause != nil
    }
    let status = await connection.session.status()
    if status.outboxDepth > 0 {
      let waiting = NoticeText.waiting(status.outboxDepth, "in '\(connection.file)'")
      show("\(waiting) and \(status.outboxDepth == 1 ? "is" : "are") sent next time")
    }
    return Timer.Output(
      commands: commands, rejected: rejected, waiting: status.outboxDepth, timer: await connection.timer()?.value)
  }

  /// Returns the current display of the timer, or nil if the timer is not counting down.
  nonisolated(nonsending) func running() async -> String? {
    let machine = await connection.session.machine
    guard let state = TimerStateRecord(machine)?.state, state.kind.runsDown, !state.isPaused else { return nil }
    return NoticeText.reading(Pomodoro.timer, machine)
  }

  private nonisolated(nonsending) func perform(_ command: TimerCommand) async throws {
    switch command {
    case .start(let kind, let duration):
      try await connection.set(TimerState(kind: kind, remainingMilliseconds: duration.milliseconds))
    case .set(let kind): try await connection.set(TimerState(kind: kind))
    case .pause: try await setPaused(true)
    case .resume: try await setPaused(false)
    case .done: try await connection.change(timer: Pomodoro.completing(1))
    case .reset: try await connection.change(timer: Pomodoro.newDay)
    case .setting(let name, let value): try await connection.set(setting: name, to: value)
    case .offline:
      await connection.session.setOnline(false)
      show("offline: your changes are kept and sent later")
    case .online:
      await connection.session.setOnline(true)
      show("online")
    case .parked:
      let parked = await connection.session.status().parked
      if parked.isEmpty { show("nothing is parked") }
      for one in parked { show(one.line) }
    case .retry(let position?): try await connection.change(parked: position) { await $0.retry(parked: $1) }
    case .retry(nil): await connection.session.resume()
    case .discard(let position): try await connection.change(parked: position) { await $0.discard(parked: $1) }
    case .retire(let name):
      let device = try await connection.retire(name)
      show("\(device) is retired; it joins the zone again when it writes")
    case .status:
      let now = SystemClock().nowMilliseconds()
      let machine = await connection.session.machine
      let status = await connection.session.status()
      for line in status.lines(of: machine.replica, nowMilliseconds: now) { show(line) }
    case .help: show(TimerCommand.overview)
    }
  }

  private nonisolated(nonsending) func setPaused(_ isPaused: Bool) async throws {
    guard let record = await connection.timer(), record.state.kind.runsDown else {
      show("there is no timer to be \(isPaused ? "paused" : "resumed")")
      return
    }
    guard record.state.isPaused != isPaused else {
      show(isPaused ? "it is paused already" : "it runs already")
      return
    }
    var state = record.state
    let now = SystemClock().nowMilliseconds() + (await connection.session.status().clockOffsetMilliseconds)
    state.remainingMilliseconds = max(
      0, record.state.remaining(setAtMilliseconds: record.timestamp, atMilliseconds: now))
    state.isPaused = isPaused
    try await connection.set(state)
  }
}
