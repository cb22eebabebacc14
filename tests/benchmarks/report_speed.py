"""The part of the report that is about seconds, nanoseconds and bytes of memory."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median
from typing import Any

from store import Store, sizes_of, stores
from systems import COPIES, COPY, COPY_CLUSTERED, COPY_OUR_WRITER, SYSTEMS
from tables import bound, section, table

_EXPLAINED = """\
Medians in seconds, zstd for all, two cores; cold is a JVM's first clustering, warm its second. The
copy reads the base files with Spark's vectorised reader and writes them with Hudi's bulk insert, in
their order, a file for a file: the floor of what a clustering by Hudi can cost. `copy-our-writer`
is the same copy by the writer that this plugin puts in place of Hudi's, which makes the same bytes
in less time. Both copy the eight files that were loaded; `copy-clustered` copies what the tree has
made of them, so that it writes as many files, bloom filters and statistics as the tree does, in a
JVM that the tree's own run has warmed: its cold is no cold, and its warm flatters it."""
Runs = Mapping[str, list[Mapping[str, Any]]]
_COLUMNS = (2, 3, 4, 8)
_PEAKS = ("peak_old", "peak_resident")
_KINDS = ("cold", "warm")
# Of a copy by this plugin's writer, by series.
_MOST_OF_OWN_COPY = {"compare": 1.4, "four": 1.4, "large": 1.3}
_MOST_OF_PEERS = {"cold": 0.95, "warm": 0.9}
# Of a copy, of 0.3 and of 1 million rows.
_MOST_OF_COPY = {"store_sales_sf0.1": 1.5, "store_sales_sf0.35": 1.35}


def sections(results: Path) -> list[str]:
    """Returns the sections of all series that have results."""
    by_series: dict[str, dict[str, dict[str, list[Any]]]] = defaultdict(dict)
    for name, store in stores(results, "speed").items():
        series, _, system = name.partition("-")
        for text, result in store.runs.items():
            job = text.partition("#")[0]
            by_series[series].setdefault(job, {}).setdefault(system, []).append(result)
    return [
        section("Speed: what is compared", _EXPLAINED) if by_series else "",
        _comparison(by_series, "compare", "Speed: all systems"),
        _comparison(by_series, "four", "Speed: four columns"),
        _comparison(by_series, "large", "Speed: a larger table"),
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
        _profile(Store(results, "profile-tree"), Store(results, "profile-copy")),
        _jmh(Store(results, "jmh-all")),
        _functions(Store(results, "functions-all")),
    ]


def _median(runs: Runs, system: str, temperature: str = "warm") -> float | None:
    found = runs.get(system)
    return median(run[temperature] for run in found) if found else None


def _quotient(runs: Runs, system: str, other: str, temperature: str = "warm") -> float | None:
    a, b = (_median(runs, name, temperature) for name in (system, other))
    return None if a is None or b is None else a / b


def _comparison(by_series: Mapping[str, Mapping[str, Runs]], series: str, title: str) -> str:
    parts = []
    for job, runs in by_series[series].items():
        rows = []
        for system in (name for name in SYSTEMS if name in runs):
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
        parts += [f"{job.replace('/', ' / ')} (data / columns / files)", table(header, rows)]
        parts.append("\n".join(_comparison_bounds(runs, _MOST_OF_OWN_COPY[series])))
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
    for other, limit in warm.items():
        yield _of(runs, other, "warm", limit)
    for peer in ("iceberg-zorder", "delta-zorder"):
        for kind, limit in _MOST_OF_PEERS.items():
            yield _of(runs, peer, kind, limit)


def _of(runs: Runs, other: str, kind: str, limit: float, job: str = "", variant: str = "") -> str:
    quotient = _quotient(runs, f"tree{variant}", f"{other}{variant}", kind)
    return bound(f"tree against {other}, {kind}", quotient, limit, job)


