import Testing

@testable import FlowCLI

struct `Arguments of a run` {
  private static let understood = [
    "w.yaml", "run w.yaml", "./folder/w", "w.yaml a b", "--no-needs w.yml test", "--json w.yaml",
    "w.yaml --json --strict", "--quiet w.yaml",
    "w.yaml --verbose",
    "run --strict w.yaml",
    "w.yaml -i a=1 -i b=@x.json --input c=", "-i a=b=c w.yaml", "w.yaml --launch user", "w.yaml --launch url=@o.json",
    "w.yaml --event a@1s --event b@2s", "w.yaml --prewarm 2s", "w.yaml --report r.json --trace t.json --data d",
    "--plugin-dir p w.yaml --plugin-dir q.d",
  ]

  @Test(arguments: understood) func `both parsers read the arguments of a run in the same way`(text: String) throws {
    let words = text.split(separator: " ").map(String.init)
    let command = try #require(try FlowCommand.parseAsRoot(words) as? RunCommand)
    let parsed = try command.request
    #expect(PlainRunArguments.request(words) == parsed)
  }

  @Test(
    arguments: [
      "", "run", "w", "w.flow", "w.yaml a -- b", "--help", "w.yaml -h", "--version", "validate w.yaml", "w.yaml --jsn",
      "w.yaml --report=r.json", "w.yaml --report", "w.yaml --report --json", "w.yaml --data a --data b", "w.yaml -ia=1",
      "-- w.yaml", "w.yaml -",
    ]) func `the fast parser leaves uncommon arguments to the argument parser`(text: String)
  {
    #expect(PlainRunArguments.request(text.split(separator: " ").map(String.init)) == nil)
  }
}
