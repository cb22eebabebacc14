"""The part of the report that is about seconds and bytes of memory."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from statistics import median
from typing import Any

import speed
from data_sets import named
from store import Store, numbers_of, sizes_of
from systems import COPIES, COPY, COPY_CLUSTERED, COPY_OUR_WRITER, SYSTEMS
from tables import bound, compared, section, table

# What the number of files does to the seconds.
FILES_TOLD = (
    "Hudi's own strategies write more files than they are asked for, each with a Bloom filter of"
    " 431 KB, and spend a part of their seconds on that."
)
_EXPLAINED = f"""\
Seconds, zstd for all, two cores; cold is a JVM's first clustering, warm its second. Of two
rounds, which go through all systems by turns, the mean is told; what has none was run once. The
copy reads the base files with Spark's vectorised reader and writes them with Hudi's bulk insert, in
their order, a file for a file: the floor of what a clustering by Hudi can cost. `copy-our-writer`
is the same copy by the writer that this plugin puts in place of Hudi's, which makes the same bytes
in less time. Both copy the eight files that were loaded; `copy-clustered` copies what the tree has
made of them, so that it writes as many files, bloom filters and statistics as the tree does, in a
JVM that the tree's own run has warmed: its cold is no cold, and its warm flatters it.

{FILES_TOLD}"""


class Rounds(list[Mapping[str, Any]]):
    """The rounds of one system on one job that have a result, of so many; maybe none."""

    def __init__(self, found: Iterable[Mapping[str, Any]] = (), of: int = 0) -> None:
        super().__init__(found)
        self.complete = len(self) == of


# By system, of one job of a series.
Runs = Mapping[str, Rounds]
Jobs = Mapping[str, Runs]
_PEAKS, _KINDS = ("peak_old", "peak_resident"), ("cold", "warm")
_MOST_OF_PEERS = {"cold": 0.95, "warm": 0.9}
_MOST_OF_COPY = {"store_sales_sf0.1": 1.5, "store_sales_sf0.35": 1.35}  # 0.3, 1 million rows


def sections(results: Path, *, quick: bool) -> list[str]:
    """Returns the sections of all series."""
    by_series: dict[str, Jobs] = defaultdict(dict)
    for series in speed.series(quick=quick):
        rounds = {
            system.name: Store(results, f"speed-{series.name}-{system.name}").runs.rounds
            for system in series.systems
        }
        by_series[series.name] = {
            job: {name: Rounds(found.get(job, []), series.rounds) for name, found in rounds.items()}
            for job in series.jobs
        }
    told = (
        _comparison(by_series["compare"], "Speed: all systems", 1.4),
        _comparison(by_series["four"], "Speed: four columns", 1.4),
        _comparison(by_series["large"], "Speed: a larger table", 1.3),
    )
    return [
        f"## Speed: what is compared\n\n{_EXPLAINED}"
        if any("\n|" in part for part in told)
        else "",
        *told,
        _rows(by_series["rows"]),
        _plain(by_series["columns"], "Speed: cost by columns"),
        _files(by_series["files"]),
        _wide(by_series["wide"]),
        _partitions(by_series["partitions"]),
        _touched(by_series["touched"]),
        _planning(by_series["planning"]),
        _records(by_series["records"]),
        _updated(by_series["updated"]),
        _memory(by_series["memory"], by_series["inserting"]),
    ]


def inserted(job: str) -> str:
    """Says what a bulk insert takes."""
    thousands, partitions = numbers_of(job)
    return f"bulk insert of {thousands * 1000:,} rows from {partitions:,} input partitions"


def _median(runs: Runs, system: str, temperature: str = "warm") -> float | None:
    found = runs.get(system)
    return median(run[temperature] for run in found) if found else None


def _quotient(runs: Runs, system: str, other: str, temperature: str = "warm") -> float | None:
    return _ratio(runs.get(system, ()), runs.get(other, ()), temperature)


def _ratio(runs: Sequence[Any], others: Sequence[Any], temperature: str) -> float | None:
    """Returns the median of some rounds over that of others; None without either."""
    if not runs or not others:
        return None
    a, b = (median(run[temperature] for run in rounds) for rounds in (runs, others))
    return compared(a / b, (*runs, *others))


def _comparison(jobs: Jobs, title: str, most_of_own_copy: float) -> str:
    parts = []
    for job, runs in jobs.items():
        rows = []
        for system in (name for name in SYSTEMS if runs.get(name)):
            last = runs[system][-1]
            rows.append(
                [
                    system,
                    _median(runs, system, "cold"),
                    _median(runs, system),
                    *(_quotient(runs, system, copy.name) for copy in COPIES),
                    len(runs[system]),
                    last["files"],
                    last["bytes"] / 1e6,
                ]
            )
        header = (
            *("system", "cold s", "warm s"),
            *(f"of {copy.name}" for copy in COPIES),
            *("rounds", "files", "MB"),
        )
        parts += [f"{job.replace('/', ' / ')} (data / columns / files asked)", table(header, rows)]
        parts.append("\n".join(_comparison_bounds(runs, most_of_own_copy)))
        parts += _phases(runs)
    return section(title, *parts)


def _comparison_bounds(runs: Runs, most_of_own_copy: float) -> Iterator[str]:
    warm = {
        COPY.name: 1.35,
        COPY_OUR_WRITER.name: most_of_own_copy,
        COPY_CLUSTERED.name: 1.35,
        "linear": 1.1,
        "hudi-zorder-sample": 0.35,
        "hudi-linear": 0.8,
    }
    limits = [(other, "warm", limit) for other, limit in warm.items()]
    for peer in ("iceberg-zorder", "delta-zorder"):
        limits += [(peer, kind, limit) for kind, limit in _MOST_OF_PEERS.items()]
    for other, kind, limit in limits:
        if other in runs:  # a quick run has not all of them
            yield _of(runs, other, kind, limit)


def _of(runs: Runs, other: str, kind: str, limit: float, job: str = "", variant: str = "") -> str:
    systems = (f"tree{variant}", f"{other}{variant}")
    complete = all(runs[system].complete for system in systems)
    quotient = _quotient(runs, *systems, kind) if complete else None
    return bound(f"tree against {other}, {kind}", quotient, limit, job)


def _phases(runs: Runs) -> list[str]:
    """Returns the tree's phases beside the copy, which has no other than reading and writing."""
    if not (runs["tree"] and runs["copy"]):
        return []
    phases = [run["warm_phases"] for run in runs["tree"]]
    rows = [[name, median(p.get(name, 0.0) for p in phases)] for name in phases[0]]
    seconds, floor = _median(runs, "tree") or 0.0, _median(runs, "copy") or 0.0
    text = (
        f"Where the tree's {seconds:.1f} s (warm) go; the copy takes {floor:.1f} s for"
        " reading, encoding and the commit. A bound that is missed is held by `read and shuffle`,"
        " whose serialization and shuffle files a copy does without, and by fetching and sorting"
        " rows in `sort and write`: see the profile of both."
    )
    return [text, table(("phase of the tree", "seconds"), rows)]


