// The program: reads the command line, runs the command, ends with its exit code.

import Glibc
import Operations

keepFreedMemory()
let ending = CommandLineProgram().run(Array(CommandLine.arguments.dropFirst()))
// Not `exit`: a Kafka client that could not be ended in time may still have a thread inside a call, and cleaning libraries
// up under it can crash or hang. Nothing of ours is buffered.
_exit(ending.rawValue)
