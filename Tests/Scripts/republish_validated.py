"""Publishes every message of checkout.validated once more, to the partition after its own: other workers get copies.

    republish_validated.py BROKERS

Prints how many; exit 2 if confluent-kafka is missing.
"""

import sys

try:
    from confluent_kafka import Consumer, KafkaError, Producer, TopicPartition
except ImportError as error:
    print(f"{error.name} is not installed")
    sys.exit(2)

TOPIC = "checkout.validated"


def main():
    consumer = Consumer({
        "bootstrap.servers": sys.argv[1], "group.id": "republish", "enable.auto.commit": False,
        "enable.partition.eof": True, "log_level": 2})
    producer = Producer({"bootstrap.servers": sys.argv[1], "enable.idempotence": True, "log_level": 2})
    partitions = sorted(consumer.list_topics(TOPIC, timeout=10).topics[TOPIC].partitions)
    consumer.assign([TopicPartition(TOPIC, partition, 0) for partition in partitions])
    found, ended = [], set()
    while len(ended) < len(partitions):
        message = consumer.poll(10)
        if message is None:
            sys.exit("the broker does not answer")
        if message.error() is None:
            found.append(message)
        elif message.error().code() == KafkaError._PARTITION_EOF:
            ended.add(message.partition())
    consumer.close()
    for message in found:
        producer.produce(
            TOPIC, value=message.value(), key=message.key(), headers=message.headers(),
            partition=(message.partition() + 1) % len(partitions))
    if producer.flush(30):
        sys.exit("not all copies were sent in time")
    print(len(found))


if __name__ == "__main__":
    main()
