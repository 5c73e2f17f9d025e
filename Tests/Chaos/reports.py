"""What people who run such pipelines complain of, each as a scenario on real processes."""

import signal
import time

from confluent_kafka.admin import AdminClient, NewTopic

from brokers import wait_until
from sender import Sender

# A charge whose reply never comes lasts as long as a call may.
LONG_CALL = {"saga.call_timeout": "20s", "saga.charge_deadline": "20s"}


def timed(body):
    """What `body` gave, and how long it took."""
    began = time.monotonic()
    return body(), time.monotonic() - began


def finished_work_is_not_thrown_away(run, say):
    """Two workers, charges of two seconds, a third one joins, the first one leaves: each charged once."""
    first = run.worker(instance="a")
    second = run.worker(instance="b")
    for worker in (first, second):
        worker.wait_for_line("partitions assigned")
    run.send(200, "slow")
    run.wait(20)
    third = run.worker(instance="c")
    third.wait_for_line('"partitions assigned","stage":"facade"')
    first.may_end = True
    run.bench.stop([first], seconds=30)
    run.wait(seconds=120)
    return run.conclude([second, third])


def rebalance_does_not_wait_for_stuck_work(run, say):
    """One charge of twenty seconds while a second worker joins: partitions change hands within the drain's time."""
    settings = LONG_CALL | {"worker.drain": "3s"}
    first = run.worker(instance="a", settings=settings)
    first.wait_for_line('"partitions assigned","stage":"facade"')
    run.send(4)
    run.wait(4)
    run.send(1, "reply lost")
    run.send(20)
    second = run.worker(instance="b", settings=settings)
    _, seconds = timed(lambda: second.wait_for_line('"partitions assigned","stage":"facade"', 30))
    say(f"  the second worker had its partitions after {seconds:.1f} s")
    run.wait(seconds=90)
    faults = run.conclude([first, second])
    # Joining takes the mock cluster three seconds, the drain three, and the start one or two.
    return faults + ([f"the partitions changed hands after {seconds:.1f} s"] if seconds > 15 else [])


def work_may_last_longer_than_the_poll_interval(run, say):
    """A charge of twenty seconds under a poll interval of six: nobody is thrown out, other keys flow."""
    worker = run.worker(
        settings=LONG_CALL, properties={"max.poll.interval.ms": 6000, "session.timeout.ms": 6000})
    worker.wait_for_line('"partitions assigned","stage":"facade"')
    run.send(1, "reply lost")
    for _ in range(10):
        run.send(5)
        time.sleep(1)
    run.wait(len(run.load.made) - 1, 20)
    run.wait(seconds=60)
    faults = run.conclude([worker])
    for word in ("MAXPOLL", "partitions lost"):
        if word in worker.text():
            faults.append(f"{word} in the log")
    return faults


def a_stop_is_bounded_by_its_grace(run, say):
    """SIGTERM with a charge of twenty seconds under way: gone within the grace, and the next worker finishes it."""
    settings = LONG_CALL | {"worker.shutdown_grace": "6s"}
    worker = run.worker(settings=settings)
    worker.wait_for_line('"partitions assigned","stage":"facade"')
    run.send(1, "reply lost")
    run.send(30)
    run.wait(30)
    worker.may_end = True
    _, seconds = timed(lambda: run.bench.stop([worker], seconds=10))
    say(f"  stopped after {seconds:.1f} s")
    faults = [f"the stop took {seconds:.1f} s"] if seconds > 6.5 else []
    again = run.worker(settings=settings)
    run.wait(seconds=60)
    # A second signal while it drains ends it at once, and spoils nothing.
    run.send(1, "reply lost")
    run.send(5)
    run.wait(len(run.load.made) - 1)
    again.may_end = True
    again.process.send_signal(signal.SIGTERM)
    again.wait_for_line('"worker stopping"')
    again.process.send_signal(signal.SIGTERM)
    if (code := again.process.wait(2)) != 128 + signal.SIGTERM:
        faults.append(f"a second signal ended it with {code}")
    last = run.worker(settings=settings)
    run.wait(seconds=90)
    return faults + run.conclude([last])


