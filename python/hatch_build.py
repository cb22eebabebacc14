"""Build hooks: the version is that of ``pom.xml``, and the jar and licence come beside the code."""

from __future__ import annotations

from email import message_from_string
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface


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
            readme = (checkout / "README.md").read_text(encoding="utf-8")
        metadata["version"] = version
        metadata["readme"] = {"content-type": "text/markdown", "text": readme}


class JarBuildHook(BuildHookInterface):
    """Adds ``hudi_zorder/jars/hudi-zorder-<version>.jar`` to wheels and source distributions.

    An editable install carries no jar: it runs from the checkout, where
    ``hudi_zorder.spark.session`` finds the newest one in ``target/``.
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
        if not jar.is_file():
            # SystemExit, so that the sentence stands alone, without a trace of the build tool.
            raise SystemExit(
                f"Cannot build the package: there is no jar '{jar}'; "
                f"run 'mvn -DskipTests package' in '{checkout}' first"
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
