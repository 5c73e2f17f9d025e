"""The scenarios by name: what `chaos.py` runs, in the short and in the long form."""

import kill
import rebalance
import reports
import stuck
from brokers import Mock, Noida
from run import Run
from workers import FACADE_POINTS, VALIDATION_POINTS


def journal(options):
    """A new journal of the kind asked for; None: a SQLite file beside the logs."""
    return options.postgres.fresh(options.program) if options.postgres else None


def kill_stage(stage, points):
    def run(options, folder, seed, say):
        if not options.long:
            broker = Noida(folder, 3)
            try:
                return kill.each_point_once(
                    options.program, broker, folder, seed, say, 3, stage, 12, journal(options))
            finally:
                broker.kill()
        faults = []
        for point in points:
            place = folder / point
            place.mkdir()
            broker = Noida(place, 12)
            try:
                faults += kill.one_point(
                    options.program, broker, place, seed, say, 12, stage, point, 2_000, 8, journal(options))
            finally:
                broker.kill()
        return faults
    return run


def on_mock(partitions, body, **more):
    """`body(run, say)` on a mock cluster of its own."""
    def run(options, folder, seed, say):
        return one_run(options, Mock(options.program, partitions), folder, seed, say, body, more)
    return run


def on_noida(partitions, body, sizes=None, kinds=("ordinary",), **more):
    """`body(run, say)` on a noida-db of its own; `sizes`: partitions of single topics; `kinds`: None: all."""
    def run(options, folder, seed, say):
        return one_run(options, Noida(folder, partitions, sizes or {}), folder, seed, say, body, more, kinds)
    return run


def one_run(options, broker, folder, seed, say, body, more, kinds=("ordinary",)):
    run = Run(options.program, broker, folder, seed, journal(options), kinds)
    try:
        return body(run, say, **{name: value(options.long) for name, value in more.items()})
    finally:
        run.close()
        broker.kill()


def coming_and_going(options, folder, seed, say):
    broker = Mock(options.program, 6)
    seconds, rate = (240, 40) if options.long else (25, 20)
    try:
        return rebalance.coming_and_going(
            options.program, broker, folder, seed, say, seconds, rate, journal(options))
    finally:
        broker.kill()


def postgres_ends(options, folder, seed, say):
    broker = Noida(folder, 3)
    run = Run(options.program, broker, folder, seed, journal(options), kinds=None)
    try:
        return stuck.a_database_that_ends(run, say, options.postgres, 8 if options.long else 2)
    finally:
        run.close()
        broker.kill()


def size(short, long):
    return lambda is_long: long if is_long else short


SCENARIOS = {
    "kill-facade": kill_stage("facade", FACADE_POINTS),
    "kill-validation": kill_stage("validation", VALIDATION_POINTS),
    "rebalance": coming_and_going,
    "stuck-key": on_noida(12, stuck.one_key_that_never_ends, count=size(400, 4_000)),
    "broker-restart": on_noida(3, stuck.a_broker_that_restarts, rounds=size(1, 5)),
    "broker-still": on_noida(3, stuck.a_broker_that_stands_still, rounds=size(1, 10)),
    "same-identity": on_noida(3, reports.two_workers_under_one_id_are_told),
    "topic-again": on_noida(3, reports.a_topic_made_again_is_told),
    "other-journal": on_noida(3, reports.another_journal_is_refused),
    "dead-letters": on_noida(12, reports.dead_letters_fit_one_partition, sizes={"dead-letters": 1}),
    "revoke-finished": on_mock(8, reports.finished_work_is_not_thrown_away),
    "revoke-stuck": on_mock(4, reports.rebalance_does_not_wait_for_stuck_work),
    "poll-interval": on_mock(4, reports.work_may_last_longer_than_the_poll_interval),
    "stop-stuck": on_mock(4, reports.a_stop_is_bounded_by_its_grace),
    "stop-full-queue": on_mock(4, reports.a_stop_with_a_full_queue_is_bounded),
    "pause-rebalance": on_mock(12, reports.pauses_do_not_outlive_a_rebalance),
    "lost-offsets": on_mock(4, reports.lost_offsets_charge_nobody_again),
    "outage": on_mock(4, reports.an_outage_of_the_broker_loses_nothing, seconds=size(10, 60)),
    "kill-postgres": postgres_ends,
}
# Scenarios that have a PostgreSQL whatever `--journal` says.
NEED_POSTGRES = {"kill-postgres"}
