import FlowModel
import Foundation
import Testing

@testable import FlowExecutors

@Suite(.timeLimit(.minutes(10))) struct WorkerOutputTests {
  private let pipe = Pipe()
  private var output: WorkerOutput {
    WorkerOutput(file: pipe.fileHandleForWriting.fileDescriptor) { Issue.record("nobody reads") }
  }

  private func piece() -> [String] {
    String(decoding: pipe.fileHandleForReading.availableData, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test func `a worker writes the messages before a response in order, and then the response`() {
    let output = output
    for id in 1...20 {
      output.notify("started", ["id": .integer(id)])
      output.notify("log", ["id": .integer(id), "message": "x"])
      output.answer(id, ["outputs": [:]])
      var lines: [String] = []
      while lines.count < 3 { lines += piece() }
      #expect(
        lines.map { $0.contains("started") ? "started" : $0.contains("log") ? "log" : "answer" }
          == ["started", "log", "answer"])
    }
  }

  @Test func `on a network, a worker requests a receipt for a message that precedes a response`() {
    let output = output
    output.askForReceipts()
    output.notify("started", ["id": 1])
    let lines = piece()
    #expect(lines.count == 2 && lines.last == #"{"jsonrpc":"2.0","method":"receipt"}"#, "\(lines)")
    output.answer(1, [:])
    #expect(piece().count == 1)
  }

  @Test func `a worker writes a message even if no response follows`() {
    output.notify("progress", ["id": 1, "fraction": 0.5])
    #expect(piece().count == 1)
  }
}
