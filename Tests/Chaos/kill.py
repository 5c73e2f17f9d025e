"""Workers ended by SIGKILL at named points, on a broker with transactions: exactly one answer, one charge each."""

import time

from confluent_kafka import Consumer, TopicPartition

from brokers import wait_until
from judge import Judge
from load import Load
from sender import Sender
from workers import FACADE_POINTS, VALIDATION_POINTS, Bench


class KillCampaign:
    """One run: the stage under trial is ended again and again.

    Whoever reads what it writes starts when that is over, at the beginning of its topic: noida-db gives a reader whose
    position lies behind an aborted transaction nothing of that producer any more.
    """

    def __init__(self, bench, stage, seed, say):
        self.bench = bench
        self.stage = stage
        self.say = say
        self.load = Load(seed)
        self.random = self.load.random
        self.judge = Judge(bench.broker)
        self.sender = Sender(bench.broker)
        self.hit = {}
        order = ["validation", "facade", "reconciliation"]
        self.others = [bench.worker(other, other) for other in order[:order.index(stage)]]
        self.later = order[order.index(stage) + 1:]
        self.worker = None

    def prime(self, partitions):
        """Messages of each partition worked off: from then on the stage's group has committed offsets."""
        self.worker = self.bench.worker(self.stage, self.stage)

        def is_done():
            self.sender.send(self.load.make(1, "ordinary"))
            return self.committed() == partitions
        wait_until("the first commits", is_done, 60)

    def has_worked_off(self):
        """True once the stage has committed everything it can read."""
        self.bench.check()
        self.judge.look()
        answered = self.judge.validated.keys() | self.judge.finals.keys()
        if not answered >= set(self.sender.places.values()):
            return False
        committed = self.offsets()
        return self.stage == "validation" or all(
            committed.get(partition, -1) > last for partition, last in self.judge.last_validated.items())

    def committed(self):
        """Partitions for which the stage's group has committed something beyond the beginning."""
        return sum(offset > 0 for offset in self.offsets().values())

    def offsets(self):
        """What the stage's group has committed, by partition."""
        topic = {"validation": "requests", "facade": "validated", "reconciliation": "pending"}[self.stage]
        consumer = Consumer(
            {"bootstrap.servers": self.bench.broker.address, "group.id": "checkout-" + self.stage, "log_level": 2})
        partitions = consumer.list_topics(timeout=10).topics["checkout." + topic].partitions
        places = consumer.committed([TopicPartition("checkout." + topic, index) for index in partitions], timeout=10)
        consumer.close()
        return {place.partition: place.offset for place in places}

    def restart(self, kill_at):
        if self.worker and self.worker.process.poll() is None:
            self.worker.kill()
        # Few at a time: many commits to be ended at, and much left to do each time.
        self.worker = self.bench.worker(self.stage, self.stage, kill_at, {"worker.in_flight_max": 60})

    def end_at(self, point, count, requests, seconds=60):
        """Starts a worker that ends at a point, and sends requests until it has: some at once, the rest one by one."""
        self.restart(f"{point}:{count}")
        self.sender.send(self.load.make(requests))
        deadline = time.monotonic() + seconds
        while self.worker.process.poll() is None:
            if time.monotonic() > deadline:
                raise TimeoutError(f"{self.worker.log}: {point}:{count} was not passed within {seconds} s")
            if "partitions assigned" in self.worker.text():
                self.sender.send(self.load.make(1, "ordinary"))
            time.sleep(0.1)
        if self.worker.killed_at() != point:
            raise RuntimeError(f"{self.worker.log} did not end at {point}")
        self.hit[point] = self.hit.get(point, 0) + 1

    def conclude(self, seconds=180):
        """Lets a worker finish everything; returns what is wrong."""
        self.restart(None)
        self.worker.may_end = False
        for stage in self.later:
            # Whoever reads while more comes would not see it (see above).
            wait_until("the end of the stage's work", self.has_worked_off, seconds, pause=1)
            self.others.append(self.bench.worker(stage, stage))
        self.judge.wait(len(self.load.made), seconds, self.bench.check)
        # What would come twice comes now.
        time.sleep(1)
        self.bench.stop(self.others + [self.worker])
        self.judge.finish()
        return self.judge.faults(self.load.made, self.sender.places, self.bench.ledger)


def each_point_once(program, broker, folder, seed, say, partitions, stage, per_point, journal=None):
    """All points in one run, in an order drawn from the seed."""
    bench = Bench(program, broker, folder, journal)
    try:
        campaign = KillCampaign(bench, stage, seed, say)
        campaign.prime(partitions)
        points = list(FACADE_POINTS if stage == "facade" else VALIDATION_POINTS)
        campaign.random.shuffle(points)
        for point in points:
            campaign.end_at(point, campaign.random.randint(1, 3), per_point)
        faults = campaign.conclude()
        say(f"  {stage}: ended at {len(campaign.hit)} points, {len(campaign.load.made)} requests")
        return faults
    finally:
        bench.close()


def one_point(program, broker, folder, seed, say, partitions, stage, point, requests, kills, journal=None):
    """One point, again and again while a large load is worked off."""
    bench = Bench(program, broker, folder, journal)
    try:
        campaign = KillCampaign(bench, stage, seed, say)
        campaign.prime(partitions)
        for _ in range(kills):
            campaign.end_at(point, campaign.random.randint(1, 12), requests // kills)
        faults = campaign.conclude(600)
        say(f"  {stage} {point}: ended {campaign.hit[point]} times, {len(campaign.load.made)} requests")
        return faults
    finally:
        bench.close()
