import Testing

@testable import FlowSystem

struct MakeFlagsTests {
  @Test(arguments: [
    ("", ""), ("k", "k"), (" -j4", " -j4"), (" -j4 --jobserver-auth=fifo:/tmp/x", " -j4 --jobserver-auth=fifo:/tmp/x"),
    ("k -j4 --jobserver-auth=3,4", "k"), (" -j --jobserver-fds=3,4 -- A=b", " -- A=b"), ("--jobserver-auth=3,4", nil),
    (" -j8 --jobserver-auth=3,4", nil), ("k --jobserver-auth=3,4 -l2", "k -l2"),
  ])
  func `a job server with descriptors is removed from MAKEFLAGS, including the -j option`(flags: String, rest: String?)
  {
    #expect(MakeFlags.withoutDescriptors(flags) == rest)
  }
}
