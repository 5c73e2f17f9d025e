"""Follows all topics with a client that is not ours, read committed, and says what is wrong with a run."""

import collections
import json
import pathlib
import sqlite3
import sys
import threading
import time

from confluent_kafka import Consumer, KafkaError, TopicPartition

from brokers import TOPICS

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Scripts"))
from audit_run import Audit  # noqa: E402


class Judge:
    """What an independent reader has seen.

    On the mock cluster it reads beside the run from before its first worker on, because that broker drops old messages. On
    noida-db it reads everything anew each time it is asked: a reader whose position lies behind an aborted transaction gets
    nothing of that producer there any more.
    """

    def __init__(self, broker, topics=TOPICS):
        self.broker = broker
        self.topics = topics
        self.lock = threading.Lock()
        self.forget()
        self.consumer = Consumer(
            {"bootstrap.servers": broker.address, "group.id": "judge", "enable.auto.commit": False,
             "isolation.level": "read_committed", "fetch.wait.max.ms": 20, "auto.offset.reset": "earliest",
             "enable.partition.eof": True, "log_level": 2, **broker.properties})
        known = self.consumer.list_topics(timeout=10).topics
        self.partitions = [
            TopicPartition("checkout." + name, index, 0)
            for name in topics for index in known["checkout." + name].partitions]
        self.is_over = False
        self.look_seconds = 0
        self.thread = None
        if not broker.transactions:
            self.consumer.assign(self.partitions)
            self.thread = threading.Thread(target=self.follow, daemon=True)
            self.thread.start()

    def forget(self):
        self.audit = Audit()
        self.ids = collections.Counter()  # (topic, id) -> how often
        self.finals = {}  # place -> final events, in order
        self.validated_checkouts = set()
        self.last_validated = {}  # partition -> offset of the last message of checkout.validated
        self.validated = {}  # place of a request -> partition and offset of what validation made of it

    def follow(self):
        while not self.is_over:
            for message in self.consumer.consume(500, 0.05):
                if message.error() is None:
                    with self.lock:
                        self.take(message)

    def read_to_end(self, partitions):
        """Reads from these places to the present ends."""
        ends = set()
        deadline = time.monotonic() + 60
        self.consumer.assign(partitions)
        while len(ends) < len(partitions):
            if time.monotonic() > deadline:
                raise TimeoutError("the judge did not come to the end of the topics")
            for message in self.consumer.consume(500, 0.05):
                if message.error() is None:
                    self.take(message)
                elif message.error().code() == KafkaError._PARTITION_EOF:
                    ends.add((message.topic(), message.partition()))

    def look(self):
        """Reads everything anew, where that is needed."""
        if self.thread is None:
            began = time.monotonic()
            self.forget()
            self.read_to_end(self.partitions)
            self.look_seconds = time.monotonic() - began

    def take(self, message):
        self.audit.take(message)
        topic = message.topic().removeprefix("checkout.")
        if topic == "requests":
            return
        named = dict(message.headers() or [])
        if topic == "dead-letters":
            place = f"{named['dlq-partition'].decode()}/{named['dlq-offset'].decode()}"
            id, kind = f"{named['dlq-topic'].decode()}/{place}", "dead letter"
        else:
            id, kind = named["ce_id"].decode(), named["ce_type"].decode()
            place = "/".join(named["ce_origin"].decode().split("/")[1:3]) if "ce_origin" in named else None
        self.ids[topic, id] += 1
        if topic == "validated":
            self.last_validated[message.partition()] = message.offset()
            self.validated_checkouts.add(message.key().decode())
            self.validated.setdefault(place, (message.partition(), message.offset()))
        if topic in ("outcomes", "rejections", "dead-letters") and kind in (
            "dead letter", "checkout.completed", "checkout.failed", "checkout.cancelled", "checkout.rejected",
            "checkout.parked",
        ):
            self.finals.setdefault(place, []).append((kind, id, json.loads(message.value())
                                                      if kind != "dead letter" else {}))

    def answered(self):
        with self.lock:
            return len(self.audit.outcomes.keys() & self.audit.requests)

    def wait(self, count, seconds, check=lambda: None):
        """Waits until so many requests are answered; `check` may raise meanwhile."""
        deadline = time.monotonic() + seconds
        while True:
            self.look()
            if self.answered() >= count:
                return
            check()
            if time.monotonic() > deadline:
                with self.lock:
                    open_places = sorted(self.audit.requests - self.audit.outcomes.keys())[:10]
                raise TimeoutError(f"{self.answered()} of {count} answered after {seconds:.0f} s; open: {open_places}")
            # Reading everything anew takes the machine away from the workers.
            time.sleep(0.1 if self.thread else max(0.5, 2 * self.look_seconds))

    def finish(self):
        """Reads to the end of all topics and stops."""
        if self.thread is None:
            self.look()
        else:
            self.is_over = True
            self.thread.join()
            places = self.consumer.position(self.partitions)
            self.read_to_end([
                TopicPartition(place.topic, place.partition, max(place.offset, 0)) for place in places])
        self.consumer.close()

    def is_too_much(self, finals):
        """With transactions there is one. Without, there may be copies of one and the same; and while a partition has no
        committed offsets, one more that says it is a replay."""
        if self.broker.transactions:
            return len(finals) > 1
        replays = {id for _, id, body in finals if body.get("replayed")}
        return len(replays) > 1 or len({id for _, id, _ in finals} - replays) > 1

    def faults(self, requests, places, ledger=None):
        """What is wrong; empty: nothing. `places` are the requests' partitions and offsets."""
        faults = [fault for fault in self.audit.faults if not fault.startswith("dead letter of checkout.requests")]
        self.audit.compare()
        faults += self.audit.faults[len(faults):]
        if not self.broker.transactions:
            # A dead letter may come twice as well.
            faults = [fault for fault in faults if " has dead letters " not in fault]
        for request in requests:
            place = places[request.index]
            finals = self.finals.get(place, [])
            if not finals:
                faults.append(f"{place} ({request.kind}) has no answer")
            if self.is_too_much(finals):
                faults.append(f"{place} ({request.kind}) has answers {finals}")
            for kind, _, _ in finals:
                if kind not in request.finals:
                    faults.append(f"{place} ({request.kind}) ended as {kind}, not {sorted(request.finals)}")
        strangers = self.finals.keys() - set(places.values())
        if strangers:
            faults.append(f"answers nobody asked for: {sorted(map(str, strangers))[:10]}")
        if self.broker.transactions:
            twice = [key for key, count in self.ids.items() if count > 1]
            if twice:
                faults.append(f"{len(twice)} events came twice, the first: {twice[:3]}")
        ends = {request.index: {kind for kind, _, _ in self.finals.get(places[request.index], [])}
                for request in requests}
        return faults + (ledger_faults(ledger, requests, ends) if ledger else [])


