"""Sends one message of odd bytes, or prints every record of a topic, all bytes as hexadecimal.

usage: topic_bytes.py BROKERS send TOPIC        (null key, binary value, repeated, null and empty headers)
       topic_bytes.py BROKERS dump TOPIC COUNT  (waits until there are COUNT records; one JSON object each)
"""

import json
import sys
import time

from confluent_kafka import Consumer, Producer, TopicPartition

HEADERS = [("content-type", b"text/plain"), ("x", b"\xff\x00"), ("x", None), ("x", b""), ("x", b"\xff\x00")]
VALUE = b"\xff\xfe{ not JSON"


def send(brokers: str, topic: str) -> None:
    producer = Producer({"bootstrap.servers": brokers})
    failures = []
    producer.produce(
        topic, value=VALUE, headers=HEADERS, on_delivery=lambda error, _: error and failures.append(str(error))
    )
    if producer.flush(20) or failures:
        sys.exit(f"not sent: {failures}")


def text(value: bytes | None) -> str | None:
    return None if value is None else value.hex()


def dump(brokers: str, topic: str, count: int) -> None:
    consumer = Consumer({"bootstrap.servers": brokers, "group.id": "topic-bytes", "enable.auto.commit": False})
    partitions = consumer.list_topics(topic, 20).topics[topic].partitions
    consumer.assign([TopicPartition(topic, number, 0) for number in partitions])
    records = []
    deadline = time.monotonic() + 40
    while len(records) < count and time.monotonic() < deadline:
        record = consumer.poll(0.5)
        if record is not None and not record.error():
            records.append(record)
    consumer.close()
    if len(records) < count:
        sys.exit(f"{len(records)} records of {count}")
    for record in records:
        print(
            json.dumps(
                {
                    "place": f"{record.partition()}-{record.offset()}",
                    "key": text(record.key()),
                    "value": text(record.value()),
                    "headers": [[name, text(value)] for name, value in record.headers() or []],
                }
            )
        )


if __name__ == "__main__":
    if sys.argv[2] == "send":
        send(sys.argv[1], sys.argv[3])
    else:
        dump(sys.argv[1], sys.argv[3], int(sys.argv[4]))