def _phases(runs: Runs) -> list[str]:
    """Returns the tree's phases beside the copy, which has no other than reading and writing."""
    if "tree" not in runs or "copy" not in runs:
        return []
    phases = [run["warm_phases"] for run in runs["tree"]]
    rows = [[name, median(p.get(name, 0.0) for p in phases)] for name in phases[0]]
    seconds, floor = _median(runs, "tree") or 0.0, _median(runs, "copy") or 0.0
    text = (
        f"Where the tree's {seconds:.1f} s (warm, medians) go; the copy takes {floor:.1f} s for"
        " reading, encoding and the commit. A bound that is missed is held by `read and shuffle`,"
        " whose serialization and shuffle files a copy does without, and by fetching and sorting"
        " rows in `sort and write`: see the profile of both."
    )
    return [text, table(("phase of the tree", "seconds"), rows)]


def _rows(jobs: Mapping[str, Runs]) -> str:
    by_data = {job.split("/")[0]: runs for job, runs in jobs.items()}
    points = []
    table_rows = []
    for name, runs in by_data.items():
        rows = _row_count(name)
        cells = [_row_cells(runs, kind) for kind in _KINDS]
        table_rows.append([name, rows, *(cell for kind in cells for cell in kind)])
        seconds = _median(runs, "tree")
        if rows and seconds and rows >= 900_000:
            points.append((math.log(rows), math.log(seconds)))
    exponent = None
    if len(points) > 1:
        (x0, y0), (x1, y1) = min(points), max(points)
        exponent = (y1 - y0) / (x1 - x0)
    bounds = [
        _of(by_data[name], COPY.name, kind, limit, name)
        for name, limit in _MOST_OF_COPY.items()
        if name in by_data
        for kind in _KINDS
    ]
    bounds.append(bound("exponent of rows from 1 to 10 million", exponent, 1.1))
    header = [f"{what}, {kind}" for kind in _KINDS for what in ("tree s", "copy s", "of the copy")]
    return section(
        "Speed: cost by rows",
        table(("data", "rows", *header), sorted(table_rows, key=str)),
        "\n".join(bounds) if jobs else "",
    )


def _row_cells(runs: Runs, kind: str) -> tuple[float | None, ...]:
    return (
        _median(runs, "tree", kind),
        _median(runs, COPY.name, kind),
        _quotient(runs, "tree", COPY.name, kind),
    )


def _row_count(name: str) -> int | None:
    scale = name.removeprefix("store_sales_sf")
    # dsdgen's rows are proportional to its scale, as exactly as an exponent needs them.
    return round(2_880_404 * float(scale)) if scale != name else None


def _plain(jobs: Mapping[str, Runs], title: str) -> str:
    rows = [
        [job.replace("/", " / "), _median(runs, "tree", "cold"), _median(runs, "tree")]
        for job, runs in sorted(jobs.items(), key=lambda item: sizes_of(item[0]))
    ]
    return section(title, table(("data / columns / files", "cold s", "warm s"), rows))


def _files(jobs: Mapping[str, Runs]) -> str:
    systems = ("tree", "copy-clustered")
    by_files = {sizes_of(job)[-1]: runs for job, runs in jobs.items()}
    rows = [
        [files, *(_median(runs, system, kind) for system in systems for kind in _KINDS)]
        for files, runs in sorted(by_files.items())
    ]
    header = ("files", *(f"{system}, {kind} s" for system in systems for kind in _KINDS))
    return section(
        "Speed: cost by files",
        "`copy-clustered` copies as many files, and those very rows in them.",
        table(header, rows),
        "\n".join(_more_a_file(by_files, kind) for kind in _KINDS) if rows else "",
    )


def _more_a_file(by_files: Mapping[int, Runs], kind: str) -> str:
    ends = [by_files[files] for files in (min(by_files), max(by_files))]
    tree, copy = (
        [_median(runs, name, kind) for runs in ends] for name in ("tree", "copy-clustered")
    )
    more = None
    if None not in (*tree, *copy):
        seconds = (tree[1] - tree[0]) - (copy[1] - copy[0])
        more = seconds * 1000 / (max(by_files) - min(by_files))
    what = f"milliseconds a file more than the copy of as many, {kind}"
    return bound(f"{what}, {min(by_files)} to {max(by_files)} files", more, 10)


