"""Sends checkouts made from the first sample at a steady rate, and says on each second how far it is.

usage: paced_load.py BROKERS RATE SECONDS [TOKEN]
"""

import json
import pathlib
import sys
import time

from confluent_kafka import Producer


def main() -> None:
    brokers, rate, seconds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    samples = pathlib.Path(__file__).resolve().parents[2] / "samples" / "requests.ndjson"
    request = json.loads(samples.read_text().splitlines()[0])
    if len(sys.argv) > 4:
        request["payment"]["method_token"] = sys.argv[4]
    producer = Producer({"bootstrap.servers": brokers, "linger.ms": 5})
    start = time.monotonic()
    for number in range(rate * seconds):
        request["checkout_id"] = f"chk_paced_{number}"
        request["idempotency_key"] = f"paced-key-0123456789-{number}"
        producer.produce("checkout.requests", key=request["checkout_id"], value=json.dumps(request))
        producer.poll(0)
        if (number + 1) % rate == 0:
            print(f"second {(number + 1) // rate}.", flush=True)
        wait = start + (number + 1) / rate - time.monotonic()
        if wait > 0:
            time.sleep(wait)
    if producer.flush(30):
        sys.exit("not all were sent")
    print("all sent", flush=True)


if __name__ == "__main__":
    main()
