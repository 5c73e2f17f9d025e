"""Runs a program on a terminal of 80 columns and passes on what it showed, and its exit code.

    in_terminal.py PROGRAM [ARGUMENT…]
"""

import fcntl
import os
import pty
import struct
import sys
import termios


def main() -> int:
    child, terminal = pty.fork()
    if child == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        os.execv(sys.argv[1], sys.argv[1:])
    while True:
        try:
            shown = os.read(terminal, 65536)
        except OSError:  # Linux says so when the last writer is gone.
            break
        if not shown:
            break
        sys.stdout.buffer.write(shown)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    sys.exit(main())
