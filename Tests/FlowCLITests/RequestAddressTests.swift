import FlowCLI
import Testing

/// The addresses that a web server accepts in requests.
struct `The address of a request` {
  private func problem(_ target: String, _ hosts: [String] = ["localhost:80"]) -> String? {
    RequestAddress.problem(target: target, hosts: hosts) { $0.lowercased() == "localhost:80" }
  }

  @Test(arguments: [
    "/", "/runs/1?step=a", "http://localhost:80/", "HTTP://LOCALHOST:80", "https://localhost:80?a", "*",
  ])
  func `a path or an address of this server is accepted`(_ target: String) { #expect(problem(target) == nil) }

  @Test(arguments: [
    "http://evil.example/", "http://localhost:80@evil.example/", "http://evil.example/http://localhost:80/",
    "ftp://localhost:80/",
    "localhost:80", "", "runs/1", "http:///", "http://localhost:80.evil.example/",
  ])
  func `the address of another server is rejected`(_ target: String) {
    #expect(problem(target) == "Expected a path or an address of this server as the target.")
  }

  @Test func `a request must have no more than one Host header`() {
    #expect(problem("/", []) == nil)
    #expect(problem("/", ["localhost:80", "localhost:80"]) == "Expected one Host field, got 2.")
    #expect(problem("/", ["evil.example", "localhost:80"]) == "Expected one Host field, got 2.")
  }
}
