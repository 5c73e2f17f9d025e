"""Workers that come and go under load: joins, clean leaves, kill -9, and suspensions longer than the session."""

import signal
import time

from judge import Judge
from load import Load
from sender import Sender
from workers import Bench

# How a member of the group goes, and how often of ten.
WAYS = ["leave"] * 4 + ["kill"] * 3 + ["suspend"] * 3
SUSPENSION = 5.0  # longer than the session of 3 s


class Crowd:
    """Up to three workers of all stages on one broker, one journal and one ledger."""

    def __init__(self, bench, seed, say):
        self.bench = bench
        self.say = say
        self.load = Load(seed, None)
        self.random = self.load.random
        self.judge = Judge(bench.broker)
        self.sender = Sender(bench.broker)
        self.members = {}
        self.suspended = {}  # name -> when it goes on
        self.done = {"join": 0, "leave": 0, "kill": 0, "suspend": 0}

    def join(self, name):
        self.members[name] = self.bench.worker("all", name)
        self.done["join"] += 1

    def step(self):
        """One change: a place that is free is taken, else somebody goes."""
        for name, until in list(self.suspended.items()):
            if time.monotonic() > until:
                self.members[name].process.send_signal(signal.SIGCONT)
                del self.suspended[name]
        free = [name for name in ("a", "b", "c") if name not in self.members]
        if free:
            return self.join(free[0])
        awake = [name for name in self.members if name not in self.suspended]
        if len(awake) < 2:
            return None
        name, way = self.random.choice(awake), self.random.choice(WAYS)
        worker = self.members[name]
        self.done[way] += 1
        if way == "suspend":
            worker.process.send_signal(signal.SIGSTOP)
            self.suspended[name] = time.monotonic() + SUSPENSION
        elif way == "kill":
            worker.kill()
            del self.members[name]
        else:
            worker.may_end = True
            self.bench.stop([worker])
            del self.members[name]
        return None

    def run(self, seconds, rate):
        """Changes every second or two, `rate` requests a second."""
        for name in ("a", "b", "c"):
            self.join(name)
        began = time.monotonic()
        change_at = began + 3
        while (now := time.monotonic()) < began + seconds:
            wanted = int((now - began) * rate)
            if wanted > len(self.load.made):
                self.sender.send(self.load.make(wanted - len(self.load.made)))
            if now > change_at:
                self.step()
                change_at = now + self.random.uniform(0.5, 2.5)
            self.bench.check()
            time.sleep(0.05)
        for name in list(self.suspended):
            self.members[name].process.send_signal(signal.SIGCONT)
        self.judge.wait(len(self.load.made), 120, self.bench.check)
        time.sleep(1)
        self.bench.stop(list(self.members.values()))
        self.judge.finish()
        self.say(f"  {len(self.load.made)} requests, " + ", ".join(f"{count} × {way}" for way, count in self.done.items()))
        return self.judge.faults(self.load.made, self.sender.places, self.bench.ledger)


def coming_and_going(program, broker, folder, seed, say, seconds, rate, journal=None):
    bench = Bench(program, broker, folder, journal)
    try:
        return Crowd(bench, seed, say).run(seconds, rate)
    finally:
        bench.close()