def pauses_do_not_outlive_a_rebalance(run, say):
    """Buffers full and intake paused while a second worker joins: everything goes on, memory is bounded."""
    settings = {"worker.in_flight_max": 8, "worker.held_bytes_max": 1 << 20, "sandbox.latency_max": "40ms"}
    first = run.worker(instance="a", settings=settings)
    first.wait_for_line('"partitions assigned","stage":"facade"')
    run.send(1500)
    run.wait(100)
    second = run.worker(instance="b", settings=settings)
    run.wait(seconds=150)
    memory = max(first.memory(), second.memory())
    say(f"  at most {memory} MiB")
    return run.conclude([first, second]) + ([f"{memory} MiB"] if memory > 300 else [])


def lost_offsets_charge_nobody_again(run, say):
    """Everything worked off, then the groups' offsets are gone: nothing is charged, answers are marked."""
    worker = run.worker()
    run.send(200)
    run.wait(seconds=60)
    run.bench.stop([worker])
    worker.may_end = True
    again = run.worker(settings={"connection.group_prefix": "other-"})
    again.wait_for_line('"partitions assigned","stage":"facade"')
    places = run.sender.places.values()

    def is_read_again():
        run.judge.look()
        return all(len(run.judge.finals.get(place, [])) > 1 for place in places)
    try:
        wait_until("the second reading", is_read_again, 60)
    except TimeoutError:
        pass  # Not to answer again is right as well.
    time.sleep(1)
    run.bench.stop([again])
    run.judge.finish()
    faults = [fault for fault in run.judge.audit.faults]
    for place in places:
        fresh = {id for _, id, body in run.judge.finals[place] if not body.get("replayed")}
        if len(fresh) != 1:
            faults.append(f"{place} has {len(fresh)} answers that are not marked as replays")
    from judge import ledger_faults
    return faults + ledger_faults(run.bench.ledger, run.load.made, {})


def an_outage_of_the_broker_loses_nothing(run, say, seconds):
    """The broker does not answer for a while, the local queue is small: back-pressure, few log lines, recovery."""
    small = {"queue.buffering.max.messages": 50}
    worker = run.worker(properties=small)
    worker.wait_for_line('"partitions assigned","stage":"facade"')
    run.send(1000)
    run.wait(100)
    before = len(worker.text().splitlines())
    run.broker.process.send_signal(signal.SIGSTOP)
    time.sleep(seconds)
    lines = len(worker.text().splitlines()) - before
    run.broker.process.send_signal(signal.SIGCONT)
    run.wait(seconds=120)
    memory = worker.memory()
    say(f"  {lines} log lines in {seconds} s, {memory} MiB")
    faults = run.conclude([worker])
    if lines > 20 * max(1, seconds / 60):
        faults.append(f"{lines} log lines in {seconds} s")
    return faults + ([f"{memory} MiB"] if memory > 300 else [])


def a_stop_with_a_full_queue_is_bounded(run, say):
    """The broker does not answer, the local queue is full, and then SIGTERM."""
    worker = run.worker(
        settings={"worker.shutdown_grace": "5s"}, properties={"queue.buffering.max.messages": 10})
    worker.wait_for_line('"partitions assigned","stage":"facade"')
    run.send(500)
    run.wait(20)
    run.broker.process.send_signal(signal.SIGSTOP)
    time.sleep(3)
    worker.may_end = True
    _, seconds = timed(lambda: run.bench.stop([worker], seconds=10))
    run.broker.process.send_signal(signal.SIGCONT)
    say(f"  stopped after {seconds:.1f} s")
    again = run.worker()
    run.wait(seconds=90)
    return run.conclude([again]) + ([f"the stop took {seconds:.1f} s"] if seconds > 6.5 else [])


def dead_letters_fit_one_partition(run, say):
    """Twelve partitions of requests, one of dead letters: each bad message has its letter, with where from and why."""
    worker = run.worker()
    for partition in range(12):
        run.send(1, "no JSON", partition)
        run.send(1, "ordinary", partition)
    run.wait(seconds=60)
    faults = run.conclude([worker])
    wanted = {"dlq-topic", "dlq-partition", "dlq-offset", "dlq-timestamp", "dlq-group", "dlq-code", "dlq-attempt",
              "dlq-first-failed-at", "dlq-last-failed-at"}
    for place, named, message in run.judge.audit.letters:
        if wanted - named.keys():
            faults.append(f"the letter of {place} lacks {sorted(wanted - named.keys())}")
        if named["dlq-code"] != b"malformed_json" or named["dlq-group"] != b"checkout-validation":
            faults.append(f"the letter of {place} says {named['dlq-code']}, {named['dlq-group']}")
    if len(run.judge.audit.letters) != 12:
        faults.append(f"{len(run.judge.audit.letters)} letters")
    return faults


