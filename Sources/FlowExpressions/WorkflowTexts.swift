import FlowModel
import Synchronization

/// The strings of a workflow file in parsed form. Each string is parsed once, usually when the file is checked. The
/// workflow carries the table, so that a run need not parse them again. For an invalid string, the table contains the
/// error.
package final class ExpressionTable: ParsedExpressions {
  private enum Form: UInt8 {
    case template, condition, resources
  }

  private enum Parsed: Sendable {
    case template(Template)
    case condition(offset: Int, Expression)
    case invalid(ExpressionError)
  }

  /// A hash table. `Dictionary` is not used because creating a new type of dictionary in a process takes longer than
  /// parsing a few expressions (decision 9).
  private struct Items: Sendable {
    private struct Item: Sendable {
      let text: String
      let form: Form
      let parsed: Parsed
    }

    private var items: [Item] = []
    /// For each slot, the number of an item counted from 1, or 0 if the slot is free. The number of slots is a power of
    /// 2. At least half of the slots are free.
    private var slots: [Int32] = []

    subscript(text: String, form: Form) -> Parsed? {
      if slots.isEmpty { return nil }
      var slot = slot(of: text, form)
      while slots[slot] != 0 {
        let item = items[Int(slots[slot]) - 1]
        if item.form == form, item.text.hasSameBytes(as: text) { return item.parsed }
        slot = (slot + 1) & (slots.count - 1)
      }
      return nil
    }

    mutating func add(_ text: String, _ form: Form, _ parsed: Parsed) {
      guard self[text, form] == nil else { return }
      items.append(Item(text: text, form: form, parsed: parsed))
      guard 2 * items.count > slots.count else { return place(items.count) }
      slots = [Int32](repeating: 0, count: max(16, 2 * slots.count))
      for number in 1...items.count { place(number) }
    }

    private mutating func place(_ number: Int) {
      var slot = slot(of: items[number - 1].text, items[number - 1].form)
      while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = Int32(number)
    }

    private func slot(of text: String, _ form: Form) -> Int {
      var hasher = Hasher()
      ByteName(text).hash(into: &hasher)
      hasher.combine(form.rawValue)
      return hasher.finalize() & (slots.count - 1)
    }
  }

  private let items = Mutex(Items())

  package init() {}

  fileprivate func template(_ text: String, _ dialect: TemplateDialect) throws(ExpressionError) -> Template {
    let form: Form = dialect == .workflow ? .template : .resources
    switch items.withLock({ $0[text, form] }) {
    case .template(let template)?: return template
    case .invalid(let error)?: throw error
    case .condition?, nil: break
    }
    do throws(ExpressionError) {
      let template = try Template(parsing: text, dialect: dialect.dialect)
      items.withLock { $0.add(text, form, .template(template)) }
      return template
    } catch {
      items.withLock { $0.add(text, form, .invalid(error)) }
      throw error
    }
  }

  fileprivate func condition(_ text: String) throws(ExpressionError) -> (offset: Int, expression: Expression) {
    switch items.withLock({ $0[text, .condition] }) {
    case .condition(let offset, let expression)?: return (offset, expression)
    case .invalid(let error)?: throw error
    case .template?, nil: break
    }
    do throws(ExpressionError) {
      let (offset, expression) = try Expression.condition(text)
      items.withLock { items in
        items.add(text, .condition, .condition(offset: offset, expression))
        // In a workflow, conditions are stored without `${{ }}`.
        guard !Template.containsExpression(expression.source) else { return }
        items.add(expression.source, .condition, .condition(offset: 0, expression))
      }
      return (offset, expression)
    } catch {
      items.withLock { $0.add(text, .condition, .invalid(error)) }
      throw error
    }
  }
}

/// The dialects of the strings in a workflow file.
package enum TemplateDialect: Sendable {
  case workflow, resources

  fileprivate var dialect: ExpressionDialect { self == .workflow ? .workflow : .resources }
}

/// Returns strings of a workflow in parsed form. Without an ``ExpressionTable``, each call parses its string.
package struct WorkflowTexts: Sendable {
  private let table: ExpressionTable?

  fileprivate init(_ table: ExpressionTable?) { self.table = table }

  /// Returns a string as a template. Throws the error of the first invalid expression in the string.
  package func template(
    _ text: String, dialect: TemplateDialect = .workflow
  ) throws(ExpressionError) -> Template {
    // A string without expressions needs no parsing, so the table does not contain it.
    guard let table, Template.containsExpression(text) else {
      return try Template(parsing: text, dialect: dialect.dialect)
    }
    return try table.template(text, dialect)
  }

  /// Returns the value of `if`, `enabled` or `defer` as an expression with its offset in the string. See
  /// ``Expression/condition(_:dialect:)``.
  package func condition(_ text: String) throws(ExpressionError) -> (offset: Int, expression: Expression) {
    guard let table else { return try Expression.condition(text) }
    return try table.condition(text)
  }
}

extension Workflow {
  /// The strings of the workflow in parsed form.
  package var texts: WorkflowTexts { WorkflowTexts(parsedExpressions as? ExpressionTable) }
}
