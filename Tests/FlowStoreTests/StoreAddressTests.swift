import FlowStore
import Testing

struct `A store's address in messages` {
  @Test(arguments: [
    ("postgres://ada:pass-w0rd@db/runs", "postgres://ada:***@db/runs"),
    ("postgresql://ada:pass-w0rd@db:5432/runs?sslmode=require", "postgresql://ada:***@db:5432/runs?sslmode=require"),
    ("postgres://ada@db/runs?password=pass-w0rd", "postgres://ada@db/runs?password=***"),
    ("postgres://db/runs?user=ada&password=pass-w0rd&x=1", "postgres://db/runs?user=ada&password=***&x=1"),
    ("postgres://db/runs?pass%77ord=pass-w0rd", "postgres://db/runs?pass%77ord=***"),
    ("postgres://db/runs?PASSWORD=pass-w0rd", "postgres://db/runs?PASSWORD=***"),
    ("postgres://db/runs?sslpassword=pass-w0rd", "postgres://db/runs?sslpassword=***"),
    ("postgres://ada:pass%2Dw0rd@db/runs", "postgres://ada:***@db/runs"),
    ("postgres://ada:pass-w0rd@x@db/runs", "postgres://ada:***@db/runs"),
    ("postgres://ada:pass/w0rd@db/runs", "postgres://ada:***@db/runs"),
    ("postgres://ada:pass?w0rd@db/runs", "postgres://ada:***@db/runs"),
    ("host=db password=pass-w0rd dbname=runs", "host=db password=*** dbname=runs"),
    ("host=db password = 'pass \\' w0rd' dbname=runs", "host=db password = '***' dbname=runs"),
    ("mysql://ada:pass-w0rd@db/runs", "mysql://ada:***@db/runs"),
    ("ada:pass-w0rd@db/runs", "ada:***@db/runs"),
    ("postgres://ada:\u{301}pass@db/runs", "postgres://ada:***@db/runs"),
    ("postgres://\u{301}ada:pass@\u{301}db/runs?\u{301}x=1", "postgres://\u{301}ada:***@\u{301}db/runs?\u{301}x=1"),
    ("postgres://db/runs?password=\u{301}pass&x=1", "postgres://db/runs?password=***&x=1"),
    ("host=db password=\u{301}pass dbname=runs", "host=db password=*** dbname=runs"),
    ("postgres://db:5432/runs", "postgres://db:5432/runs"),
    ("postgres:///runs?host=/tmp/socket&user=sync", "postgres:///runs?host=/tmp/socket&user=sync"),
  ])
  func `messages never contain a password, whatever form the store's address has`(address: String, shown: String) {
    #expect(StoreAddress.masked(address) == shown)
  }

  @Test func `messages never contain a password, even if a library quotes a part of the store's address`() {
    let address = "postgres://ada:pa%40ss%2Dw0rd@db/runs?password=se@cret"
    let message = StoreAddress.masked(
      "could not translate host name 'ss-w0rd'; invalid value 'pa@ss-w0rd', 'pa%40ss%2Dw0rd', 'cret' in \(address)",
      about: address)
    for part in ["w0rd", "cret", "pa@", "ss-"] { #expect(!message.contains(part), "\(message)") }
  }
}
