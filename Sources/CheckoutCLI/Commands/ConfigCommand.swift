// `checkout config`: what is set, and by whom.

import Operations

/// Prints the settings in force.
struct ConfigCommand {
  private let context: CommandContext

  init(_ context: CommandContext) {
    self.context = context
  }

  func run() -> ExitCode {
    if context.command.has("explain") {
      explain()
      return .ok
    }
    let text =
      context.isJSON ? context.settings.json() : context.settings.table(columns: context.output.columns)
    context.output.write(text)
    return .ok
  }

  /// Each setting as a paragraph: name and default, what it may be, what it means.
  private func explain() {
    for setting in context.settings.all {
      let definition = setting.definition
      let name = context.output.styled(definition.name, .strong)
      context.output.write(
        """
        \(name)  (\(definition.standard ?? "not set"))
            \(definition.help)
            may be \(SettingParser.allowed(definition.kind)); environment: \(definition.variable)

        """)
    }
  }
}
