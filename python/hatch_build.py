"""Build hooks: the version is that of ``pom.xml``, and the jar and licence come beside the code."""

from __future__ import annotations

import os
import re
import zipfile
from email import message_from_string
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

# What the jar of a release has for other versions of Hudi and Scala, as the Makefile has it, too.
ROOMS: Final = ("hudi/v0_15", "hudi/v1_0", "hudi/v1_1", "spark/scala2_13")

TRIAL: Final = "HUDI_ZORDER_TRIAL"
"""The variable by which a package is built all the same of the jar that there is, as tests do."""


class OneVersionHook(MetadataHookInterface):
    """Takes the version from ``pom.xml`` and the description from ``README.md``.

    A source distribution has neither: it says both in its own metadata.
    """

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        """Fills in what ``pyproject.toml`` calls dynamic."""
        own = Path(self.root, "PKG-INFO")
        if own.is_file():
            said = message_from_string(own.read_text(encoding="utf-8"))
            version, readme = said["Version"], said.get_payload()
        else:
            checkout = Path(self.root).parent
            pom = ElementTree.parse(checkout / "pom.xml").getroot()
            version = pom.findtext("{http://maven.apache.org/POM/4.0.0}version")
            readme = without_links((checkout / "README.md").read_text(encoding="utf-8"))
        metadata["version"] = version
        metadata["readme"] = {"content-type": "text/markdown", "text": readme}


def without_links(readme: str) -> str:
    """Returns the text without pictures, and without links to files, which the package lacks."""
    inside = r"\((?!https?:|#)[^)]+\)"
    pictures = re.compile(rf"^!\[[^\]]*\]{inside}\n\n(?:\*.*?\*\n\n)?", re.MULTILINE | re.DOTALL)
    return re.sub(rf"\[([^\]]+)\]{inside}", r"\1", pictures.sub("", readme))


class JarBuildHook(BuildHookInterface):
    """Adds ``hudi_zorder/jars/hudi-zorder-<version>.jar`` to wheels and source distributions.

    An editable install carries no jar: it runs from the checkout, where
    ``hudi_zorder.spark.session`` finds that of its version in ``target/``.
    """

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Adds the files, or stops with the command that makes the jar."""
        root = Path(self.root)
        unpacked_sdist = (root / "PKG-INFO").is_file()  # has brought the files along
        if version == "editable" or unpacked_sdist:
            return
        checkout = root.parent
        release = self.metadata.version
        jar = checkout / "target" / f"hudi-zorder-{release}.jar"
        lacking = _lacking(jar)
        if lacking:
            # SystemExit, so that the sentence stands alone, without a trace of the build tool.
            raise SystemExit(
                f"Cannot build the package: {lacking}; run 'make dist' in '{checkout}', which "
                "builds both"
            )
        if self.target_name == "sdist":
            package, licence = "src/hudi_zorder", "LICENSE"
        else:
            package = "hudi_zorder"
            licence = f"hudi_zorder-{release}.dist-info/licenses/LICENSE"
        build_data["force_include"] |= {
            str(jar): f"{package}/jars/{jar.name}",
            str(checkout / "LICENSE"): licence,
        }


def _lacking(jar: Path) -> str:
    """Returns what is missing of the jar of a release; ``""`` where it is whole."""
    if not jar.is_file():
        return f"there is no jar '{jar}'"
    if os.environ.get(TRIAL):
        return ""
    try:
        with zipfile.ZipFile(jar) as archive:
            names = archive.namelist()
    except zipfile.BadZipFile:
        return f"'{jar}' is no jar"
    missing = [
        room for room in ROOMS if not any(n.startswith(f"io/hudizorder/{room}/") for n in names)
    ]
    return f"the jar '{jar}' lacks {', '.join(missing)}" if missing else ""
