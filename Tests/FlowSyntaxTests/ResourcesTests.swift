import FlowDiagnostics
import FlowModel
import Testing

@testable import FlowSyntax

/// The `resources` of a step in a workflow file.
struct ResourcesTests {
  private func step(_ text: String) -> LoadResult { load("name: shares\nsteps:\n  a: { uses: flow.noop, \(text) }\n") }

  private func job(_ text: String) -> LoadResult {
    load("name: shares\nsteps:\n  a: { run: ./a, \(text) }\n", catalog: ExecutorKeyTests.catalog)
  }

  private func message(_ text: String) -> String {
    let diagnostics = step(text).diagnostics
    #expect(diagnostics.count == 1, "\(text): \(diagnostics.map(\.message))")
    return diagnostics.first.map { "\($0.message); \($0.help ?? "")" } ?? ""
  }

  @Test func `cpus, memory and gpus are read, and the default for cpus is one`() {
    func request(_ text: String) -> MachineResources? {
      step("resources: \(text)").graph?.workflow.steps[0].options.request
    }
    #expect(
      request("{ cpus: 4, memory: 8GiB, gpus: 1 }") == MachineResources(cpus: 4, memoryBytes: 8 << 30, gpus: 1))
    #expect(request("{ memory: 512MiB }") == MachineResources(cpus: 1, memoryBytes: 512 << 20))
  }

  @Test(arguments: [
    (
      "resources: [database]",
      "must be a mapping of cpus, memory and gpus, found a list; 'resources' is the capacity that the step requests"
    ),
    ("resources: 4", "must be a mapping of cpus, memory and gpus"),
    ("resources: {}", "is empty; write '{ cpus: 4 }'"),
    ("resources: { cpu: 4 }", "did you mean 'cpus'?"),
    ("resources: { mem: 8GiB }", "did you mean 'memory'?"),
    ("resources: { mem_mb: 512 }", "with the unit in the value: 'memory: 512MiB'"),
    ("resources: { nvidia.com/gpu: 1 }", "did you mean 'gpus'?"),
    ("resources: { limits: 4 }", "there is one amount of each"),
    ("resources: { runtime: 10 }", "'deadline'"),
    ("resources: { memory: 8G }", "must be an amount of memory such as 8GiB, found the string \"8G\"; write 8GiB"),
    ("resources: { memory: 8gb }", "write 8GiB"),
    ("resources: { memory: 8 }", "write 8GiB or 8MiB: memory has a unit"),
    ("resources: { memory: 8 GiB }", "write 8GiB, without a space"),
    ("resources: { memory: 1.5GiB }", "the number is whole: write 1536MiB"),
    ("resources: { memory: -1GiB }", "an amount of memory is never negative"),
    ("resources: { memory: 0GiB }", "leave 'memory' out"),
    ("resources: { memory: 9999999TiB }", "the limit is 1024TiB"),
    ("resources: { cpus: 0 }", "must be from 1 to 65536, found 0"),
    ("resources: { cpus: -1 }", "must be from 1 to 65536, found -1"),
    ("resources: { cpus: 0.5 }", "write 1; a fraction of a processor cannot be requested"),
    ("resources: { cpus: four }", "must be an integer from 1 to 65536"),
    ("resources: { gpus: \"${{ inputs.n }}\" }", "fixed before the run starts"),
    ("resources: { memory: \"${{ atempt * 8 }}GiB\" }", "did you mean 'attempt'?"),
    ("resources: { memory: \"${{ attempt + 8 }}GiB\" }", "multiply 'attempt'"),
    ("resources: { memory: \"${{ attempt * 8 }}\" }, retry: { attempts: 3 }", "and is '8' at attempt 1; write 8GiB or"),
    ("resources: { gpus: \"${{ attempt * 30000 }}\" }, retry: { attempts: 3 }", "and is '90000' at attempt 3"),
    ("cpus: 4", "write 'resources: { cpus: 4 }'"),
    ("mem: 8G", "write 'resources: { memory: 8GiB }'"),
    ("gpu: 1", "write 'resources: { gpus: 1 }'"),
    ("resources: { cpus: 2 }, queue: main", "it runs on the main thread"),
  ])
  func `a mistake in resources is reported with the correct form`(text: String, expected: String) {
    #expect(message(text).contains(expected), "\(text): \(message(text))")
  }

  @Test func `a request can grow with each attempt`() {
    func requests(_ text: String) -> [Int: MachineResources] {
      let options = step(text).graph?.workflow.steps[0].options
      return Dictionary(uniqueKeysWithValues: options?.requests.map { ($0.attempt, $0.request) } ?? [])
    }
    let memory = "resources: { cpus: 2, memory: \"${{ attempt * 8 }}GiB\" }"
    #expect(
      requests(memory + ", retry: { attempts: 3 }") == [
        1: MachineResources(cpus: 2, memoryBytes: 8 << 30), 2: MachineResources(cpus: 2, memoryBytes: 16 << 30),
        3: MachineResources(cpus: 2, memoryBytes: 24 << 30),
      ])
    #expect(requests(memory) == [1: MachineResources(cpus: 2, memoryBytes: 8 << 30)])
    let options = step(memory + ", retry: { attempts: 2 }").graph?.workflow.steps[0].options
    // Lost attempts count as well, up to a total of four without --lost-attempts.
    #expect(options?.request(ofAttempt: 9)?.memoryBytes == 32 << 30)
    #expect(
      requests("resources: { cpus: \"${{ case(attempt == 1, 1, 4) }}\" }, retry: { attempts: 5 }") == [
        1: MachineResources(cpus: 1), 2: MachineResources(cpus: 4),
      ])
  }

  private static let both =
    "resources: { cpus: 1 }, retry: { attempts: 3, on: [timed-out] }, executor: { slurm: { "
    + "time: \"${{ attempt * 30 }}m\", partition: \"${{ case(attempt < 3, 'short', 'long') }}\" } }"

  @Test func `the time limit and the partition of a Slurm job can change with the attempt`() {
    let result = job(Self.both)
    #expect(result.diagnostics.isEmpty, "\(result.diagnostics)")
    let options = result.graph?.workflow.steps[0].options
    #expect(options?.executor == "slurm,time=30m,partition=short")
    func change(_ attempt: Int) -> ClusterJob? { options?.request(ofAttempt: attempt)?.job }
    #expect(change(1) == nil)
    #expect(change(2) == ClusterJob(timeLimit: .seconds(3600)))
    #expect(change(3) == ClusterJob(timeLimit: .seconds(5400), partition: "long"))
    // A fourth attempt is possible only if one of the three was lost. Higher numbers have the same values.
    #expect(change(9) == ClusterJob(timeLimit: .seconds(7200), partition: "long"))
    #expect(
      options?.requests.map { $0.request.text() } == [
        "1 cpu", "1 cpu for at most 1h", "1 cpu in the partition 'long' for at most 1h30m",
      ])
  }

  @Test(arguments: [
    ("executor: { slurm: { time: \"${{ attempt * 2 }}h\" } }", "gives each attempt a job of its own"),
    (
      "resources: { cpus: 1 }, executor: { slurm: { time: \"${{ attempt * 2 }}x\" } }",
      "time=2x is not a duration"
    ),
    (
      "resources: { cpus: 1 }, retry: { attempts: 2 }, executor: { slurm: { time: \"${{ case(attempt == 1, '1h', 'x') }}\" } }",
      "time=x is not a duration"
    ),
    (
      "resources: { cpus: 1 }, executor: { slurm: { time: \"${{ inputs.hours }}h\" } }", "choose by it with case()"
    ),
    ("resources: { cpus: 1 }, executor: { slurm: { qos: \"${{ attempt }}\" } }", "may read 'attempt'"),
    ("resources: { cpus: 1 }, executor: \"slurm,time=${{ attempt }}h\"", "cannot be an expression"),
    (
      "resources: { cpus: 1 }, executor: { slurm: { partition: \"p${{ attempt }}\", nodelist: \"node[1-3]\" } }",
      "use 'constraint' in place of 'nodelist'"
    ),
  ])
  func `an invalid expression in an executor option is reported`(text: String, expected: String) {
    let diagnostics = job(text).diagnostics
    #expect(diagnostics.count == 1, "\(text): \(diagnostics.map(\.message))")
    let message = diagnostics.first.map { "\($0.message); \($0.help ?? "")" } ?? ""
    #expect(message.contains(expected), "\(text): \(message)")
  }

  @Test func `executor options in the defaults cannot change with the attempt`() {
    let text =
      "name: x\ndefaults: { executor: { slurm: { time: \"${{ attempt }}h\" } } }\nsteps: { a: { uses: flow.noop } }\n"
    let diagnostics = load(text).diagnostics
    #expect(
      diagnostics.map(\.message) == [
        "time of slurm of defaults.executor is known before the run starts and cannot be an expression"
      ])
  }

  @Test func `the number of attempts can come from the defaults`() {
    let result = load(
      """
      name: x
      defaults: { retry: { attempts: 2 } }
      steps:
        a: { uses: flow.noop, resources: { cpus: "${{ attempt * 3 }}" } }
      """)
    #expect(result.graph?.workflow.steps[0].options.laterRequests.first == MachineResources(cpus: 6))
  }

  @Test(arguments: [
    (1 << 30, "1GiB"), (512 << 20, "512MiB"), (1536 << 20, "1536MiB"), (25_174_728 << 10, "24GiB"), (0, "0"),
    (1 << 50, "1024TiB"), (1_000, "1000 bytes"),
  ])
  func `memory is formatted in the largest unit with a whole number, or rounded down`(bytes: Int, text: String) {
    #expect(MemoryText.format(bytes) == text)
  }
}