def _wide(jobs: Mapping[str, Runs]) -> str:
    rows = [
        [job.split("/")[0], name, _median(runs, name, "cold"), _median(runs, name)]
        for job, runs in sorted(jobs.items(), key=lambda item: item[0])
        for name in runs
    ]
    bounds = [
        _of(runs, "hudi-linear", kind, 0.6, job) for job, runs in jobs.items() for kind in _KINDS
    ]
    header = ("data", "system", "cold s", "warm s")
    return section("Speed: wide tables", table(header, rows), "\n".join(bounds))


def _partitions(jobs: Mapping[str, Runs]) -> str:
    if not jobs:
        return ""
    rows = []
    for job, runs in jobs.items():
        for name, done in runs.items():
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


def _touched(jobs: Mapping[str, Runs]) -> str:
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
            seconds = [_median(by_days[days], "upkeep", kind) for days in (few, many)]
            what = f"{many:,} partitions against {few:,}, as many of them new, {kind}"
            bounds.append(bound(what, seconds[1] / seconds[0], 1.5))
    header = ("data / partitions with new rows", "cold s", "warm s", "files written", "kept")
    return section(
        "Speed: few of many partitions",
        "Seconds of `cluster` after 20 partitions of a clustered table got 200 new rows each, in a"
        " heap of 2 GB: of many partitions, and of a table that has no others."
        if rows
        else "",
        table(header, rows) if rows else "",
        "\n".join(bounds),
    )


def _planning(jobs: Mapping[str, Runs]) -> str:
    rows = [
        [int(job.split("/")[0]), run["cold"], run["warm"], run["groups"], run["peak_old"] >> 20]
        for job, runs in jobs.items()
        for run in runs["upkeep"]
    ]
    header = ("files", "cold s", "warm s", "groups", "old generation MiB")
    return section(
        "Speed: plans of many files",
        "Seconds of `table.plan` on a driver of 4 GB, by footers that each hold Hudi's Bloom filter"
        " of 431 KB; no file is laid out, and the plan takes all."
        if rows
        else "",
        table(header, rows) if rows else "",
    )


def _records(jobs: Mapping[str, Runs]) -> str:
    parts = []
    for job, runs in jobs.items():
        rows = [[name, _median(runs, name, "cold"), _median(runs, name)] for name in runs]
        quotient = _quotient(runs, "tree-records", "hudi-linear-records")
        parts += [
            f"{job.replace('/', ' / ')} (data / columns / files), row writer off",
            table(("system", "cold s", "warm s"), rows),
            bound("record path against Hudi's own linear sort", quotient, 1.2),
        ]
    return section("Speed: the record path", *parts)


def _updated(jobs: Mapping[str, Runs]) -> str:
    rows = [
        [job, name, _median(runs, name, "cold"), _median(runs, name)]
        for job, runs in jobs.items()
        for name in runs
    ]
    bounds = [
        _of(runs, "hudi-linear", kind, 0.2, job, "-updated")
        for job, runs in jobs.items()
        if job.startswith("days_")
        for kind in _KINDS
    ]
    return section(
        "Speed: tables with log files",
        "Of a merge-on-read table every twentieth row was updated before it was clustered."
        if rows
        else "",
        table(("data / columns / files", "system", "cold s", "warm s"), rows) if rows else "",
        "\n".join(bounds),
    )


def _memory(clustered: Mapping[str, Runs], inserted: Mapping[str, Runs]) -> str:
    rows = []
    for job, runs in (*clustered.items(), *inserted.items()):
        for run in runs.get("tree", []):
            sizes = [run[key] / 2**30 for key in ("bytes", *_PEAKS)]
            rows.append([job.replace("/", " / "), run["cold"], run["warm"], *sizes])
    if not rows:
        return ""
    header = (
        *("data / columns / files", "cold s", "warm s"),
        *("files GiB", "old generation GiB", "process GiB"),
    )
    return section(
        "Memory: a heap of 1 GB",
        "8,000,000 rows of 512 bytes and more, and 4,000,000 of eight texts to sort by, each in one"
        " group; 2,000 partitions; and a bulk insert of 4 million rows from 2,000 input partitions"
        " (thousands of rows / partitions). Peaks of what stays in the heap, its old generation,"
        " and of the whole process.",
        table(header, rows),
    )


