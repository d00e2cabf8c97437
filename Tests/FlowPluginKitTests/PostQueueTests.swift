import FlowModel
import FlowPluginKit
import Testing

/// A queue of posts, and a one-shot wait that several callers can end.
@Suite(.timeLimit(.minutes(10))) struct `A queue of posts` {
  private func post(_ number: Int) -> EventPost { EventPost(event: "a", number: number, atNanoseconds: number) }

  @Test func `queued posts arrive in order, and posts after the end of the queue are dropped`() async {
    let queue = PostQueue(limit: 4)
    for number in 1...3 { queue.add(post(number)) }
    queue.finish()
    var taken: [Int] = []
    while let post = await queue.next() { taken.append(post.number) }
    #expect(taken == [1, 2, 3])
    queue.add(post(4))
    #expect(await queue.next() == nil)
    #expect(queue.dropped == 1)
  }

  @Test func `queued posts beyond the limit are dropped and counted`() async {
    let queue = PostQueue(limit: 2)
    for number in 1...5 { queue.add(post(number)) }
    #expect(queue.dropped == 3)
    #expect(await queue.next()?.number == 1)
    queue.add(post(6))
    #expect(queue.dropped == 3)
    queue.dropAll()
    #expect(queue.dropped == 5)
    #expect(await queue.next() == nil)
  }

  @Test func `a post reaches a receiver that is already waiting, and so does the end of the queue`() async {
    let queue = PostQueue(limit: 1)
    async let first = queue.next()
    queue.add(post(1))
    #expect(await first?.number == 1)
    async let last = queue.next()
    queue.finish()
    #expect(await last == nil)
  }

  @Test func `a one-shot wait ends with its first value`() async {
    let wait = OneShot<Int>()
    #expect(wait.value == nil)
    async let value = wait.wait()
    wait.finish(1)
    wait.finish(2)
    #expect(await value == 1)
    #expect(wait.value == 1)
  }
}
