// `checkout config`: what is set, and by whom.

import Operations

/// Prints the settings in force.
struct ConfigCommand {
  private let context: CommandContext

  init(_ context: CommandContext) {
    self.context = context
  }

  func run() -> ExitCode {
    let text =
      context.isJSON ? context.settings.json() : context.settings.table(columns: context.output.columns)
    context.output.write(text)
    return .ok
  }
}
