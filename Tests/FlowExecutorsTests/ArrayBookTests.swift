import FlowModel
import FlowPluginKit
import Testing

@testable import FlowExecutors

/// Assigns items to the tasks of job arrays, without calling Slurm.
struct ArrayBookTests {
  private let step = StepID(unchecked: "s")
  private let start = ContinuousClock.now
  private var book = ArrayBook(run: "run", slots: 4, indices: 100)

  private func claim(
    _ book: inout ArrayBook, _ item: Int, attempt: Int = 1, cpus: Int = 1
  ) -> (number: Int, ticket: OneShot<ArrayBook.Grant>) {
    let ticket = OneShot<ArrayBook.Grant>()
    return (book.claim(step, item, attempt: attempt, MachineResources(cpus: cpus), ticket), ticket)
  }

  /// Submits all batches as arrays with these numbers. Returns the name and indices of each array.
  private func submit(_ book: inout ArrayBook, as numbers: Int...) -> [String] {
    let batches = book.batches()
    for ((batch, step, first), number) in zip(batches, numbers) {
      book.submitted(batch, of: step, first: first, as: number)
    }
    return batches.map { "\($0.batch.name) \($0.batch.list)" }
  }

  private func listing(_ lines: String...) -> ArrayListing { ArrayListing(lines) }

  private func place(_ ticket: OneShot<ArrayBook.Grant>) -> String? {
    guard case .task(let task, let job, _)? = ticket.value else { return nil }
    return "\(task.text) \(job)"
  }

  private func take(_ book: inout ArrayBook, _ listing: ArrayListing, after seconds: Int = 0) -> ArrayBook.Orders {
    let orders = book.takeIn(listing, of: book.liveArrays, at: start + .seconds(seconds))
    for (ticket, grant) in orders.grants { ticket.finish(grant) }
    return orders
  }

  @Test func `the items of a step form one job array, in which each item gets the task with its index`() {
    var book = book
    book.expect(Array(0..<10), of: step, atOnce: 3)
    let claims = [claim(&book, 0), claim(&book, 1)]
    #expect(submit(&book, as: 7) == ["run.s.1 0-9%3"])
    #expect(submit(&book) == [])
    _ = take(&book, listing("7 1 8 RUNNING", "7 0,2-9%3 7 PENDING"))
    #expect(place(claims[0].ticket) == nil && place(claims[1].ticket) == "7_1 8")
    _ = take(&book, listing("7 0 9 RUNNING", "7 1 8 RUNNING", "7 2-9%3 7 PENDING"))
    #expect(place(claims[0].ticket) == "7_0 9")
    let late = claim(&book, 2)
    #expect(submit(&book) == [])
    _ = take(&book, listing("7 2 10 RUNNING", "7 1 8 COMPLETING", "7 3-9%3 7 PENDING"))
    #expect(place(late.ticket) == "7_2 10")
  }

  @Test func `a job array that cannot be submitted now is submitted unchanged later`() {
    var book = book
    book.expect(Array(0..<4), of: step, atOnce: 2)
    let first = claim(&book, 0)
    for _ in 0..<3 {
      for (batch, step, first) in book.batches() { book.postponed(batch, of: step, first: first) }
    }
    #expect(submit(&book, as: 7) == ["run.s.1 0-3%2"])
    _ = take(&book, listing("7 0 8 RUNNING", "7 1-3%2 7 PENDING"))
    #expect(place(first.ticket) == "7_0 8")
    #expect(submit(&book) == [])
  }

  @Test func `index ranges with a stride, such as 1-9:4, are expanded, and invalid ranges are ignored`() {
    let listing = listing("7 1-9:4%2 7 PENDING", "7 0-6:3 8 PENDING", "7 : 9 PENDING", "7 1-5:0 9 PENDING")
    #expect(listing.waiting.map(\.index).sorted() == [0, 1, 3, 5, 6, 9])
  }

  @Test func `a job array that exceeds Slurm's maximum size is split`() {
    var book = ArrayBook(run: "run", slots: 4, indices: 5)
    book.expect(Array(0..<12), of: step, atOnce: .max)
    _ = [claim(&book, 0), claim(&book, 1)]
    #expect(submit(&book, as: 1) == ["run.s.1 0-4%4"])
    let (_, ticket) = claim(&book, 11)
    #expect(submit(&book, as: 2) == ["run.s.1+10 0-1%2"])
    _ = take(&book, listing("1 0-4%4 1 PENDING", "2 1 3 RUNNING", "2 0%2 2 PENDING"))
    #expect(place(ticket) == "2_1 3")
  }

  @Test func `a lost item is submitted individually, and the task of its ended attempt is not reused`() {
    var book = book
    book.expect(Array(0..<4), of: step, atOnce: 4)
    let first = claim(&book, 2)
    #expect(submit(&book, as: 1) == ["run.s.1 0-3%4"])
    _ = take(&book, listing("1 2 3 RUNNING", "1 0-1,3%4 1 PENDING"))
    #expect(place(first.ticket) == "1_2 3")
    #expect(book.end(first.number) == nil)
    let second = claim(&book, 2, attempt: 2)
    // The task of the first attempt may not have ended.
    _ = take(&book, listing("1 2 3 RUNNING", "1 0-1,3%4 1 PENDING"))
    #expect(place(second.ticket) == nil)
    #expect(submit(&book, as: 5) == ["run.s.2 2%1"])
    _ = take(&book, listing("5 2 5 RUNNING", "1 0-1,3%4 1 PENDING"))
    #expect(place(second.ticket) == "5_2 5")
  }

