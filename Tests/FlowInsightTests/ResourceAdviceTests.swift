import FlowModel
import Testing

@testable import FlowInsight

/// Advice on resource requests, based on the resources that jobs of a cluster have used.
struct ResourceAdviceTests {
  private func job(
    _ state: String = "COMPLETED", asked: Int = 1000, took: Int?, cpus: Int = 4, busy: Double = 3.9
  ) -> ReportedJob {
    var job = ReportedJob(
      step: StepID(unchecked: "s"),
      requested: MachineResources(cpus: cpus, memoryBytes: asked << 20))
    job.state = state
    job.memoryBytes = took.map { $0 << 20 }
    (job.elapsedMilliseconds, job.cpuMilliseconds) = (10_000, Int(busy * 10_000))
    return job
  }

  private func texts(_ jobs: ReportedJob...) -> [String] { ResourceAdvice.all(of: jobs).map(\.text) }

  @Test func `a step with an appropriate resource request gets no advice`() {
    #expect(texts(job(took: 800), job(took: 600)) == [])
    #expect(texts(job(took: nil)) == [])
  }

  @Test func `memory advice recommends 25 % more than the maximum that was used`() {
    #expect(
      texts(job(took: 200), job(took: 250)) == [
        "'s' asks for 1000MiB of memory and took 250MiB at most (2 jobs); write 'memory: 320MiB'"
      ])
    #expect(
      texts(job(took: 950)) == [
        "'s' asks for 1000MiB of memory and took 950MiB at most (1 job); write 'memory: 1216MiB'"
      ])
  }

  @Test func `a job that runs out of memory gets advice unless a job with a larger request succeeds`() {
    #expect(
      texts(job("OUT_OF_MEMORY", took: 990)) == [
        "'s' asks for 1000MiB of memory and took 990MiB at most; 1 of 1 job ran out of memory; write 'memory: 2GiB'"
      ])
    #expect(
      texts(job("OUT_OF_MEMORY", took: 990), job(asked: 2000, took: 1300)) == [])
  }

  @Test func `advice about resources recommends fewer processors if some were idle`() {
    #expect(
      texts(job(took: 800, busy: 1.2), job(took: 800, busy: 1.7)) == [
        "'s' asks for 4 cpus and kept at most 2 busy (2 jobs); write 'cpus: 2'"
      ])
    #expect(texts(job("FAILED", took: 800, busy: 0.1)) == [])
  }
}
