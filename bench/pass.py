# The Python peer of `checkout-bench engine`: consume and produce again with confluent-kafka, batch after batch, nothing committed.
#   python pass.py BROKERS PARTITIONS MESSAGES OUT IN...
# Prints what pass.c prints: messages, wall seconds and CPU seconds, from the first batch to the last delivery report.
import os
import sys
import time

from confluent_kafka import OFFSET_BEGINNING, Consumer, Producer, TopicPartition

brokers, partitions, wanted, out, topics = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4], sys.argv[5:]
reports = {"delivered": 0, "failed": 0}


def on_delivery(error, message):
    reports["failed" if error else "delivered"] += 1


consumer = Consumer(
    {
        "bootstrap.servers": brokers,
        "group.id": "python-peer",
        "enable.auto.commit": False,
        "enable.auto.offset.store": False,
        "fetch.wait.max.ms": 50,
        "queued.min.messages": 1000000,
        "queued.max.messages.kbytes": 262144,
        "socket.nagle.disable": True,
    }
)
producer = Producer(
    {
        "bootstrap.servers": brokers,
        "enable.idempotence": True,
        "partitioner": "murmur2_random",
        "socket.nagle.disable": True,
        "linger.ms": 1,
        "queue.buffering.max.messages": 500000,
        "queue.buffering.max.kbytes": 1048576,
        "on_delivery": on_delivery,
    }
)
consumer.assign([TopicPartition(topic, number, OFFSET_BEGINNING) for topic in topics for number in range(partitions)])
wall = cpu = None
taken = 0
while taken < wanted:
    before = time.process_time()
    batch = consumer.consume(1000, 0.1)
    if batch and wall is None:
        wall, cpu = time.monotonic(), before
    for message in batch:
        if message.error():
            sys.exit(str(message.error()))
        producer.produce(out, message.value(), key=message.key())
        taken += 1
    producer.poll(0)
producer.flush(60)
print(reports["delivered"], time.monotonic() - wall, time.process_time() - cpu, flush=True)
os._exit(1 if reports["failed"] else 0)