def _rows(jobs: Jobs) -> str:
    by_data = {job.split("/")[0]: runs for job, runs in jobs.items()}
    points = []
    table_rows = []
    for name, runs in by_data.items():
        rows = _row_count(name)
        cells = [_row_cells(runs, kind) for kind in _KINDS]
        if any(runs.values()):
            table_rows.append([name, rows, *(cell for kind in cells for cell in kind)])
        if rows >= 900_000:
            points.append((rows, runs["tree"]))
    points.sort(key=itemgetter(0))
    bounds = [
        _of(by_data[name], COPY.name, kind, limit, name)
        for name, limit in _MOST_OF_COPY.items()
        if name in by_data
        for kind in _KINDS
    ]
    if points:
        exponent = _exponent(points[0], points[-1])
        bounds.append(bound("exponent of rows from 1 to 10 million", exponent, 1.1))
    header = [f"{what}, {kind}" for kind in _KINDS for what in ("tree s", "copy s", "of the copy")]
    return section(
        "Speed: cost by rows",
        table(("data", "rows", *header), sorted(table_rows, key=str)),
        "\n".join(bounds),
    )


def _exponent(fewest: tuple[int, Rounds], most: tuple[int, Rounds]) -> float | None:
    ratio = _ratio(most[1], fewest[1], "warm")
    if ratio is None:
        return None
    return compared(math.log(ratio) / math.log(most[0] / fewest[0]), (*fewest[1], *most[1]))


