"""Follows the topics of a run with a client that is not ours, and says what became of each request.

    audit_run.py BROKERS REQUESTS SECONDS [LEDGER]

Reads the pipeline's topics from their beginning until REQUESTS messages of checkout.requests (tombstones not counted)
have a final answer (an outcome, a dead letter, or parked), or SECONDS have passed; with 0 requests: to the present end
of all topics. Every event is judged by its schema in schemas/ on the way. Prints one JSON object; exit 2 if a module
is missing.
"""

import json
import pathlib
import sqlite3
import sys
import time

try:
    from confluent_kafka import Consumer, KafkaError, TopicPartition
    from jsonschema import Draft202012Validator
    from referencing import Registry, Resource
except ImportError as error:
    print(f"{error.name} is not installed")
    sys.exit(2)

TOPICS = ["requests", "validated", "outcomes", "rejections", "dead-letters", "pending"]
# Events of one type that are judged by their schema: judging takes a millisecond each.
JUDGED_MAX = 300
FINAL = {"checkout.completed", "checkout.failed", "checkout.cancelled", "checkout.rejected", "checkout.parked"}


def validators():
    folder = pathlib.Path(__file__).resolve().parents[2] / "schemas"
    schemas = {path.stem: json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))}
    schemas = {name: schema for name, schema in schemas.items() if "$schema" in schema}
    registry = Registry().with_resources((schema["$id"], Resource.from_contents(schema)) for schema in schemas.values())
    return {name: Draft202012Validator(schema, registry=registry) for name, schema in schemas.items()}


class Audit:
    def __init__(self):
        self.validators = validators()
        self.requests = set()  # places "partition/offset" of messages that must be answered
        self.outcomes = {}  # origin -> final answers: id -> is it marked as replayed
        self.bodies = {}  # event id -> body, to see that one id has one content
        self.types = {}
        self.faults = []
        self.notices = {}  # origin -> ids of its checkout.receipt_pending
        self.records = 0
        self.dead = {}  # source place -> codes
        self.letters = []
        self.sources = {}  # place -> message of checkout.requests

    def take(self, message):
        topic = message.topic().removeprefix("checkout.")
        headers = message.headers() or []
        named = {name: value for name, value in headers}
        place = f"{message.partition()}/{message.offset()}"
        if topic == "requests":
            if message.value() is not None:
                self.requests.add(place)
                self.sources[place] = message
            return
        self.records += 1
        if topic == "dead-letters":
            self.dead_letter(named, message)
        else:
            self.event(topic, named, message)

    def dead_letter(self, named, message):
        source = named["dlq-topic"].decode()
        place = f"{named['dlq-partition'].decode()}/{named['dlq-offset'].decode()}"
        if source != "checkout.requests":
            self.faults.append(f"dead letter of {source} {place}: {named['dlq-code'].decode()}")
            return
        code = named["dlq-code"].decode()
        self.dead.setdefault(place, []).append(code)
        if len(self.dead[place]) > 1:
            self.faults.append(f"{place} has dead letters {self.dead[place]}")
        self.outcomes.setdefault(place, {})["dead letter " + place] = False
        self.letters.append((place, named, message))

    def compare(self):
        """Dead letters against their sources: the same bytes, and the same headers in front of the letter's own."""
        for place, named, message in self.letters:
            source = self.sources.get(place)
            if source is None:
                self.faults.append(f"a dead letter of {place}, where no message is")
                continue
            theirs = source.headers() or []
            if (message.headers() or [])[: len(theirs)] != theirs:
                self.faults.append(f"the dead letter of {place} has other headers")
            if (message.key() or b"") != (source.key() or b""):
                self.faults.append(f"the dead letter of {place} has another key")
            if "dlq-truncated" in named:
                if not source.value().startswith(message.value()) or len(message.value()) < 65536:
                    self.faults.append(f"the dead letter of {place} is cut wrongly")
            elif "dlq-redacted" not in named and message.value() != source.value():
                self.faults.append(f"the dead letter of {place} has other bytes")

    def event(self, topic, named, message):
        kind = named["ce_type"].decode()
        self.types[kind] = self.types.get(kind, 0) + 1
        body = json.loads(message.value())
        if self.types[kind] <= JUDGED_MAX:
            for fault in self.validators[kind].iter_errors(body):
                self.faults.append(f"{kind} {fault.json_path}: {fault.message}")
        for name in ("ce_specversion", "ce_id", "ce_source", "ce_time", "content-type"):
            if name not in named:
                self.faults.append(f"{kind} without header {name}")
        if message.key() is not None and message.key().decode() != body.get("checkout_id"):
            self.faults.append(f"{kind} has key {message.key()!r}, not its checkout_id")
        if kind == "checkout.receipt_pending":
            origin = "/".join(named["ce_origin"].decode().split("/")[1:3])
            self.notices.setdefault(origin, set()).add(named["ce_id"])
        if kind in FINAL and topic in ("outcomes", "rejections"):
            id = named["ce_id"].decode()
            origin = "/".join(named["ce_origin"].decode().split("/")[1:3])
            self.outcomes.setdefault(origin, {})[id] = body.get("replayed", False)
            if topic == "outcomes" and self.bodies.setdefault(id, message.value()) != message.value():
                self.faults.append(f"{kind} {id} came with two contents")

    @staticmethod
    def is_twice(answers):
        """One answer, and beside it at most one more that says so: a worker on a partition without committed offsets
        cannot know whether an ended attempt was answered, and answers again under an id of its own, `replayed`."""
        replayed = sum(answers.values())
        return replayed > 1 or len(answers) - replayed > 1

    def report(self):
        return {
            "requests": len(self.requests),
            "answered": sum(1 for place in self.requests if place in self.outcomes),
            "answered_twice": sorted(
                f"{place} {answers}" for place, answers in self.outcomes.items() if self.is_twice(answers)),
            "unasked": sorted(place for place in self.outcomes if place not in self.requests),
            "receipt_pending": len(self.notices),
            "receipt_pending_twice": sorted(origin for origin, ids in self.notices.items() if len(ids) > 1),
            "records": self.records,
            "types": self.types,
            "dead_letters": {place: codes[0] for place, codes in sorted(self.dead.items())},
            "faults": self.faults[:20],
        }


