import FlowDiagnostics
import FlowModel
import Testing

@testable import FlowSyntax

/// The Slurm options of a step in a workflow file.
struct ExecutorKeyTests {
  static let catalog = {
    var catalog = TestCatalog.standard
    for index in catalog.declarations.indices { catalog.declarations[index].isPortable = true }
    return catalog
  }()

  private func step(_ text: String) -> LoadResult {
    load("name: x\nsteps:\n  a: { run: 'true', \(text) }\n", catalog: Self.catalog)
  }

  private func address(_ text: String) -> String? { step(text).graph?.workflow.steps[0].options.executor }

  @Test func `the Slurm options of a step are converted to an address`() {
    #expect(
      address(
        "executor: { slurm: { slots: 4, partition: 'a,b', time: 2-00:00:00, mem: 4GiB, gres: 'gpu:1,lustre:2', per-node: 2 } }"
      ) == "slurm=4,partition=a,b,time=2-00:00:00,mem=4GiB,gres=gpu:1,lustre:2,per-node=2")
    #expect(
      address("executor: { slurm: { options: ['--licenses=a:1,b:2', --contiguous] } }")
        == "slurm,srun.licenses=a:1,b:2,srun.contiguous")
  }

  @Test(arguments: [
    ("{ slrum: { partition: a } }", "has no key 'slrum'; did you mean 'slurm'?"),
    ("{ partition: a }", "write 'executor: { slurm: { partition: … } }'"),
    ("{ workers: 4 }", "write 'executor: workers=4'"),
    ("{}", "executor of step 'a' is empty"),
    ("{ slurm: {} }", "slurm of executor of step 'a' is empty"),
    ("{ slurm: short }", "must be a mapping"),
    ("{ slurm: { partion: a } }", "did you mean 'partition'?"),
    ("{ slurm: { walltime: 1h } }", "write 'time'"),
    ("{ slurm: { cpus: 4 } }", "'resources: { cpus: 4, memory: 8GiB, gpus: 1 }'"),
    ("{ slurm: { array: 0-9 } }", "flowrun sets '--array' itself"),
    ("{ slurm: { slots: 0 } }", "must be from 1 to 10000, found 0"),
    ("{ slurm: { time: 90 } }", "write it in quotes"),
    ("{ slurm: { time: '90' } }", "time=90 is not a duration"),
    ("{ slurm: { time: '1:2:3:4' } }", "Slurm's forms are H:MM:SS and D-HH:MM:SS"),
    ("{ slurm: { mem: 4Q } }", "mem=4Q is not an amount of memory"),
    ("{ slurm: { mem: -1G } }", "mem=-1G is not an amount of memory"),
    ("{ slurm: { gres: 'gpu:' } }", "gres=gpu: does not name devices"),
    ("{ slurm: { account: 'a b' } }", "account=a b has a space in it"),
    ("{ slurm: { partition: '' } }", "a value is missing"),
    ("{ slurm: { options: --x } }", "must be a list of at least one option"),
    ("{ slurm: { options: [-x] } }", "'-x' is not an option"),
    ("{ slurm: { options: [--nodes=2] } }", "'--nodes' cannot be given: flowrun needs srun's '--nodes' itself"),
    ("{ slurm: { options: [--array=0-3] } }", "'--array' cannot be given"),
    ("{ slurm: { options: [--partition=a] } }", "'--partition' is an option of flowrun; write 'partition=…'"),
    ("{ slurm: { options: ['--licenses=a:1,b=c'] } }", "has a comma with NAME=VALUE after it"),
    ("{ slurm: { mem: 4G, options: [--mem-per-cpu=2G] } }", "both say how much memory"),
    (
      "{ slurm: { mem: 4G } }, resources: { memory: 4GiB }",
      "says how much memory it takes in 'resources' and in 'executor'"
    ),
  ])
  func `a mistake in an executor is reported with the correct form`(executor: String, expected: String) {
    let diagnostics = step("executor: \(executor)").diagnostics
    #expect(diagnostics.count == 1, "\(executor): \(diagnostics.map(\.message))")
    let message = diagnostics.first.map { "\($0.message); \($0.help ?? "")" } ?? ""
    #expect(message.contains(expected), "\(executor): \(message)")
  }

  @Test(arguments: [
    ("30:00", 1_800), ("1:30:00", 5_400), ("2-00:00:00", 172_800), ("1-12", 129_600), ("1-0:30", 88_200),
    ("90m", 5_400),
  ])
  func `a Slurm time limit can be a flowrun duration or use one of Slurm's formats`(text: String, seconds: Int) throws {
    #expect(try ExecutorAddress("slurm=1,time=\(text)").timeLimit == .seconds(seconds))
  }

  @Test func `executor options that a step does not set come from the command line or the defaults`() throws {
    let text = """
      name: x
      defaults: { executor: { slurm: { slots: 3, account: one, mem: 1G } } }
      steps:
        a: { run: 'true', executor: { slurm: { partition: long, options: [--mem-per-cpu=2G] } } }
        b: { run: 'true', executor: 'slurm=1' }
        c: { run: 'true' }
      """
    let workflow = try #require(load(text, catalog: Self.catalog).graph?.workflow)
    func addresses(_ on: String?) -> [String] { StepPlacement(workflow, Self.catalog, on: on).addresses }
    #expect(
      addresses(nil) == [
        "slurm=3,partition=long,srun.mem-per-cpu=2G,account=one", "slurm=1", "slurm=3,account=one,mem=1G",
      ])
    #expect(addresses("slurm=9,qos=high").first == "slurm=9,partition=long,srun.mem-per-cpu=2G,qos=high")
    #expect(addresses("workers=2").first == "slurm,partition=long,srun.mem-per-cpu=2G")
  }

  @Test func `an executor address without slots gets one slot per step, and more for a fan-out`() throws {
    let address = try ExecutorAddress("slurm,partition=long")
    var plain = StepOptions()
    #expect(address.counting([plain, plain]).slots == 2)
    plain.fanOut = FanOut(.items([1, 2, 3]))
    #expect(address.counting([plain]).slots == 8)
    plain.fanOut?.parallel = 5
    #expect(address.counting([plain]).slots == 5)
    plain.fanOut?.parallel = nil
    plain.request = MachineResources()
    #expect(address.counting([plain]).slots == 50)
    #expect(try ExecutorAddress("slurm=2").counting([plain]).slots == 2)
  }
}