def _row_cells(runs: Runs, kind: str) -> tuple[float | None, ...]:
    return (
        _median(runs, "tree", kind),
        _median(runs, COPY.name, kind),
        _quotient(runs, "tree", COPY.name, kind),
    )


def _row_count(name: str) -> int:
    # dsdgen's rows are proportional to its scale, as exactly as an exponent needs them.
    return round(2_880_404 * float(name.removeprefix("store_sales_sf")))


def _plain(jobs: Jobs, title: str) -> str:
    rows = [
        [job.replace("/", " / "), _median(runs, "tree", "cold"), _median(runs, "tree")]
        for job, runs in sorted(jobs.items(), key=lambda item: sizes_of(item[0]))
        if runs["tree"]
    ]
    return section(title, table(("data / columns / files", "cold s", "warm s"), rows))


def _files(jobs: Jobs) -> str:
    systems = ("tree", "copy-clustered")
    by_files = {sizes_of(job)[-1]: runs for job, runs in jobs.items()}
    rows = [
        [files, *(_median(runs, system, kind) for system in systems for kind in _KINDS)]
        for files, runs in sorted(by_files.items())
        if any(runs.values())
    ]
    header = ("files", *(f"{system}, {kind} s" for system in systems for kind in _KINDS))
    return section(
        "Speed: cost by files",
        "`copy-clustered` copies as many files, and those very rows in them.",
        table(header, rows),
        "\n".join(_more_a_file(by_files, kind) for kind in _KINDS) if jobs else "",
    )


def _more_a_file(by_files: Mapping[int, Runs], kind: str) -> str:
    ends = [by_files[files] for files in (min(by_files), max(by_files))]
    tree, copy = (
        [_median(runs, name, kind) for runs in ends] for name in ("tree", "copy-clustered")
    )
    more = None
    if None not in (*tree, *copy):
        seconds = (tree[1] - tree[0]) - (copy[1] - copy[0])
        milliseconds = seconds * 1000 / (max(by_files) - min(by_files))
        more = compared(
            milliseconds, [run for runs in ends for rounds in runs.values() for run in rounds]
        )
    what = f"milliseconds a file more than the copy of as many, {kind}"
    return bound(f"{what}, {min(by_files)} to {max(by_files)} files", more, 10)


def _wide(jobs: Jobs) -> str:
    rows = [
        [job.split("/")[0], name, _median(runs, name, "cold"), _median(runs, name)]
        for job, runs in sorted(jobs.items(), key=lambda item: item[0])
        for name in runs
        if runs[name]
    ]
    bounds = [
        _of(runs, "hudi-linear", kind, 0.6, job) for job, runs in jobs.items() for kind in _KINDS
    ]
    header = ("data", "system", "cold s", "warm s")
    return section("Speed: wide tables", table(header, rows), "\n".join(bounds))


def _partitions(jobs: Jobs) -> str:
    rows = []
    for job, runs in jobs.items():
        for name, done in ((name, done) for name, done in runs.items() if done):
            old, resident = (max(run[key] for run in done) / 2**20 for key in _PEAKS)
            rows.append(
                [job, name, _median(runs, name, "cold"), _median(runs, name), old, resident]
            )
    bounds = [
        _of(runs, "hudi-linear", kind, 0.2, job) for job, runs in jobs.items() for kind in _KINDS
    ]
    header = ("data / columns / files", "system", "cold s", "warm s", "old generation MiB")
    return section(
        "Speed: small partitions",
        "Each partition is a clustering group of one file of 200 rows; `hudi-linear` is"
        " at Hudi's own defaults. Both run by Java's parallel collector, as our command line does."
        " Peaks of a heap of 2 GB, its old generation, and of the process, in local mode, where the"
        " driver executes too.",
        table((*header, "process MiB"), rows),
        "\n".join(bounds),
    )