def ledger(path):
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10)
    rows = database.execute(
        "SELECT checkout_id, count(*) FROM entries WHERE kind IN ('captured', 'authorised') GROUP BY merchant_id, checkout_id"
    ).fetchall()
    receipts = database.execute(
        "SELECT count(*) FROM entries WHERE kind = 'receipted' GROUP BY merchant_id, checkout_id"
    ).fetchall()
    return {
        "charged": len(rows),
        "charged_twice": sorted(checkout for checkout, count in rows if count > 1),
        "receipts": len(receipts),
        "receipted_twice": sum(1 for (count,) in receipts if count > 1),
    }


def main():
    brokers, wanted, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
    consumer = Consumer(
        {"bootstrap.servers": brokers, "group.id": "audit", "enable.auto.commit": False,
         "isolation.level": "read_committed", "fetch.wait.max.ms": 20, "auto.offset.reset": "earliest",
         "log_level": 2, "enable.partition.eof": True})
    known = consumer.list_topics(timeout=10).topics
    partitions = [
        TopicPartition("checkout." + name, index, 0)
        for name in TOPICS if "checkout." + name in known
        for index in known["checkout." + name].partitions
    ]
    consumer.assign(partitions)
    audit = Audit()
    ended = set()
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if wanted and len(audit.outcomes.keys() & audit.requests) >= wanted:
            break
        if not wanted and len(ended) == len(partitions):
            break
        message = consumer.poll(0.2)
        if message is None:
            continue
        if message.error() is None:
            audit.take(message)
        elif message.error().code() == KafkaError._PARTITION_EOF:
            ended.add((message.topic(), message.partition()))
    audit.compare()
    report = audit.report()
    if len(sys.argv) > 4:
        report["ledger"] = ledger(sys.argv[4])
    print(json.dumps(report))
    consumer.close()


if __name__ == "__main__":
    main()
