import Testing

@testable import FlowSystem

/// Parses answers to requests over plain HTTP.
struct `A server's response` {
  private func answer(_ text: String, isEnded: Bool = false) -> PlainRequest.Answer? {
    PlainRequest.answer(in: Array(text.utf8), isEnded: isEnded)
  }

  private func body(_ answer: PlainRequest.Answer?) -> String? {
    answer.map { String(decoding: $0.body, as: UTF8.self) }
  }

  @Test func `a server's response ends after the announced number of bytes, or when the connection ends`() {
    let head = "HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\n"
    #expect(answer(head + "ab") == nil)
    #expect(body(answer(head + "abc")) == "abc")
    #expect(body(answer(head + "ab", isEnded: true)) == "ab")
    #expect(answer("HTTP/1.1 204 No Content\r\n\r\n") == nil)
    #expect(answer("HTTP/1.0 204 No Content\r\n\r\n", isEnded: true)?.status == 204)
  }

  @Test func `a server's response is assembled from chunks`() {
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    #expect(answer(head + "3\r\nabc\r\n") == nil)
    #expect(body(answer(head + "3;x=y\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n")) == "abc0123456789")
    #expect(body(answer(head + "F\r\nab", isEnded: true)) == "ab")
  }

  @Test func `the seconds in Retry-After are read, and a date is ignored`() {
    #expect(answer("HTTP/1.1 503 Busy\r\nRetry-After: 7\r\n\r\n", isEnded: true)?.retryAfterSeconds == 7)
    #expect(
      answer("HTTP/1.1 503 Busy\r\nRetry-After: Mon, 23 Nov 2026 18:00:00 GMT\r\n\r\n", isEnded: true)?
        .retryAfterSeconds == nil)
  }

  @Test(arguments: ["", "SSH-2.0-OpenSSH_9.2\r\n", "HTTP/2 200\r\n\r\n", "HTTP/1.1\r\n\r\n", "HTTP/1.1 x\r\n\r\n"])
  func `a response that is not HTTP/1.1 counts as missing`(text: String) { #expect(answer(text, isEnded: true) == nil) }
}
