import Foundation
import Synchronization
import TestSupport
import Testing

@testable import FlowSystem

/// The processes that remain in a command's group after its leader has ended.
@Suite(.timeLimit(.minutes(10))) struct `The remaining processes of a process group` {
  @Test func `the remaining processes of a group are ended in the background, and then the caller is notified`()
    async throws
  {
    // The leader ends immediately, and the process that it leaves behind ignores SIGTERM.
    let group = try Children.start("trap '' TERM; sleep 600 & exit 3")
    let ending = Mutex<ProcessGroup.Ending?>(nil)
    let immediate = group.collect(withSession: false) { value in ending.withLock { $0 = value } }
    #expect(immediate == nil)
    #expect(within(seconds: 60) { ending.withLock { $0 } != nil })
    #expect(ending.withLock { $0 } == .init(status: .exited(code: 3), leftBehind: true))
    await Children.expectGone(group: group.number)
    // Later calls return the same ending.
    #expect(group.collect() == .init(status: .exited(code: 3), leftBehind: true))
  }

  @Test func `no remaining processes are reported for a group whose leader left none behind`() throws {
    let group = try Children.start("exit 3")
    // The system may list an ended process of the group for a moment, so the ending may come later.
    let ending = Mutex<ProcessGroup.Ending?>(nil)
    let immediate = group.collect(withSession: false) { value in ending.withLock { $0 = value } }
    within(seconds: 60) { immediate != nil || ending.withLock { $0 } != nil }
    #expect((immediate ?? ending.withLock { $0 }) == .init(status: .exited(code: 3), leftBehind: false))
  }

  @Test func `a process that two scans report as ended no longer counts as remaining`() throws {
    let group = try Children.start("exec sleep 600")
    defer { _ = group.end() }
    // The process stands in for one that has ended, because only the results of the scans count.
    var rest = GroupRest(group: group.number, inner: nil)
    #expect(rest.hasProcess)
    #expect(rest.advance(.ended) == nil)
    #expect(rest.advance(nil) == nil)
    #expect(rest.advance(.ended) == false)
    #expect(group.status() == nil)
  }

  @Test func `a process does not count as ended after a single scan`() throws {
    let group = try Children.start("exec sleep 600")
    defer { _ = group.end() }
    var rest = GroupRest(group: group.number, inner: nil)
    for activity in [GroupActivity.ended, .running, .ended] { #expect(rest.advance(activity) == nil) }
  }

  #if os(Linux)
    @Test func `a scan of all processes marks those that have ended`() throws {
      let ended = try Children.start("exit 0")
      let running = try Children.start("exec sleep 600")
      defer { _ = (ended.end(), running.end()) }
      within(seconds: 60) { ended.status() != nil }
      var looks = ProcessLooks()
      var found: [pid_t: GroupActivity] = [:]
      within(seconds: 60) {
        found = looks.next() ?? [:]
        return !found.isEmpty
      }
      #expect(found[ended.number] == .ended && found[running.number] == .running)
    }
  #endif
}
