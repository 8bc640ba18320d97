"""Every fault, in the two lengths in which it is tried."""

from functools import partial

from faults.clock import clock_set
from faults.failover import cluster_in_motion, primary_killed
from faults.ground import Fault
from faults.processes import rolling_restart, store_frozen, store_killed, workers_killed
from faults.soak import soak
from faults.stores import no_room
from faults.wires import connections_cut

SOAK_SECONDS = 900.0


def catalogue(soak_seconds: float = SOAK_SECONDS) -> tuple[Fault, ...]:
    """The faults in the order of the table; the soak takes so many seconds in its full length."""
    return (
        Fault("worker", partial(workers_killed, times=3, bots=20), partial(workers_killed, times=20)),
        Fault("store", partial(store_killed, times=2, bots=20), partial(store_killed, times=10)),
        Fault("frozen", partial(store_frozen, seconds=3, bots=20, calm=1), partial(store_frozen, seconds=10)),
        Fault("failover", partial(primary_killed, times=1, bots=20), partial(primary_killed, times=3)),
        Fault(
            "cluster",
            partial(cluster_in_motion, slots=20, kills=1, bots=20),
            partial(cluster_in_motion, slots=200, kills=3),
        ),
        Fault("cut", partial(connections_cut, seconds=4, bots=20), partial(connections_cut, seconds=30)),
        Fault("full", partial(no_room, seconds=1), partial(no_room, seconds=5)),
        Fault("clock", partial(clock_set, jumps=3, bots=12), partial(clock_set, jumps=12)),
        Fault("rolling", partial(rolling_restart, times=2, bots=20), partial(rolling_restart, times=4)),
        Fault(
            "soak",
            partial(soak, seconds=6, spells=3, slower=10, matches=500),
            partial(soak, seconds=soak_seconds, spells=max(5, round(soak_seconds / 30))),
        ),
    )
