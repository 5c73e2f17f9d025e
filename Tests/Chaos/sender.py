"""Sends requests with a client that is not ours and remembers where each one lies."""

from confluent_kafka import Producer


class Sender:
    def __init__(self, broker):
        self.producer = Producer(
            {"bootstrap.servers": broker.address, "enable.idempotence": True, "linger.ms": 1, "log_level": 2,
             "partitioner": "murmur2_random"})
        self.places = {}  # index of a request -> PARTITION/OFFSET

    def send(self, requests, partition=None):
        """Sends and waits for all reports."""
        for request in requests:
            def delivered(error, message, index=request.index):
                if error is None:
                    self.places[index] = f"{message.partition()}/{message.offset()}"
            place = {} if partition is None else {"partition": partition}
            self.producer.produce(
                "checkout.requests", value=request.value, key=request.key, on_delivery=delivered, **place)
            self.producer.poll(0)
        self.producer.flush(30)
        missing = [request.index for request in requests if request.index not in self.places]
        if missing:
            raise RuntimeError(f"{len(missing)} requests could not be sent")
