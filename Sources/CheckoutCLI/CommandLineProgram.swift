// From arguments to a command and back to an exit code. Every error ends here, as one line and what to do.

import Glibc
import Operations

/// The `checkout` program.
struct CommandLineProgram {
  private let output: Terminal
  private let errors: Terminal
  private let environment: [String: String]

  init() {
    environment = ProcessEnvironment.read()
    output = Terminal(.output, environment: environment)
    errors = Terminal(.errors, environment: environment)
  }

  /// Runs one command.
  func run(_ arguments: [String]) -> ExitCode {
    do throws(Problem) {
      switch try ArgumentParser(Commands.table).parse(arguments) {
      case .help(let text):
        output.write(text)
        return arguments.isEmpty ? .usage : .ok
      case .command(let command):
        return try run(command)
      }
    } catch {
      report(error)
      return error.exitCode
    }
  }

  private func run(_ command: ParsedCommand) throws(Problem) -> ExitCode {
    let context = try CommandContext(command: command, output: output, errors: errors, environment: environment)
    switch command.name {
    case "demo": return try DemoCommand(context).run()
    case "run": return try RunCommand(context).run()
    case "submit": return try SubmitCommand(context).run()
    case "simulate": return try SimulateCommand(context).run()
    case "broker": return try BrokerCommand(context).run()
    case "topics create": return try TopicsCommand(context).create()
    case "topics check": return try TopicsCommand(context).check()
    case "journal purge": return try JournalPurgeCommand(context).run()
    case "migrate": return try MigrateCommand(context).run()
    case "verify": return try VerifyCommand(context).run()
    case "parked list": return try ParkedCommand(context).list()
    case "parked show": return try ParkedCommand(context).show()
    case "parked retry": return try ParkedWordCommand(context, resolves: false).run()
    case "parked resolve": return try ParkedWordCommand(context, resolves: true).run()
    case "dead-letters list": return try DeadLettersCommand(context).list()
    case "dead-letters show": return try DeadLettersCommand(context).show()
    case "dead-letters redrive": return try RedriveCommand(context).run()
    case "config": return ConfigCommand(context).run()
    default: throw .usage("unknown command \(command.name)", remedy: "see: checkout help")
    }
  }

  private func report(_ problem: Problem) {
    errors.write("\(errors.styled("checkout:", .bad)) \(problem.description)\n")
  }
}