  @Test func `an item is lost if its task ends before its worker starts`() {
    var book = book
    book.expect([0, 1], of: step, atOnce: 2)
    let (_, ticket) = claim(&book, 0)
    _ = submit(&book, as: 1)
    _ = take(&book, listing("1 1%2 1 PENDING"))
    guard case .lost(let lost)? = ticket.value else { return #expect(Bool(false), "it waits") }
    #expect(lost.message == "job 1_0 of run.s.1 ended before its worker started" && !lost.isFinal)
  }

  @Test func `an array task that stays idle is cancelled, and its item is submitted individually once it is ready`() {
    var book = book
    book.expect(Array(0..<5), of: step, atOnce: 2)
    let first = claim(&book, 0)
    #expect(submit(&book, as: 1) == ["run.s.1 0-4%2"])
    let lines = listing("1 0 2 RUNNING", "1 1 3 RUNNING", "1 2-4%2 1 PENDING")
    #expect(take(&book, lines).cancelled == [])
    let orders = take(&book, lines, after: 10)
    #expect(orders.cancelled == ["1_1"] && orders.limits.map(\.atOnce) == [1])
    _ = take(&book, listing("1 0 2 RUNNING", "1 2-4%1 1 PENDING"), after: 11)
    _ = claim(&book, 1)
    #expect(submit(&book, as: 4) == ["run.s.1 1%1"])
    // More items run again, so the limit on concurrent tasks is raised to its old value.
    #expect(book.end(first.number) == nil)
    _ = [claim(&book, 2), claim(&book, 3)]
    let wider = take(&book, listing("1 2-4%1 1 PENDING", "4 1 4 RUNNING"), after: 12)
    #expect(wider.limits.map(\.array) == [1] && wider.limits.map(\.atOnce) == [2])
  }

  @Test func `a job array is cancelled if none of its items has run for a while`() {
    var book = book
    book.expect(Array(0..<5), of: step, atOnce: 2)
    let (number, ticket) = claim(&book, 0)
    _ = submit(&book, as: 1)
    #expect(book.end(number) == "1_0")
    guard case .cancelled? = ticket.value else { return #expect(Bool(false), "it waits") }
    let lines = listing("1 1-4%2 1 PENDING")
    #expect(take(&book, lines).cancelled == [])
    #expect(take(&book, lines, after: 10).cancelled == ["1"])
    #expect(!book.isEmpty)
    _ = take(&book, listing(), after: 11)
    #expect(book.isEmpty)
  }

  @Test func `the waiting items of a refused job array are submitted individually, and are lost if that fails, too`() {
    var book = book
    book.expect(Array(0..<5), of: step, atOnce: 2)
    let (_, ticket) = claim(&book, 0)
    let whole = book.batches()[0]
    #expect(book.refused(whole.batch, of: whole.step, first: 0, "too many jobs").grants.isEmpty)
    let alone = book.batches()[0]
    #expect(alone.batch.list == "0%1")
    for (ticket, grant) in book.refused(alone.batch, of: alone.step, first: 0, "too many jobs").grants {
      ticket.finish(grant)
    }
    guard case .lost(let lost)? = ticket.value else { return #expect(Bool(false), "it waits") }
    #expect(lost.message == "too many jobs")
  }

  @Test func `the usage of a job is combined from the accounting lines of the job and its steps`() throws {
    let lines = [
      "12_3|run.s.1|OUT_OF_MEMORY|None|61|01:02.500||", "12_3.batch|batch|COMPLETED||61|00:00.010|1024K",
      "12_3.0|run.s.1|OUT_OF_MEMORY||61|01:02.490|2147483648",
    ]
    let read = lines.compactMap { AccountingLine($0) }
    #expect(read.count == 2)
    var jobs = SizedJobs()
    jobs.add(
      JobAccount(step: step, item: 3, attempt: 1, requested: MachineResources(cpus: 2), job: "12_3"), named: "run.s.1")
    jobs.add(JobAccount(step: step, item: nil, attempt: 1, requested: MachineResources()), named: "run.t.1")
    let whole = try #require(AccountingLine("12_3|run.s.1|CANCELLED by 0|None|61|1-01:02:03|"))
    let (accounts, areComplete) = jobs.accounts([whole] + read)
    #expect(!areComplete && accounts[1].job == nil)
    #expect(accounts[0].state == "OUT_OF_MEMORY" && accounts[0].reason == nil)
    #expect(accounts[0].memoryBytes == 2_147_483_648 && accounts[0].elapsedMilliseconds == 61000)
    #expect(accounts[0].cpuMilliseconds == (25 * 3600 + 123) * 1000)
    #expect(
      JSONText.write(accounts[0].value)
        == #"{"step":"s","item":3,"attempt":1,"requested":{"cpus":2,"memoryBytes":0,"gpus":0},"job":"12_3","#
        + #""state":"OUT_OF_MEMORY","elapsedMilliseconds":61000,"cpuMilliseconds":90123000,"memoryBytes":2147483648}"#)
  }

  @Test func `a job's accounting is incomplete until it includes the step that did the work`() {
    let lines = ["12|run.s.1|COMPLETED|None|3|00:00.001|", "12.batch|batch|COMPLETED||3|00:00.001|3276800"]
      .compactMap { AccountingLine($0) }
    let step = AccountingLine("12.0|run.s.1|COMPLETED||3|00:01.710|247345152")
    var jobs = SizedJobs()
    jobs.add(
      JobAccount(step: self.step, item: nil, attempt: 1, requested: MachineResources(), job: "12"), named: "run.s.1")
    #expect(!jobs.accounts(lines).areComplete)
    #expect(jobs.accounts(lines + [step].compactMap(\.self)).areComplete)
  }
}
