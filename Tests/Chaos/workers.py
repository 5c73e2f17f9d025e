"""Workers of the real program, which may be set to end by SIGKILL at a named point."""

import pathlib
import signal
import subprocess

from brokers import wait_until, with_parent
from load import PROJECT

# Where a worker can be ended; killpoint.c says what each one is.
FACADE_POINTS = [
    "polled", "create-before", "create-after", "update-before", "update-after", "journal-sync-before",
    "reserve-before", "reserve-after", "charge-before", "charge-after", "receipt-before", "receipt-after",
    "ledger-sync-before", "produce-before", "begin-after", "offsets-before", "offsets-after", "commit-before",
    "commit-inside", "commit-after",
]
VALIDATION_POINTS = [
    "polled", "produce-before", "begin-after", "offsets-before", "offsets-after", "commit-before", "commit-inside",
    "commit-after",
]
# Times short enough for a test.
SETTINGS = {
    "saga.call_timeout": "2500ms", "saga.charge_deadline": "3s",
    "saga.settle_margin": "200ms", "saga.lease": "4s", "saga.not_after_margin": "200ms", "sandbox.latency_max": "10ms",
}


def kill_library(folder):
    """Builds the library that ends workers."""
    library = pathlib.Path(folder) / "killpoint.so"
    subprocess.run(
        ["cc", "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror", "-o", library,
         PROJECT / "Tests/Chaos/killpoint.c", "-ldl"], check=True)
    return library


class Bench:
    """What the workers of one run share: program, broker, journal, ledger, a folder for their logs."""

    def __init__(self, program, broker, folder, journal=None):
        self.program = program
        self.broker = broker
        self.folder = pathlib.Path(folder)
        self.journal = journal or f"sqlite:{self.folder}/journal.db"
        self.ledger = self.folder / "ledger.db"
        self.library = kill_library(folder)
        self.started = 0
        self.running = []

    def worker(self, stage, instance="w", kill_at=None, settings=None, properties=None):
        """Starts a worker; `kill_at` is NAME:COUNT."""
        worker = Worker(self, stage, instance, kill_at, settings or {}, properties or {})
        self.running.append(worker)
        return worker

    def stop(self, workers, seconds=30):
        """Ends workers as an operator would; each has to end well."""
        for worker in workers:
            worker.process.send_signal(signal.SIGTERM)
        for worker in workers:
            code = worker.process.wait(seconds)
            if code != 0:
                raise RuntimeError(f"{worker.log} ended with {code}")

    def check(self):
        """No worker that should run has ended."""
        for worker in self.running:
            if worker.process.poll() is not None and not worker.may_end:
                raise RuntimeError(f"{worker.log} ended with {worker.process.returncode}")

    def close(self):
        for worker in self.running:
            worker.may_end = True
            if worker.process.poll() is None:
                worker.process.kill()
                worker.process.wait()


class Worker:
    """One process of `checkout run`."""

    def __init__(self, bench, stage, instance, kill_at, settings, properties):
        self.may_end = kill_at is not None
        bench.started += 1
        self.log = bench.folder / f"{bench.started:03}-{stage}-{instance}.log"
        all_settings = {**SETTINGS, "connection.instance": instance, **settings}
        all_properties = {**bench.broker.properties, **properties}
        if bench.broker.transactions:
            all_settings["connection.static_membership"] = "true"
        else:
            # The mock cluster gives a dead worker's partitions to others only when its session is over.
            all_properties = {"session.timeout.ms": 3000, "heartbeat.interval.ms": 300, **all_properties}
        arguments = [
            bench.program, "run", "--stage", stage, "--brokers", bench.broker.address, "--journal", bench.journal,
            "--gateways", f"sandbox:{bench.ledger}", "--reference", PROJECT / "samples/reference.json", "--log", "json"]
        for name, value in all_settings.items():
            arguments += ["--set", f"{name}={value}"]
        for name, value in all_properties.items():
            arguments += ["--kafka-property", f"{name}={value}"]
        environment = {"PATH": "/usr/bin:/bin"}
        if kill_at:
            environment |= {"LD_PRELOAD": str(bench.library), "CHAOS_KILL": kill_at}
        self.process = subprocess.Popen(
            arguments, stdout=subprocess.DEVNULL, stderr=self.log.open("wb"), env=environment, cwd=bench.folder,
            preexec_fn=with_parent)

    def wait_for_line(self, text, seconds=30):
        """Waits until its log has a line with this text."""
        def is_there():
            if self.process.poll() is not None and text not in self.text():
                raise RuntimeError(f"{self.log} ended with {self.process.returncode} before it said {text!r}")
            return text in self.text()
        wait_until(f"{text!r} in {self.log}", is_there, seconds)

    def text(self):
        return self.log.read_text(errors="replace")

    def kill(self):
        self.may_end = True
        self.process.kill()
        self.process.wait()

    def killed_at(self):
        """The point it was ended at; None: it lives, or was not ended there."""
        if self.process.poll() is None:
            return None
        if self.process.returncode != -signal.SIGKILL:
            raise RuntimeError(f"{self.log} ended with {self.process.returncode}")
        lines = [line for line in self.text().splitlines() if line.startswith("chaos: killed at ")]
        return lines[-1].removeprefix("chaos: killed at ") if lines else None

    def memory(self):
        """Most memory it has had, in MiB."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]) // 1024
