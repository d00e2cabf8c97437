import FlowSyntax
import Testing

struct ExecutorAddressTests {
  @Test func `an executor's address consists of a name, a number of slots and options`() throws {
    let address = try ExecutorAddress("slurm=8,partition=short,time=1h")
    #expect(address.name == "slurm")
    #expect(address.slots == 8)
    #expect(address["partition"] == "short")
    #expect(address["time"] == "1h")
    #expect(address["worker"] == nil)
  }

  @Test func `an executor's address may contain lists with commas, and options that are passed to srun`()
    throws
  {
    let address = try ExecutorAddress(
      "slurm=8,nodelist=node[1,3-4],gpu1,exclude=node3,gres=gpu:2,lustre:1,mem=4G,srun.licenses=a:1,b:2,srun.contiguous"
    )
    #expect(address["nodelist"] == "node[1,3-4],gpu1")
    #expect(address["exclude"] == "node3")
    #expect(address["gres"] == "gpu:2,lustre:1")
    #expect(address["mem"] == "4G")
    #expect(address.passedThrough == ["--licenses=a:1,b:2", "--contiguous"])
  }

  @Test(arguments: [
    ("srun.nodes=2", "'srun.nodes' cannot be given: flowrun needs srun's '--nodes' itself"),
    ("srun.job-n=x", "'srun.job-n' cannot be given: flowrun needs srun's '--job-name' itself"),
    ("srun.label", "'srun.label' cannot be given: flowrun needs srun's '--label' itself"),
    ("srun.export=ALL", "'srun.export' cannot be given: flowrun needs srun's '--export' itself"),
    ("srun.partition=a", "'srun.partition' is an option of flowrun"),
    ("srun.mem=4G", "'srun.mem' is an option of flowrun"),
    ("srun.=x", "'srun.' does not name an option of srun"),
    ("srun.-x", "'srun.-x' does not name an option of srun"),
    ("partion=a", "'slurm' has no option 'partion'"),
  ])
  func `invalid options for srun, such as those that flowrun sets itself, are rejected`(option: String, message: String)
  {
    #expect {
      _ = try ExecutorAddress("slurm=2,\(option)")
    } throws: { error in
      (error as? ExecutorAddress.AddressProblem)?.message == message
    }
  }

  @Test func `the address of an executor plugin is kept unchanged`() throws {
    let address = try ExecutorAddress("dask=tcp://head:8786")
    #expect(address.name == "dask")
    #expect(address.value == "tcp://head:8786")
  }

  @Test(arguments: [
    ("workers=0", "'0' is not a number of slots from 1 to 10000"),
    ("workers=10001", "'10001' is not a number of slots from 1 to 10000"),
    ("workers", "'workers' needs the number of its slots"),
    ("workers=2,proceses=1", "'workers' has no option 'proceses'"),
    ("slurm=2,time=soon", "time=soon is not a duration"),
    ("slurm=2,partition", "'partition' is not an option of an executor"),
    ("slurm=2,qos=a,qos=b", "the option 'qos' is given twice"),
    ("local=1", "'local' takes no value"),
    ("", "'' does not start with the name of an executor"),
    ("Slurm=2", "'Slurm=2' does not start with the name of an executor"),
  ])
  func `an error explains why an executor address is invalid`(text: String, message: String) {
    #expect {
      _ = try ExecutorAddress(text)
    } throws: { error in
      (error as? ExecutorAddress.AddressProblem)?.message == message
    }
  }

  @Test(arguments: ["workers=1", "workers=10000"])
  func `an address accepts the smallest and largest slot counts`(text: String) throws { _ = try ExecutorAddress(text) }
}
