"""Measures `checkout run` from outside, with a client that is not ours.

    worker.py idle    --checkout PATH               CPU of all stages while nothing comes
    worker.py backlog --checkout PATH               peak memory over a million messages, beside a small backlog
    worker.py latency --checkout PATH [--mock]      produce to outcome at low load, and where the time goes

Each prints one JSON object a measurement. Needs the Python environment of the tests (scripts/bootstrap).
"""

import argparse
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
TICKS = os.sysconf("SC_CLK_TCK")


class Processes:
    """What was started, in a folder of its own; all of it ends with the block."""

    def __init__(self, checkout):
        self.checkout = checkout
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="checkout-bench-"))
        self.started = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in reversed(self.started):
            process.kill()
            process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self, arguments, **options):
        process = subprocess.Popen([str(a) for a in arguments], **options)
        self.started.append(process)
        return process

    def mock(self, partitions):
        """librdkafka's mock cluster; says where it listens."""
        broker = self.start(
            [self.checkout, "broker", "--set", f"topics.partitions={partitions}"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        return broker.stdout.readline().strip()

    def noida(self, partitions):
        """A broker with transactions, and the pipeline's topics on it."""
        from importlib.resources import files

        program = files("noida_db").joinpath("noida-db")
        os.chmod(program, 0o755)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.start(
            [program, "start", "--data-dir", self.folder / "noida", "--host", "127.0.0.1", "--only", "kafka",
             "--kafka-port", port], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        brokers = f"127.0.0.1:{port}"
        create = [self.checkout, "topics", "create", "--brokers", brokers, "--set", f"topics.partitions={partitions}"]
        wait(60, "the broker", lambda: subprocess.run(create, capture_output=True).returncode == 0)
        return brokers

    def run(self, brokers, stages, name, delivery, properties=()):
        """`checkout run` with its log in a file; the ledger and the journal belong to the facade's process."""
        arguments = [
            self.checkout, "run", "--stage", stages, "--brokers", brokers, "--delivery", delivery, "--log", "json",
            "--reference", ROOT / "samples/reference.json", "--journal", f"sqlite:{self.folder}/journal.db",
            "--gateways", f"sandbox:{self.folder}/ledger.db", "--set", f"connection.instance={name}"]
        for text in properties:
            arguments += ["--kafka-property", text]
        return self.start(arguments, stdout=(self.folder / f"{name}.log").open("w"), stderr=subprocess.STDOUT)


def wait(seconds, what, condition):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"{what}: not within {seconds} s")
        time.sleep(0.05)


def stop(process):
    process.send_signal(signal.SIGTERM)
    if process.wait(timeout=60) != 0:
        sys.exit("checkout run ended with an error")


def cpu_seconds(process):
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def peak_mib(process):
    for line in pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1024
    return 0


def consumer(brokers, topics, end):
    """A reader of committed messages; takes all partitions of its topics, from their present end if asked."""
    from confluent_kafka import Consumer

    reader = Consumer({
        "bootstrap.servers": brokers, "group.id": f"bench-{time.time_ns()}", "isolation.level": "read_committed",
        "fetch.wait.max.ms": 10, "auto.offset.reset": "latest" if end else "earliest", "enable.auto.commit": False,
        "socket.nagle.disable": True, "receive.message.max.bytes": 2_000_000_000})
    reader.subscribe(topics)
    wait(30, "the reader's partitions", lambda: reader.poll(0) is None and reader.assignment())
    return reader


def idle(options):
    with Processes(options.checkout) as world:
        worker = world.run(world.mock(12), "all", "idle", "at-least-once")
        time.sleep(options.settle)
        before = cpu_seconds(worker)
        time.sleep(options.seconds)
        used = cpu_seconds(worker) - before
        stop(worker)
        print(json.dumps({
            "bench": "idle", "stages": "all", "seconds": options.seconds, "cpu_s": round(used, 2),
            "percent_of_a_core": round(100 * used / options.seconds, 2)}), flush=True)


def fill(brokers, count):
    """Messages of about 70 bytes, each answered by one rejection: a field is missing."""
    from confluent_kafka import Producer

    producer = Producer({
        "bootstrap.servers": brokers, "linger.ms": 20, "batch.num.messages": 10_000,
        "queue.buffering.max.messages": 200_000, "partitioner": "murmur2_random"})
    failed = []
    for number in range(count):
        key = f"c{number:07d}"
        value = f'{{"schema_version":1,"checkout_id":"{key}","merchant_id":"m","n":{number}}}'
        while True:
            try:
                producer.produce("checkout.requests", key=key, value=value, on_delivery=lambda e, _: e and failed.append(e))
                break
            except BufferError:
                producer.poll(0.1)
        producer.poll(0)
    producer.flush(120)
    if failed:
        sys.exit(f"{len(failed)} messages were not stored: {failed[0]}")


def group_lag(brokers, group, partitions, count):
    """Messages of `checkout.requests` the group has not committed."""
    from confluent_kafka import Consumer, TopicPartition

    reader = Consumer({"bootstrap.servers": brokers, "group.id": group})
    committed = reader.committed([TopicPartition("checkout.requests", p) for p in range(partitions)], timeout=10)
    reader.close()
    return count - sum(max(0, place.offset) for place in committed)


def backlog(options):
    from_small = None
    for count in (10_000, options.messages):
        with Processes(options.checkout) as world:
            partitions = 64
            brokers = world.mock(partitions)
            fill(brokers, count)
            start = time.monotonic()
            worker = world.run(brokers, "validation", "backlog", "at-least-once")
            wait(900, "the backlog", lambda: time.sleep(1) or
                 group_lag(brokers, "checkout-validation", partitions, count) == 0)
            peak = peak_mib(worker)
            seconds = time.monotonic() - start
            stop(worker)
        from_small = from_small or peak
        print(json.dumps({
            "bench": "backlog", "messages": count, "partitions": partitions, "seconds": round(seconds, 1),
            "peak_mib": round(peak), "above_small_mib": round(peak - from_small)}), flush=True)


def request(number):
    """The first sample under ids of its own."""
    body = json.loads((ROOT / "samples/requests.ndjson").read_text().splitlines()[0])
    body["checkout_id"] = f"chk_lat_{number:06d}"
    body["idempotency_key"] = f"latency-{number:012d}"
    body["requested_at"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    return body["checkout_id"], json.dumps(body)


def latency(options):
    from confluent_kafka import Producer

    exactly = not options.mock
    with Processes(options.checkout) as world:
        brokers = world.noida(3) if exactly else world.mock(3)
        delivery = "exactly-once" if exactly else "at-least-once"
        properties = ["receive.message.max.bytes=2000000000"] if exactly else []
        stages = ["validation", "facade,reconciliation"] if exactly else ["all"]
        for stage in stages:
            world.run(brokers, stage, stage.split(",")[0], delivery, properties)
        reader = consumer(brokers, ["checkout.validated", "checkout.outcomes", "checkout.rejections"], end=False)
        producer = Producer({
            "bootstrap.servers": brokers, "linger.ms": 0, "partitioner": "murmur2_random", "socket.nagle.disable": True})
        story = {}
        total = options.rate * options.seconds + options.warm
        next_at = time.time()
        sent = 0
        end = None
        while end is None or (time.time() < end and any("outcome" not in s for s in story.values())):
            now = time.time()
            if sent < total and now >= next_at:
                key, value = request(sent)
                story[key] = {"sent": now}
                producer.produce("checkout.requests", key=key, value=value)
                sent += 1
                next_at += 1 / options.rate
                if sent == total:
                    end = now + 30
            producer.poll(0)
            message = reader.poll(0.001)
            if message is None or message.error():
                continue
            seen = story.get((message.key() or b"").decode())
            if seen is None:
                continue
            step = "validated" if message.topic() == "checkout.validated" else "outcome"
            seen[step] = time.time()
            seen[step + "_produced"] = message.timestamp()[1] / 1000
            seen["type"] = dict(message.headers() or []).get("ce_type", b"").decode()
        report(brokers, delivery, [story[key] for key in sorted(story)][options.warm:], options)
        reader.close()


def report(brokers, delivery, stories, options):
    done = [s for s in stories if "outcome" in s and "validated" in s and s["type"] == "checkout.completed"]
    if len(done) < len(stories):
        print(f"{len(stories) - len(done)} of {len(stories)} requests were not completed", file=sys.stderr)
    if not done:
        sys.exit(1)
    parts = {
        "total": lambda s: s["outcome"] - s["sent"],
        "validation": lambda s: s["validated_produced"] - s["sent"],
        "validation_commit": lambda s: s["validated"] - s["validated_produced"],
        "facade": lambda s: s["outcome_produced"] - s["validated"],
        "facade_commit": lambda s: s["outcome"] - s["outcome_produced"],
    }
    line = {"bench": "latency", "delivery": delivery, "rate": options.rate, "requests": len(stories), "completed": len(done)}
    for name, of in parts.items():
        values = sorted(1000 * of(s) for s in done)
        line[f"{name}_p50_ms"] = round(values[len(values) // 2], 1)
        line[f"{name}_p99_ms"] = round(values[len(values) * 99 // 100], 1)
    print(json.dumps(line), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["idle", "backlog", "latency"])
    parser.add_argument("--checkout", required=True)
    parser.add_argument("--mock", action="store_true", help="latency: on the mock cluster, at least once")
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--settle", type=int, default=12, help="idle: seconds before measuring")
    parser.add_argument("--rate", type=int, default=50, help="latency: requests a second")
    parser.add_argument("--warm", type=int, default=100, help="latency: first requests, not counted")
    parser.add_argument("--messages", type=int, default=1_000_000, help="backlog: messages")
    options = parser.parse_args()
    {"idle": idle, "backlog": backlog, "latency": latency}[options.what](options)


if __name__ == "__main__":
    main()
