extension Pomodoro {
  /// The file `workflows/pomodoro.sync.yaml`, for programs that are not given one.
  public static let schemaText = """
    # The timer of sync.yaml: of states that did not see each other one counts, as a whole.
    schema: pomodoro
    collections:
      timers:
        keys: [timer]
        decide:
          - causal
          - { window: 5s }
          - { prefer: state, order: [focus, breakTime, snooze, idle] }
          - { smallest: remaining, ages: true, unless: is-paused, when: { state: [focus, breakTime] } }
          - newest
          - device
        fields:
          state: { type: string, enum: [focus, breakTime, snooze, idle] }
          remaining: { type: duration }
          is-paused: { type: boolean }
          other-data: { type: string }
          completed: { type: integer, merge: largest, epoch: true }
      settings:
        keys: [settings]
        other-fields: newest
    budget: { requests-per-hour: 100, bytes-per-day: 1000000 }

    """
}