def _profile(tree: Store, copy: Store) -> str:
    parts = []
    for job, result in tree.runs.items():
        samples = result["samples"]
        copied = copy.runs.get(job, {"samples": {}})["samples"]
        total = sum(samples.values())
        rows = [
            [name, samples.get(name, 0), copied.get(name, 0), samples.get(name, 0) / total]
            for name in sorted({**copied, **samples}, key=lambda name: -samples.get(name, 0))
        ]
        parts += [
            f"{job.replace('/', ' / ')}: samples of executor threads, taken at one rate for both:"
            f" {total:,} of the tree's second clustering, {sum(copied.values()):,} of the copy's.",
            table(("what ran", "tree", "copy", "share of the tree's"), rows),
            bound("key and routing work", samples.get("key and routing", 0) / total, 0.05),
            "Phases of the strategy, seconds:",
            table(("phase", "seconds"), list(result["phases"].items())),
        ]
    return section("Profile: where the time goes", *parts)


def _jmh(store: Store) -> str:
    by_name: dict[str, dict[int, float]] = defaultdict(dict)
    others = []
    for key, score in store.runs.items():
        name, columns, rest = _parts(key)
        if columns:
            by_name[name + rest][columns] = score["score"]
        else:
            others.append([name + rest, score["score"], score["unit"], score.get("modelBytes")])
    if not by_name:
        return ""
    nanoseconds = [
        [name, *(scores.get(columns) for columns in _COLUMNS)] for name, scores in by_name.items()
    ]
    bounds = [
        bound(
            f"interleaving against {system}, at worst of 2, 3, 4 and 8 columns",
            _worst_quotient(by_name, "interleaveOurs", f"interleave{system}"),
            limit,
        )
        for system, limit in (("Hudi", 0.2), ("Iceberg", 1.0))
    ]
    for name, seconds, _, size in others:
        if name.startswith("tree, 100000 files"):
            bounds.append(bound("seconds to build the model of 100,000 files", seconds, 20))
            bounds.append(bound("its bytes as sent, in MB", size / 1e6, 64))
    return section(
        "Nanoseconds a row",
        "JMH, one thread, the same random longs for all.",
        table(("benchmark", *(f"{columns} columns" for columns in _COLUMNS)), nanoseconds),
        table(("benchmark", "score", "unit", "bytes of the model"), others),
        "\n".join(bounds),
    )


def _parts(key: str) -> tuple[str, int, str]:
    """Returns benchmark, number of columns (0 if it has none) and its other parameters."""
    name, _, parameters = key.rpartition(".")[2].partition("(")
    found = dict(part.split("=") for part in parameters.rstrip(")").split(", ") if part)
    columns = int(found.pop("columns", 0))
    return name, columns, "".join(f", {value} {what}" for what, value in found.items())


def _worst_quotient(
    by_name: Mapping[str, Mapping[int, float]], ours: str, theirs: str
) -> float | None:
    a, b = by_name.get(ours, {}), by_name.get(theirs, {})
    quotients = [a[columns] / b[columns] for columns in _COLUMNS if columns in a and columns in b]
    return max(quotients, default=None)


def _functions(store: Store) -> str:
    limits = {"two longs": 1.5, "four mixed": 3.0}
    names = ("reading alone", "xxhash64", "zorder_value", "hilbert_value")
    rows = [[columns, *(run[name] for name in names)] for columns, run in store.runs.items()]
    bounds = [
        bound(
            f"zorder_value of {columns}, of xxhash64",
            run["zorder_value"] / run["xxhash64"],
            limits[columns],
        )
        for columns, run in store.runs.items()
    ]
    return (
        section(
            "SQL functions beside Spark's hash",
            "Seconds of a query of a million cached rows on one core, medians; each makes a column"
            " of the columns named and writes it nowhere.",
            table(("columns", *names), rows),
            "\n".join(bounds),
        )
        if rows
        else ""
    )
