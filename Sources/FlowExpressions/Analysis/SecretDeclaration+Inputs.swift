import FlowModel

extension SecretDeclaration {
  /// Returns the source of the secret after evaluating its expressions with these inputs. `texts` are the parsed
  /// strings of the secret's workflow.
  package func source(inputs: ValueObject, _ texts: WorkflowTexts) throws(ExpressionError) -> Source {
    switch source {
    case .environment(let name): return .environment(try Self.text(name, inputs, texts))
    case .file(let path): return .file(try Self.text(path, inputs, texts))
    case .command(let words):
      var evaluated: [String] = []
      for word in words { evaluated.append(try Self.text(word, inputs, texts)) }
      return .command(evaluated)
    }
  }

  private static func text(
    _ text: String, _ inputs: ValueObject, _ texts: WorkflowTexts
  ) throws(ExpressionError) -> String {
    guard Template.containsExpression(text) else { return text }
    let value = try texts.template(text).evaluate(in: FixedContext(["inputs": .object(inputs)]))
    switch value {
    case .array, .object:
      throw ExpressionError(
        .evaluation, "expected a text, found \(value.shortText)", offset: 0, length: text.utf8.count)
    default: return value.expressionText
    }
  }
}

extension Workflow {
  /// Returns the names of the environment variables from which a run with these inputs takes secrets. A name that
  /// cannot be evaluated is left out.
  package func secretVariables(inputs: ValueObject) -> Set<String> {
    Set(
      secrets.compactMap { secret in
        if case .environment(let name)? = try? secret.source(inputs: inputs, texts) { name } else { nil }
      })
  }
}
