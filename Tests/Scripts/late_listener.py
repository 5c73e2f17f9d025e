"""An address nobody listens on until the signal USR1 comes; from then on it leads to TARGET.

    late_listener.py HOST:PORT

Prints its own address first. Ends with its parent's signal.
"""

import signal
import socket
import sys
import threading


def pump(source, target):
    try:
        while data := source.recv(65536):
            target.sendall(data)
    except OSError:
        pass
    for end in (source, target):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def main():
    host, port = sys.argv[1].rsplit(":", 1)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))  # Bound but not listening: whoever connects is refused.
    print(f"127.0.0.1:{listener.getsockname()[1]}", flush=True)
    signal.sigwait({signal.SIGUSR1})
    listener.listen()
    while True:
        near, _ = listener.accept()
        far = socket.create_connection((host, int(port)))
        for pair in ((near, far), (far, near)):
            threading.Thread(target=pump, args=pair, daemon=True).start()


if __name__ == "__main__":
    main()
