"""Sends what no worker should stumble over, and good requests behind it, to the four partitions of checkout.requests.

    produce_poison.py BROKERS REQUEST

Prints one line for each message sent: {"name": …, "place": "PARTITION/OFFSET"} or null if refused; exit 2 if confluent-kafka is missing.
"""

import json
import sys

try:
    from confluent_kafka import Producer
except ImportError as error:
    print(f"{error.name} is not installed")
    sys.exit(2)

MEGABYTE = 1_000_000


def messages(request):
    key = b"chk_poison"
    yield "100,000 brackets", key, b"[" * 100_000, []
    yield "100,000 objects in one another", key, b'{"a":' * 100_000, []
    yield "an empty value", key, b"", []
    yield "a tombstone", key, None, []
    yield "a key that is not UTF-8", b"\xff\xfe\x00", b"{}", []
    yield "no key", None, b"null", []
    yield "a key of 100,000 bytes", b"k" * 100_000, b"{", []
    yield "headers that are not UTF-8", key, b"{", [("ce_type", b"\xff\xff"), ("x", None), ("x", b""), ("x", b"\xc3")]
    yield "a type that is not UTF-8 on a good request", key, request, [("ce_type", b"\xff\xff")]
    yield "a trace header that means nothing", key, b"[]", [("traceparent", b"\xff" * 1000)]
    yield "1,000 headers", key, b"{", [(f"h{index}", b"v") for index in range(1000)]
    yield "a number of a million digits", key, b'{"schema_version":' + b"9" * 500_000 + b"}", []
    yield "0.6 MB", key, b'{"schema_version":1,"x":"' + b"a" * 600_000 + b'"}', []
    yield "a good request", b"chk_000001", request, []


def large(megabytes, request):
    yield f"{megabytes} MB", b"chk_poison", b'{"x":"' + b"b" * (megabytes * MEGABYTE - 200) + b'"}', []
    yield f"a good request behind {megabytes} MB", b"chk_000001", request, []


def main():
    producer = Producer(
        {"bootstrap.servers": sys.argv[1], "message.max.bytes": 20 * MEGABYTE, "enable.idempotence": True,
         "linger.ms": 0, "log_level": 2})
    sent = []

    def report(name):
        def done(error, message):
            place = None if error else f"{message.partition()}/{message.offset()}"
            sent.append({"name": name, "place": place, "error": error and error.str()})
        return done

    request = sys.argv[2].encode()
    # librdkafka's mock broker keeps about 5 MB of a partition, so each of the large ones has its own.
    for partition, parts in enumerate([messages(request), large(1, request), large(3, request), large(5, request)]):
        for name, key, value, headers in parts:
            producer.produce(
                "checkout.requests", value=value, key=key, headers=headers, partition=partition,
                on_delivery=report(name))
            if producer.flush(30):
                sys.exit(f"{name} was not sent in time")
    for message in sent:
        print(json.dumps(message))


if __name__ == "__main__":
    main()