def _touched(jobs: Jobs) -> str:
    rows = [
        [job, run["cold"], run["warm"], run["written"], run["kept"]]
        for job, runs in jobs.items()
        for run in runs["upkeep"]
    ]
    by_days = {int(job.split("/")[0].rpartition("_")[2]): runs for job, runs in jobs.items()}
    bounds = []
    if len(by_days) > 1:
        few, many = min(by_days), max(by_days)
        for kind in ("cold", "warm"):
            quotient = _ratio(by_days[many]["upkeep"], by_days[few]["upkeep"], kind)
            what = f"{many:,} partitions against {few:,}, as many of them new, {kind}"
            bounds.append(bound(what, quotient, 1.5))
    header = ("data / partitions with new rows", "cold s", "warm s", "files written", "kept")
    return section(
        "Speed: few of many partitions",
        "Seconds of `cluster` after 20 partitions of a clustered table got 200 new rows each, in a"
        " heap of 2 GB: of many partitions, and of a table that has no others.",
        table(header, rows),
        "\n".join(bounds),
    )


def _planning(jobs: Jobs) -> str:
    rows = [
        [int(job.split("/")[0]), run["cold"], run["warm"], run["groups"], run["peak_old"] >> 20]
        for job, runs in jobs.items()
        for run in runs["upkeep"]
    ]
    header = ("files", "cold s", "warm s", "groups", "old generation MiB")
    return section(
        "Speed: plans of many files",
        "Seconds of `table.plan` on a driver of 4 GB, by footers that each hold Hudi's Bloom filter"
        " of 431 KB; no file is laid out, and the plan takes all.",
        table(header, rows),
    )


def _records(jobs: Jobs) -> str:
    parts = []
    for job, runs in jobs.items():
        rows = [
            [name, _median(runs, name, "cold"), _median(runs, name)] for name in runs if runs[name]
        ]
        quotient = _quotient(runs, "tree-records", "hudi-linear-records")
        parts += [
            f"{job.replace('/', ' / ')} (data / columns / files), row writer off",
            table(("system", "cold s", "warm s"), rows),
            bound("record path against Hudi's own linear sort", quotient, 1.2),
        ]
    return section("Speed: the record path", *parts)


def _updated(jobs: Jobs) -> str:
    rows = [
        [job, name, _median(runs, name, "cold"), _median(runs, name)]
        for job, runs in jobs.items()
        for name in runs
        if runs[name]
    ]
    bounds = [
        _of(runs, "hudi-linear", kind, 0.2, job, "-updated")
        for job, runs in jobs.items()
        if job.startswith("days_")
        for kind in _KINDS
    ]
    return section(
        "Speed: tables with log files",
        "Of a merge-on-read table every twentieth row was updated before it was clustered.",
        table(("data / columns / files", "system", "cold s", "warm s"), rows),
        "\n".join(bounds),
    )


def _memory(clustered: Jobs, inserts: Jobs) -> str:
    told = {
        **{job: f"clustering: {named(job.split('/')[0]).source}" for job in clustered},
        **{job: inserted(job) for job in inserts},
    }
    rows = []
    for job, runs in (*clustered.items(), *inserts.items()):
        for run in runs["tree"]:
            sizes = [run[key] / 2**30 for key in ("bytes", *_PEAKS)]
            rows.append([told[job], run["files"], run["cold"], run["warm"], *sizes])
    header = (
        *("what", "files", "cold s", "warm s"),
        *("files GiB", "old generation GiB", "process GiB"),
    )
    return section(
        "Memory: a heap of 1 GB",
        "Peaks of what stays in the heap, its old generation, and of the whole process.",
        table(header, rows),
    )
