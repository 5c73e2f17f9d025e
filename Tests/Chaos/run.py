"""One run of a scenario: broker, workers, load and judge together."""

import time

from confluent_kafka import Consumer, TopicPartition

from judge import Judge
from load import Load
from sender import Sender
from workers import Bench


class Run:
    """Made for one scenario; `close` ends every process of it."""

    def __init__(self, program, broker, folder, seed, journal=None, kinds=("ordinary",)):
        self.broker = broker
        self.bench = Bench(program, broker, folder, journal)
        self.load = Load(seed, kinds)
        self.random = self.load.random
        self.sender = Sender(broker)
        self.judge = Judge(broker)

    def worker(self, stage="all", instance="w", **more):
        return self.bench.worker(stage, instance, **more)

    def send(self, count, kind=None, partition=None):
        """Sends the next requests."""
        requests = self.load.make(count, kind)
        self.sender.send(requests, partition)
        return requests

    def wait(self, count=None, seconds=60):
        self.judge.wait(len(self.load.made) if count is None else count, seconds, self.bench.check)

    def conclude(self, workers, ledger=True):
        """Ends the workers and lets the judge say what is wrong."""
        time.sleep(1)
        self.bench.stop(workers)
        self.judge.finish()
        return self.judge.faults(self.load.made, self.sender.places, self.bench.ledger if ledger else None)

    def committed(self, stage):
        """What a stage's group has committed, by partition."""
        return {place.partition: place.offset for place in self.places(stage) if place.offset >= 0}

    def places(self, stage):
        topic = {"validation": "requests", "facade": "validated", "reconciliation": "pending"}[stage]
        consumer = Consumer(
            {"bootstrap.servers": self.broker.address, "group.id": "checkout-" + stage, "log_level": 2})
        partitions = consumer.list_topics(timeout=10).topics["checkout." + topic].partitions
        places = consumer.committed([TopicPartition("checkout." + topic, index) for index in partitions], timeout=10)
        consumer.close()
        return places

    def close(self):
        self.bench.close()
