"""Real broker processes: noida-db, which has transactions, and the program's own `checkout broker`, which has rebalances."""

import ctypes
import pathlib
import shutil
import signal
import socket
import subprocess
import time
from importlib.resources import files

from confluent_kafka.admin import AdminClient, NewTopic

TOPICS = ["requests", "validated", "pending", "outcomes", "rejections", "dead-letters"]
PROPERTIES = {"receive.message.max.bytes": 2_000_000_000}  # noida-db ignores limits on the size of a fetch


def with_parent():
    """A child ends with us, and has no signal blocked."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])


def wait_until(what, condition, seconds, pause=0.02):
    """Waits for a condition; what it gave."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited {seconds} s in vain for {what}")
        time.sleep(pause)


class Noida:
    """A broker with transactions. It keeps its data over a clean restart."""

    transactions = True
    properties = PROPERTIES

    def __init__(self, folder, partitions, sizes=None):
        sizes = sizes or {}
        self.data = pathlib.Path(folder) / "broker"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"127.0.0.1:{self.port}"
        self.start()
        admin = AdminClient({"bootstrap.servers": self.address, **PROPERTIES, "log_level": 2})
        for future in admin.create_topics([NewTopic("checkout." + name, sizes.get(name, partitions), 1) for name in TOPICS]).values():
            future.result(20)

    def start(self):
        # The package's file may not be executable.
        program = files("noida_db").joinpath("noida-db")
        copy = self.data.parent / "noida-db"
        if not copy.exists():
            shutil.copy(str(program), copy)
            copy.chmod(0o755)
        self.process = subprocess.Popen(
            [copy, "start", "--data-dir", self.data, "--host", "127.0.0.1", "--only", "kafka", "--kafka-port",
             str(self.port)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=with_parent)
        wait_until("noida-db", self.answers, 30)

    def answers(self):
        if self.process.poll() is not None:
            raise RuntimeError("noida-db has ended")
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def stop(self):
        self.process.terminate()
        self.process.wait(20)

    def kill(self):
        self.process.kill()
        self.process.wait()


class Mock:
    """librdkafka's mock cluster: rebalances and take-overs; no transactions."""

    transactions = False
    properties = {}

    def __init__(self, program, partitions):
        self.process = subprocess.Popen(
            [program, "broker", "--partitions", str(partitions)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            preexec_fn=with_parent)
        self.address = self.process.stdout.readline().decode().strip()

    def kill(self):
        self.process.kill()
        self.process.wait()