def a_topic_made_again_is_told(run, say):
    """The topic of requests is deleted and made again, and soon longer than before: nothing is skipped without a word."""
    worker = run.worker("validation")
    run.send(20)
    wait_until("the first 20", lambda: sum(run.committed("validation").values()) == 20, 30)
    run.bench.stop([worker])
    worker.may_end = True
    admin = AdminClient({"bootstrap.servers": run.broker.address, "log_level": 2})
    for future in admin.delete_topics(["checkout.requests"]).values():
        future.result(20)
    for future in admin.create_topics([NewTopic("checkout.requests", 3, 1)]).values():
        future.result(20)
    run.sender = Sender(run.broker)  # the old one counts on from the old topic
    run.send(60)
    refused = run.worker("validation")
    refused.may_end = True
    code = refused.process.wait(30)
    faults = [] if code == 3 and "worker.out_of_range" in refused.text() else [f"it ended with {code}"]
    again = run.worker("validation", settings={"worker.out_of_range": "earliest"})
    again.wait_for_line("committed offset lost, partition started over")
    new = {request.key.decode() for request in run.load.made[20:]}

    def is_complete():
        run.judge.look()
        return new <= run.judge.validated_checkouts
    wait_until("the requests of the new topic", is_complete, 30)
    run.bench.stop([again])
    return faults


def two_workers_under_one_id_are_told(run, say):
    """Two live processes with the same name: one of them ends with exit code 4 and says why; nothing is done twice."""
    first = run.worker("facade", "same", settings={"connection.static_membership": "false"})
    validation = run.worker("validation", "v")
    reconciliation = run.worker("reconciliation", "r")
    run.send(20)
    run.wait(20)
    second = run.worker("facade", "same", settings={"connection.static_membership": "false"})
    first.may_end = second.may_end = True
    deadline = time.monotonic() + 60
    while first.process.poll() is None and second.process.poll() is None:
        if time.monotonic() > deadline:
            return ["neither has ended within 60 s"]
        run.send(2)
        time.sleep(0.2)
    time.sleep(1)
    ended = [worker for worker in (first, second) if worker.process.poll() is not None]
    faults = []
    for worker in ended:
        if worker.process.returncode != 4:
            faults.append(f"{worker.log} ended with {worker.process.returncode}")
        if "two live workers under one id" not in worker.text():
            faults.append(f"{worker.log} does not say why")
    say(f"  {len(ended)} of two ended")
    return faults + ledger_only(run, [first, second, validation, reconciliation])


def another_journal_is_refused(run, say):
    """A worker that finds offsets committed with another journal ends with exit code 4 and says so."""
    workers = [run.worker("validation", "v"), run.worker("facade", "f"), run.worker("reconciliation", "r")]
    run.send(20)
    run.wait(20)
    run.bench.stop(workers)
    for worker in workers:
        worker.may_end = True
    own = run.bench.journal
    run.bench.journal = f"sqlite:{run.bench.folder}/lost-and-made-again.db"
    stranger = run.worker("facade", "f")
    stranger.may_end = True
    code = stranger.process.wait(30)
    faults = [] if code == 4 and "journal" in stranger.text() else [f"it ended with {code}"]
    run.bench.journal = own
    workers = [run.worker("validation", "v"), run.worker("facade", "f"), run.worker("reconciliation", "r")]
    run.send(20)
    run.wait(40)
    return faults + run.conclude(workers)


def ledger_only(run, workers):
    """Charges of what was charged: none twice."""
    import sqlite3
    run.bench.stop([worker for worker in workers if worker.process.poll() is None])
    database = sqlite3.connect(f"file:{run.bench.ledger}?mode=ro", uri=True, timeout=10)
    twice = database.execute(
        "SELECT checkout_id FROM entries WHERE kind = 'captured' GROUP BY checkout_id HAVING count(*) > 1").fetchall()
    return [f"charged twice: {twice[:5]}"] if twice else []
