"""An S3 API on this machine, whose requests can be had to fail; and a session that uses it.

The session has a process of its own, with classes of Hadoop's that the tests' own does without.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, unquote
from xml.etree import ElementTree

import boto3
from moto.server import DomainDispatcherApplication, create_backend_app
from pyarrow.fs import S3FileSystem
from werkzeug.serving import make_server

from conftest import CLOCK_SKEW, SMALL_BLOOM_FILTERS

HOST = "127.0.0.1"
BUCKET = "lake"
KEY, SECRET = "key", "secret"
# Fetched by ``make object-storage``: Hadoop's connector, and what it talks to S3 by.
JARS = Path(__file__).parents[2] / "target" / "s3a"
_NAMESPACE = "{http://s3.amazonaws.com/doc/2006-03-01/}"
_REFUSED = b"<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>"

Answer = Callable[..., Any]


class ObjectStore:
    """A bucket in this process.

    Attributes:
        endpoint: its URL.
        refused: what keys of uploads are refused whose path in the bucket has a match of it.
        met: the keys that were refused.
        lag: the seconds in which a new object is in no listing.
    """

    def __init__(self) -> None:
        self.refused: re.Pattern[str] | None = None
        self.met: list[str] = []
        self.lag = 0.0
        self._written: dict[str, float] = {}
        logging.getLogger("werkzeug").setLevel(logging.WARNING)  # a line for each request
        self._bucket = DomainDispatcherApplication(create_backend_app)
        self._server = make_server(HOST, 0, self._serve, threaded=True)
        self.endpoint = f"http://{HOST}:{self._server.server_port}"
        Thread(target=self._server.serve_forever, daemon=True).start()
        client = boto3.client(
            "s3",
            endpoint_url=self.endpoint,
            aws_access_key_id=KEY,
            aws_secret_access_key=SECRET,
            region_name="us-east-1",
        )
        client.create_bucket(Bucket=BUCKET)

    def filesystem(self) -> S3FileSystem:
        """The bucket's, by a client that is neither ours nor Hadoop's."""
        return S3FileSystem(access_key=KEY, secret_key=SECRET, endpoint_override=self.endpoint)

    def heal(self) -> None:
        """Has nothing fail any more."""
        self.refused, self.met, self.lag = None, [], 0.0

    def stop(self) -> None:
        """Ends the server."""
        self._server.shutdown()

    def _serve(self, environ: dict[str, Any], start_response: Answer) -> Iterable[bytes]:
        key = unquote(environ["PATH_INFO"]).removeprefix(f"/{BUCKET}/")
        if environ["REQUEST_METHOD"] in ("PUT", "POST"):
            if self.refused is not None and self.refused.search(key):
                self.met.append(key)
                environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
                start_response("403 Forbidden", [("Content-Type", "application/xml")])
                return [_REFUSED]
            self._written[key] = time.monotonic()
        if self.lag and "list-type" in parse_qs(environ.get("QUERY_STRING", "")):
            return self._lagging(environ, start_response)
        answer: Iterable[bytes] = self._bucket(environ, start_response)
        return answer

    def _lagging(self, environ: dict[str, Any], start_response: Answer) -> Iterable[bytes]:
        """A listing without what was written just now."""
        begun: list[Any] = []
        body = b"".join(self._bucket(environ, lambda *arguments: begun.append(arguments)))
        status, headers = begun[0][:2]
        listing = ElementTree.fromstring(body)
        since = time.monotonic() - self.lag
        for entry in listing.findall(f"{_NAMESPACE}Contents"):
            if self._written.get(entry.findtext(f"{_NAMESPACE}Key", ""), 0.0) > since:
                listing.remove(entry)
        body = ElementTree.tostring(listing)
        others = [header for header in headers if header[0].lower() != "content-length"]
        start_response(status, [*others, ("Content-Length", str(len(body)))])
        return [body]


@contextmanager
def object_store() -> Iterator[ObjectStore]:
    """A store that lasts for a ``with`` block."""
    store = ObjectStore()
    try:
        yield store
    finally:
        store.stop()


@contextmanager
def session_process(store: ObjectStore) -> Iterator[Executor]:
    """A process whose session has the store's settings; ``in_session`` gives it to what it runs."""
    with ProcessPoolExecutor(1, get_context("spawn"), _start, (store.endpoint,)) as process:
        yield process
        process.submit(_stop).result()


def in_session(work: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    """Does something with the process's session as its first argument."""
    return work(_SESSIONS[0], *arguments, **options)


_SESSIONS: list[Any] = []


def _start(endpoint: str) -> None:
    from pyspark.sql import SparkSession

    import hudi_zorder as hz

    jars = sorted(JARS.glob("*.jar"))
    assert jars, f"{JARS} holds no jars; run 'make object-storage'"
    settings = {
        "fs.s3a.endpoint": endpoint,
        "fs.s3a.access.key": KEY,
        "fs.s3a.secret.key": SECRET,
        "fs.s3a.path.style.access": "true",
        "fs.s3a.connection.ssl.enabled": "false",
        "fs.s3a.attempts.maximum": "1",
    }
    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", HOST)
        .config("spark.driver.host", HOST)
        .config("spark.driver.extraClassPath", ":".join(map(str, jars)))
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.session.timeZone", "UTC")
    )
    for name, value in settings.items():
        builder = builder.config(f"spark.hadoop.{name}", value)
    session = hz.configure_spark(builder).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    session.conf.set(*SMALL_BLOOM_FILTERS)
    session.conf.set(*CLOCK_SKEW)
    _SESSIONS.append(session)


def _stop() -> None:
    _SESSIONS.pop().stop()
