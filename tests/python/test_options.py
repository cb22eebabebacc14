"""Options are checked when they are made, and become Hudi's keys."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace
from dataclasses import fields as dataclass_fields
from typing import Any

import numpy as np
import pytest

from hudi_zorder import ColumnError, OptionError, ZOrderOptions
from hudi_zorder.clustering.hudi_options import parted
from hudi_zorder.commands import command
from hudi_zorder.option_checks import parse_size
from hudi_zorder.options import (
    LOCKING,
    ONLY_STREAM,
    PREFIX,
    SEED,
    STREAM,
    SWITCHES,
    check_own_keys,
    options_from,
    union_list,
)


def test_defaults_become_hudi_keys() -> None:
    assert ZOrderOptions(columns=["b", "a.c"]).to_dict() == {
        "hoodie.clustering.plan.strategy.class": "io.hudizorder.ZOrderClusteringPlanStrategy",
        "hoodie.clustering.execution.strategy.class": (
            "io.hudizorder.ZOrderClusteringExecutionStrategy"
        ),
        "hoodie.clustering.plan.strategy.sort.columns": "b,a.c",
        "hoodie.layout.optimize.strategy": "ZORDER",
        "hoodie.layout.optimize.curve.build.method": "SAMPLE",
        "hoodie.layout.optimize.build.curve.sample.size": "200000",
        "hoodie.clustering.zorder.cuts": "tree",
        "hoodie.clustering.zorder.file.order": "auto",
        "hoodie.clustering.zorder.page.row.limit": "20000",
        "hoodie.clustering.zorder.seed": "0",
        "hoodie.clustering.zorder.verify": "count",
        "hoodie.clustering.zorder.wait.for.writers": "600",
        "hoodie.clustering.plan.strategy.target.file.max.bytes": str(128 * 1024 * 1024),
        "hoodie.clustering.plan.strategy.small.file.limit": str(2**63 - 1),
        "hoodie.clustering.plan.strategy.max.bytes.per.group": str(2**63 - 1),
        "hoodie.clustering.plan.strategy.max.num.groups": str(2**31 - 1),
        "hoodie.clustering.plan.strategy.single.group.clustering.enabled": "true",
        "hoodie.clustering.zorder.mode": "incremental",
        "hoodie.clustering.zorder.max.bytes.per.plan": str(2**63 - 1),
        "hoodie.clustering.zorder.read.threshold": "1.5",
        "hoodie.metadata.enable": "true",
        "hoodie.metadata.index.column.stats.enable": "true",
    }


def test_every_field_reaches_its_key() -> None:
    config = ZOrderOptions(
        columns=("a", "b"),
        strategy="hilbert",
        build="direct",
        sample_size=1000,
        target_file_size="1.5GB",
        max_bytes_per_group="10 TB",
        max_groups=7,
        cuts="EQUAL",
        file_order="ZOrder",
        column_weights={"b": 2, "a": 0.5},
        seed=-4,
        verify="Content",
        wait_for_writers=5,
        small_file_limit=300,
        stats_columns=["x", "a"],
    ).to_dict()
    prefix = "hoodie.clustering.plan.strategy."
    assert config[prefix + "target.file.max.bytes"] == str(3 << 29)
    assert config[prefix + "max.bytes.per.group"] == str(10 << 40)
    assert config[prefix + "max.num.groups"] == "7"
    assert config[prefix + "small.file.limit"] == "300"
    assert config["hoodie.layout.optimize.strategy"] == "HILBERT"
    assert config["hoodie.layout.optimize.curve.build.method"] == "DIRECT"
    assert config["hoodie.layout.optimize.build.curve.sample.size"] == "1000"
    assert config["hoodie.clustering.zorder.cuts"] == "equal"
    assert config["hoodie.clustering.zorder.file.order"] == "zorder"
    assert config["hoodie.clustering.zorder.column.weights"] == "b=2,a=0.5"
    assert config["hoodie.clustering.zorder.seed"] == "-4"
    assert config["hoodie.clustering.zorder.verify"] == "content"
    assert config["hoodie.clustering.zorder.wait.for.writers"] == "5"
    assert config["hoodie.metadata.index.column.stats.column.list"] == "x,a,b"


def test_hudis_own_spelling_of_zorder_is_understood() -> None:
    assert ZOrderOptions(columns=["a"], strategy="z-order").strategy == "ZORDER"


@pytest.mark.parametrize(
    ("mode", "switch", "commits"),
    [
        ("inline", "hoodie.clustering.inline", "hoodie.clustering.inline.max.commits"),
        ("scheduled", "hoodie.clustering.schedule.inline", "hoodie.clustering.async.max.commits"),
        ("async_", "hoodie.clustering.async.enabled", "hoodie.clustering.async.max.commits"),
    ],
)
def test_writer_modes_turn_one_switch_on_and_lock(mode: str, switch: str, commits: str) -> None:
    options = ZOrderOptions(columns=["a"])
    added = dict(getattr(options, mode)(max_commits=9).items() - options.to_dict().items())
    stream = {STREAM: ONLY_STREAM} if mode == "async_" else {}  # which Hudi wants with a lock
    switches = {key: "true" if key == switch else "false" for key in SWITCHES}
    assert added == {**switches, commits: "9", **LOCKING, **stream}


def test_bulk_insert_names_the_partitioner_and_keeps_the_layout() -> None:
    config = ZOrderOptions(columns=["a", "b"], cuts="equal", target_file_size=5000).bulk_insert()
    assert config["hoodie.datasource.write.operation"] == "bulk_insert"
    assert (
        config["hoodie.bulkinsert.user.defined.partitioner.class"]
        == "io.hudizorder.ZOrderBulkInsertPartitioner"
    )
    assert config["hoodie.clustering.plan.strategy.sort.columns"] == "a,b"
    assert config["hoodie.clustering.zorder.cuts"] == "equal"
    assert config["hoodie.parquet.max.file.size"] == "5000"
    assert "hoodie.clustering.plan.strategy.class" not in config


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"strategy": "hilbret"}, "'strategy' was 'hilbret'; did you mean 'HILBERT'?"),
        ({"strategy": "x"}, "'strategy' was 'x'; choose one of ZORDER, HILBERT, LINEAR"),
        ({"build": "samples"}, "'build' was 'samples'; did you mean 'SAMPLE'?"),
        ({"cuts": "trees"}, "'cuts' was 'trees'; did you mean 'tree'?"),
        ({"verify": "counts"}, "'verify' was 'counts'; did you mean 'count'?"),
        ({"sample_size": 0}, "'sample_size' was '0'; write a whole number from 1 to 2147483647"),
        ({"sample_size": 1.5}, "'sample_size' was '1.5'"),
        ({"sample_size": True}, "'sample_size' was 'True'"),
        ({"max_groups": 0}, "'max_groups' was '0'"),
        ({"seed": 2**63}, "'seed' was '9223372036854775808'"),
        ({"target_file_size": "12 parsecs"}, "'target_file_size' was '12 parsecs'; write"),
        ({"target_file_size": "0.5"}, "'target_file_size' was '0.5'; write"),
        ({"target_file_size": "9999999TB"}, "'target_file_size' was '9999999TB'; write"),
        ({"target_file_size": f"{'9' * 400}TB"}, "9TB'; write"),
        ({"target_file_size": "128I"}, "'target_file_size' was '128I'; write"),
        (
            {"target_file_size": 128},
            "files of 128 bytes: 'target_file_size' was '128'; write a text",
        ),
        ({"target_file_size": "1024"}, "with its unit, such as '128MB'"),
        ({"target_file_size": "\uff11\uff12MB"}, "\uff12MB'; write"),
        ({"column_weights": None}, "'column_weights' was 'None'; write column_weights={'a': 2}"),
        ({"column_weights": "a=2"}, "'column_weights' was 'a=2'; write column_weights={'a': 2}"),
        ({"max_bytes_per_group": -1}, "'max_bytes_per_group' was '-1'"),
        ({"small_file_limit": "0MB"}, "'small_file_limit' was '0MB'"),
        ({"column_weights": {"a": 0}}, "'column_weights['a']' was '0'; write a number above 0"),
        ({"column_weights": {"a": float("nan")}}, "['a']' was 'nan'"),
        ({"column_weights": {"a": "2"}}, "['a']' was '2'"),
        ({"read_threshold": 1}, "'read_threshold' was '1'; write a number above 1"),
    ],
)
def test_a_bad_value_is_refused_by_name(fields: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError) as caught:
        ZOrderOptions(columns=["a"], **fields)  # type: ignore[arg-type]
    assert message in str(caught.value)
    assert str(caught.value).startswith("Cannot ")


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ([], "'columns' is empty"),
        ("a, b", "'columns' was the text 'a, b'; write a list: columns=['a', 'b']"),
        (["a", "b", "a"], "holds 'a' twice"),
        (["a", "A"], "holds 'A' twice"),
        (["a,b"], "holds 'a,b'"),
        ([" "], "holds ' '"),
        ([f"c{i}" for i in range(129)], "names 129 columns; name at most 128"),
    ],
)
def test_bad_columns_are_refused(columns: list[str], message: str) -> None:
    with pytest.raises(ColumnError) as caught:
        ZOrderOptions(columns=columns)
    assert message in str(caught.value)


def test_a_z_column_is_made_of_64_columns_at_most() -> None:
    columns = [f"c{i}" for i in range(65)]
    assert ZOrderOptions(columns=columns[:64], z_column="z").z_column == "z"
    with pytest.raises(ColumnError, match="'z_column' is made of 65 columns; name at most 64"):
        ZOrderOptions(columns=columns, z_column="z")


def test_beside_chosen_columns_the_z_column_gets_statistics_in_place_of_its_own() -> None:
    options = ZOrderOptions(columns=["a", "b"], stats_columns=["x"], z_column="z")
    key = "hoodie.metadata.index.column.stats.column.list"
    assert options.statistics()[key] == "x,z"
    assert replace(options, z_column=None).statistics()[key] == "x,a,b"


def test_numbers_of_numpy_are_as_those_of_python() -> None:
    fields: dict[str, Any] = {
        "sample_size": 5,
        "target_file_size": 1 << 20,
        "max_groups": 3,
        "column_weights": {"a": 2, "b": 1.5},
        "read_threshold": 2.5,
    }
    given = {
        "sample_size": np.int64(5),
        "target_file_size": np.int32(1 << 20),
        "max_groups": np.uint8(3),
        "column_weights": {"a": np.int64(2), "b": np.float32(1.5)},
        "read_threshold": np.float64(2.5),
    }
    options = ZOrderOptions(columns=["a", "b"], **given)  # type: ignore[arg-type]
    assert repr(options) == repr(ZOrderOptions(columns=["a", "b"], **fields))
    assert options.inline(np.int64(4)) == options.inline(4)
    for nothing in (np.bool_(True), np.float64(5)):
        with pytest.raises(OptionError, match="'sample_size' was '"):
            replace(options, sample_size=nothing)  # type: ignore[arg-type]


def test_a_weight_of_no_sort_column_is_refused_with_the_nearest() -> None:
    with pytest.raises(ColumnError, match=r"'custmer'.*did you mean 'customer'"):
        ZOrderOptions(columns=["customer"], column_weights={"custmer": 2})


def test_options_are_values() -> None:
    options = ZOrderOptions(columns=["a"], column_weights={"a": 2})
    assert options == ZOrderOptions(columns=("a",), column_weights={"a": 2})
    assert len({options, replace(options, seed=1), replace(options)}) == 2
    assert replace(options, columns=["b"], column_weights={}).columns == ("b",)
    with pytest.raises(FrozenInstanceError):
        options.seed = 2  # type: ignore[misc]


@pytest.mark.parametrize(
    ("text", "size"),
    [
        (7, 7),
        ("7", 7),
        ("7b", 7),
        ("2KB", 2048),
        ("2 KiB", 2048),
        ("128m", 128 << 20),
        ("0.5 GB", 1 << 29),
        ("1TiB", 1 << 40),
    ],
)
def test_sizes_are_read_in_powers_of_1024(text: int | str, size: int) -> None:
    assert parse_size("size", text) == size


def test_a_call_takes_options_whole_or_by_field() -> None:
    options = ZOrderOptions(columns=["a"])
    assert options_from(options, {}) is options
    assert options_from(None, {"seed": 3}, ["a"]) == replace(options, seed=3)
    with pytest.raises(OptionError, match=r"together with columns, seed; use dataclasses\.replace"):
        options_from(options, {"seed": 3}, ["a"])
    with pytest.raises(OptionError, match=r"'target_size'; did you mean 'target_file_size'\?"):
        options_from(None, {"target_size": 3}, ["a"])
    with pytest.raises(ColumnError, match="'columns' was not given"):
        options_from(None, {"seed": 3})


def test_an_unknown_key_under_our_prefix_is_refused_with_the_nearest() -> None:
    check_own_keys({"hoodie.clustering.zorder.cuts": "tree", "hoodie.anything": "x"})
    with pytest.raises(OptionError, match=r"'hoodie.clustering.zorder.cut'; did you mean '.*cuts'"):
        check_own_keys({"hoodie.clustering.zorder.cut": "tree"})


def test_union_list_keeps_the_first_mention() -> None:
    assert union_list(["b", "a"], ["a", "c"]) == "b,a,c"


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"z_column": "_z", "cuts": "equal", "strategy": "LINEAR"},
        {
            "column_weights": {"a": 0.25, "b": 3.0},
            "strategy": "HILBERT",
            "build": "DIRECT",
            "sample_size": 7,
            "target_file_size": 5 << 20,
            "max_bytes_per_group": 2**62 + 1,
            "max_groups": 9,
            "file_order": "zorder",
            "page_row_limit": 100,
            "seed": -(2**63),
            "verify": "none",
            "wait_for_writers": 0,
            "mode": "full",
            "max_bytes_per_plan": 1,
            "read_threshold": 1.25,
            "small_file_limit": 1,
        },
    ],
)
def test_the_keys_of_options_are_read_back_to_the_same(changed: dict[str, Any]) -> None:
    options = ZOrderOptions(**{"columns": ["a", "b"], **changed})
    fields, rest = parted(options.to_dict())
    assert ZOrderOptions(**fields) == options
    assert set(fields) | {"stats_columns"} >= {f.name for f in dataclass_fields(options)} - {
        name for name in ("column_weights", "z_column") if name not in changed
    }
    assert not any(key.startswith(PREFIX) for key in rest)


def test_a_command_has_flags_for_what_is_not_default_and_else_keys() -> None:
    options = ZOrderOptions(columns=["a", "b c"], strategy="HILBERT", seed=3)
    assert command("/lake/t", options, "p = 1", {"hoodie.any": "x y"}) == (
        "hudi-zorder cluster /lake/t --columns 'a,b c' --strategy HILBERT --where 'p = 1' "
        f"--hudi {SEED}=3 --hudi 'hoodie.any=x y'"
    )
