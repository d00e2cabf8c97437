extension Pomodoro {
  /// The file `workflows/pomodoro.sync.yaml`, for programs that are not given one.
  public static let schemaText = """
    # The timer of sync.yaml: of states that did not see each other one counts, as a whole. Zones keep its records under the
    # names of 'alias', as they did before there were schemas, so that every version and other programs can read them.
    schema: pomodoro
    collections:
      timers:
        alias: CD_TimerState
        keys: [timer]
        decide:
          - causal
          - { window: 5s }
          - { prefer: state, order: [focus, breakTime, snooze, idle] }
          - { smallest: remaining, ages: true, unless: is-paused, when: { state: [focus, breakTime] } }
          - newest
          - device
        fields:
          state: { type: string, enum: [focus, breakTime, snooze, idle], alias: stateType }
          remaining: { type: duration, alias: stateData.remainingSeconds }
          is-paused: { type: boolean, alias: isPaused }
          completed: { type: integer, merge: largest, epoch: true, alias: completedPomodoros }
      settings:
        alias: CD_Settings
        keys: [settings]
        other-fields: newest
      devices:
        alias: CD_DeviceInfo
        writer: self
        other-fields: newest
        fields:
          device-name: { type: string, alias: deviceName }
          platform: { type: string, enum: [macOS, iOS, linux] }
          app-version: { type: string, alias: appVersion }
          last-seen: { type: integer, alias: lastSeen }
    budget: { requests-per-hour: 100, bytes-per-day: 1000000 }

    """
}
