import FlowModel
import Synchronization

/// The strings of a workflow file in their parsed form. Each is parsed once, usually by the check of the file, and the
/// workflow carries the result to the run. An invalid string is kept with its error.
package final class ExpressionTable: ParsedExpressions {
  private enum Form: Hashable {
    case template, condition, resources
  }

  private struct Key: Hashable {
    var text: ByteName
    var form: Form
  }

  private enum Entry: Sendable {
    case template(Template)
    case condition(offset: Int, Expression)
    case invalid(ExpressionError)
  }

  private let entries = Mutex<[Key: Entry]>([:])

  package init() {}

  fileprivate func template(_ text: String, _ dialect: TemplateDialect) throws(ExpressionError) -> Template {
    let key = Key(text: ByteName(text), form: dialect == .workflow ? .template : .resources)
    switch entries.withLock({ $0[key] }) {
    case .template(let template)?: return template
    case .invalid(let error)?: throw error
    case .condition?, nil: break
    }
    do throws(ExpressionError) {
      let template = try Template(parsing: text, dialect: dialect.dialect)
      entries.withLock { $0[key] = .template(template) }
      return template
    } catch {
      entries.withLock { $0[key] = .invalid(error) }
      throw error
    }
  }

  fileprivate func condition(_ text: String) throws(ExpressionError) -> (offset: Int, expression: Expression) {
    let key = Key(text: ByteName(text), form: .condition)
    switch entries.withLock({ $0[key] }) {
    case .condition(let offset, let expression)?: return (offset, expression)
    case .invalid(let error)?: throw error
    case .template?, nil: break
    }
    do throws(ExpressionError) {
      let (offset, expression) = try Expression.condition(text)
      entries.withLock { entries in
        entries[key] = .condition(offset: offset, expression)
        // Workflows have conditions without `${{ }}`.
        guard !Template.containsExpression(expression.source) else { return }
        entries[Key(text: ByteName(expression.source), form: .condition)] = .condition(offset: 0, expression)
      }
      return (offset, expression)
    } catch {
      entries.withLock { $0[key] = .invalid(error) }
      throw error
    }
  }
}

/// The dialects of strings in workflow files.
package enum TemplateDialect: Sendable {
  case workflow, resources

  fileprivate var dialect: ExpressionDialect { self == .workflow ? .workflow : .resources }
}

/// Returns the parsed form of a workflow's strings. Without an ``ExpressionTable``, each request parses.
package struct WorkflowTexts: Sendable {
  private let table: ExpressionTable?

  fileprivate init(_ table: ExpressionTable?) { self.table = table }

  /// Returns a string as a template. Throws the error of its first invalid expression.
  package func template(
    _ text: String, dialect: TemplateDialect = .workflow
  ) throws(ExpressionError) -> Template {
    // A string without expressions is not parsed, so it is not kept either.
    guard let table, Template.containsExpression(text) else {
      return try Template(parsing: text, dialect: dialect.dialect)
    }
    return try table.template(text, dialect)
  }

  /// Returns an `if`, `enabled` or `defer` as an expression, and its offset in the string. See
  /// ``Expression/condition(_:dialect:)``.
  package func condition(_ text: String) throws(ExpressionError) -> (offset: Int, expression: Expression) {
    guard let table else { return try Expression.condition(text) }
    return try table.condition(text)
  }
}

extension Workflow {
  /// The parsed form of the workflow's strings.
  package var texts: WorkflowTexts { WorkflowTexts(parsedExpressions as? ExpressionTable) }
}