def ledger_faults(path, requests, ends):
    """What the services' own ledger says: charges, receipts, holds. `ends`: the final events of each request."""
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10)
    count = collections.Counter()
    for checkout, kind in database.execute("SELECT checkout_id, kind FROM entries"):
        count[checkout, kind] += 1
    held = {hold for (hold,) in database.execute("SELECT object FROM entries WHERE kind = 'reserved'")}
    over = {hold for (hold,) in database.execute("SELECT object FROM entries WHERE kind IN ('confirmed', 'released')")}
    faults = []
    for request in requests:
        checkout = request.key.decode()
        if request.kind == "cancel":
            continue
        if request.kind == "cancelled":
            kept = count[checkout, "captured"] - count[checkout, "refunded"]
            if count[checkout, "captured"] > 1 or kept != ("checkout.completed" in ends[request.index]):
                faults.append(f"{checkout} ended as {ends[request.index]} and {kept} charges were kept")
            continue
        for kind, wanted in (("captured", request.charges), ("receipted", request.receipts),
                             ("confirmed", request.receipts), ("refunded", 0)):
            if count[checkout, kind] != wanted:
                faults.append(f"{checkout} ({request.kind}): {kind} {count[checkout, kind]} times, not {wanted}")
    if held - over:
        faults.append(f"holds left: {sorted(held - over)[:10]}")
    return faults
