// The program: reads the command line, runs the command, ends with its exit code.

import Glibc
import Operations

let ending = CommandLineProgram().run(Array(CommandLine.arguments.dropFirst()))
exit(ending.rawValue)
