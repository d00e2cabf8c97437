import Dispatch
import Foundation
import Synchronization

/// A graph that is run without flowrun, as a Swift developer would write it. Each step has a count of unfinished
/// dependencies and a list of successors.
final class PeerGraph: Sendable {
  let successors: [[Int]]
  let roots: [Int]
  let count: Int
  /// The number of unfinished dependencies of each step. Allocated once and freed with the graph.
  nonisolated(unsafe) let open: UnsafeMutablePointer<Atomic<Int>>
  private let dependencyCounts: [Int]

  init(_ needs: [[Int]]) {
    count = needs.count
    dependencyCounts = needs.map(\.count)
    var successors = [[Int]](repeating: [], count: count)
    for (index, list) in needs.enumerated() {
      for need in list { successors[need].append(index) }
    }
    self.successors = successors
    roots = needs.indices.filter { needs[$0].isEmpty }
    open = .allocate(capacity: count)
    for index in 0..<count { (open + index).initialize(to: Atomic(dependencyCounts[index])) }
  }

  deinit {
    open.deinitialize(count: count)
    open.deallocate()
  }

  func reset() { for index in 0..<count { open[index].store(dependencyCounts[index], ordering: .relaxed) } }

  /// Calls `body` with each successor that becomes ready because `step` has ended.
  func release(_ step: Int, _ body: (Int) -> Void) {
    for successor in successors[step]
    where open[successor].subtract(1, ordering: .acquiringAndReleasing).newValue == 0 {
      body(successor)
    }
  }
}

enum Peers {
  /// Runs the graph with one `DispatchQueue.async` per step on a concurrent queue.
  static func dispatch(_ graph: PeerGraph, work: @escaping @Sendable () -> Void) {
    let queue = DispatchQueue(label: "peer", attributes: .concurrent)
    let group = DispatchGroup()
    @Sendable func run(_ step: Int) {
      work()
      graph.release(step) { successor in queue.async(group: group) { run(successor) } }
    }
    for root in graph.roots { queue.async(group: group) { run(root) } }
    group.wait()
  }

  /// Runs the graph with one child task per step. The task group receives the end of each step and starts its
  /// successors.
  static func taskGroup(_ graph: PeerGraph, work: @escaping @Sendable () -> Void) async {
    await withTaskGroup(of: Int.self) { group in
      for root in graph.roots {
        group.addTask {
          work()
          return root
        }
      }
      while let step = await group.next() {
        graph.release(step) { successor in
          group.addTask {
            work()
            return successor
          }
        }
      }
    }
  }

  /// Runs the graph with one `BlockOperation` per step and with dependencies between them. It crashes on a chain of
  /// 100,000 steps and takes seconds for 10,000.
  static func operations(_ needs: [[Int]], work: @escaping @Sendable () -> Void) {
    let queue = OperationQueue()
    let operations = needs.map { _ in BlockOperation(block: work) }
    for (index, list) in needs.enumerated() {
      for need in list { operations[index].addDependency(operations[need]) }
    }
    queue.addOperations(operations, waitUntilFinished: true)
  }
}
