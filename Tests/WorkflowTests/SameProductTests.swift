import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct SameProductTests {
  private func output(_ files: [String: String], _ arguments: String..., status: Int32) throws -> String {
    let folder = try WorkflowFolder(files)
    let result = try FlowrunProcess.run(arguments, in: folder.url.path)
    #expect(result.exitCode == status, "\(result)")
    return result.output + result.errors
  }

  @Test func `two steps that produce the same path cause an error before the run`() throws {
    let workflow = """
      name: w
      steps:
        a: { run: 'sleep 0.1; echo a > out.dat', produces: [out.dat] }
        b: { run: 'echo b > out.dat', produces: [out.dat] }

      """
    for arguments in [["validate", "w.yaml"], ["w.yaml"]] {
      let folder = try WorkflowFolder(["w.yaml": workflow])
      let result = try FlowrunProcess.run(arguments, in: folder.url.path)
      #expect(result.exitCode == 2, "\(result)")
      #expect((result.output + result.errors).contains("steps 'a' and 'b' both produce 'out.dat' [same-product]"))
    }
  }

  @Test func `includes and items that produce the same path as others cause an error before the run`() throws {
    let part = "name: part\nsteps: { make: { run: 'true', produces: [out.dat] } }\n"
    func text(_ steps: String) throws -> String {
      try output(["part.yaml": part, "w.yaml": "name: w\nsteps:\n" + steps], "validate", "w.yaml", status: 2)
    }
    #expect(
      try text("  a: { uses: ./part.yaml }\n  b: { run: 'true', produces: [out.dat] }\n")
        .contains("both produce 'out.dat' [same-product]"))
    #expect(
      try text("  a: { uses: ./part.yaml }\n  b: { uses: ./part.yaml }\n")
        .contains("steps 'a/make' and 'b/make' both produce 'out.dat' [same-product]"))
    #expect(
      try text("  a: { uses: ./part.yaml, foreach: [1, 2] }\n")
        .contains("step 'make' of 'part.yaml' would produce 'out.dat' for each of them"))
  }

  @Test func `two steps with conditions and the same product cause a warning, and one of them fails`() throws {
    let workflow = """
      name: w
      steps:
        a: { run: 'echo a > out.dat; sleep 0.3', if: "true", produces: [out.dat] }
        b: { run: 'true', after: go, if: "true", produces: [out.dat] }
        post: { uses: flow.post, with: { event: go } }
      events: [go]

      """
    #expect(try output(["w.yaml": workflow], "validate", "w.yaml", status: 0).contains("[doubtful-product]"))
    let text = try output(["w.yaml": workflow], "w.yaml", status: 1)
    #expect(text.contains("produces 'out.dat', too; give them different paths"), "\(text)")
  }

  @Test func `a run fails if the product paths of two steps are equal after their expressions are evaluated`() throws {
    let workflow = """
      name: w
      inputs: { n: { type: string, default: out } }
      steps:
        each: { foreach: [x, out], parallel: 1, run: 'mkdir -p d; echo 1 > "d/$N"', env: { N: "${{ item }}" }, produces: ["d/${{ item }}"] }
        b: { run: 'true', produces: ["d/${{ inputs.n }}"] }

      """
    #expect(try output(["w.yaml": workflow], "w.yaml", status: 1).contains("[same-product]"))
    #expect(try output(["w.yaml": workflow, "d/other": ""], "w.yaml", "-i", "n=other", status: 0).contains("success"))
  }

  @Test func `product paths that are equal only with default inputs cause a warning`() throws {
    let workflow = """
      name: w
      inputs: { n: { type: string, default: out.dat } }
      steps:
        a: { run: 'echo a > out.dat', produces: [out.dat] }
        b: { run: 'echo b > "$N"', env: { N: "${{ inputs.n }}" }, produces: ["${{ inputs.n }}"] }

      """
    let text = try output(["w.yaml": workflow], "validate", "w.yaml", status: 0)
    #expect(text.contains("both produce 'out.dat' with the defaults of the inputs"), "\(text)")
    #expect(try output(["w.yaml": workflow], "w.yaml", status: 1).contains("[same-product]"))
    #expect(try output(["w.yaml": workflow], "w.yaml", "-i", "n=other.dat", status: 0).contains("success"))
  }

  @Test func `a step fails if a file that matches its pattern is the product of another step`() throws {
    let workflow = """
      name: w
      steps:
        a: { run: 'mkdir -p d; echo 1 > d/a.js', produces: ["d/*.js"] }
        wait: { run: 'true', needs: a }
        b: { run: 'echo 1 > d/b.css', produces: ["d/*.css"], after: go }
        c: { run: 'true', produces: ["d/a.*"], after: go }
        post: { uses: flow.post, needs: wait, with: { event: go } }
      events: [go]

      """
    let text = try output(["w.yaml": workflow], "w.yaml", status: 1)
    #expect(text.contains("'a' produces 'd/a.js', too") && text.contains("b succeeded"), "\(text)")
  }

  @Test func `a step may produce a file again if it needs the step that produced it`() throws {
    let workflow = """
      name: w
      steps:
        a: { run: 'echo a > out.dat', produces: [out.dat] }
        b: { run: 'echo b > out.dat', needs: a, produces: [out.dat] }

      """
    #expect(
      try output(["w.yaml": workflow], "validate", "w.yaml", status: 0).contains("the earlier one is never up to date"))
    #expect(try output(["w.yaml": workflow], "w.yaml", status: 0).contains("success"))
  }

  @Test func `items fail if their workflows produce the same file`() throws {
    let text = try output(
      [
        "part.yaml": """
        name: part
        inputs: { n: { type: string } }
        steps: { make: { run: 'echo 1 > out.dat', produces: ["${{ inputs.n }}"] } }

        """,
        "w.yaml": """
        name: w
        steps: { each: { uses: ./part.yaml, foreach: [1, 2], parallel: 1, with: { n: out.dat } } }

        """,
      ], "w.yaml", status: 1)
    #expect(text.contains("'each[0]/make' produces 'out.dat', too"), "\(text)")
  }
}
