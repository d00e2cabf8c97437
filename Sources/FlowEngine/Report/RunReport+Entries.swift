import FlowModel

extension RunReport {
  /// Returns one entry for the launch and one for each return of the app to the foreground.
  static func entries(of plan: Plan) -> [AppEntry] {
    guard let activation = plan.activatedAtNanoseconds else { return [] }
    func time(_ nanoseconds: Int) -> Double { millisecondsOf(nanoseconds - activation) }
    let launch = AppEntry(
      kind: .cold, event: LifecycleEvent.activate.rawValue, number: 1, at: 0,
      openedAt: plan.gate.openedAtNanoseconds.map(time))
    let event = LifecycleEvent.appWillEnterForeground.rawValue
    return [launch]
      + plan.posts(of: event).map { post in
        let waited = post.number == 1 ? plan.waiters(for: event).filter { plan.states[$0].startedAt != never } : []
        let openings = waited.filter {
          plan.options(of: $0).deadline?.min != nil && plan.states[$0].outcome == .success
        }
        return AppEntry(
          kind: waited.isEmpty ? .hot : .warm, event: event, number: post.number, at: time(post.atNanoseconds),
          openedAt: openings.map { plan.states[$0].endedAt }.max().map(time))
      }
  }
}
