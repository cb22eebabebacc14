"""What class files refer to, and whether it is there: what a JVM finds out call by call."""

from __future__ import annotations

import os
import shutil
import struct
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

_SIZES = {3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 16: 2, 17: 4, 18: 4}
_TEXT, _LONG, _DOUBLE, _CLASS = 1, 5, 6, 7
_FIELD, _METHOD, _INTERFACE_METHOD = 9, 10, 11
_MEMBERS = (_FIELD, _METHOD, _INTERFACE_METHOD)
_INTERFACE = 0x0200
_ABSTRACT = 0x0400
# Whose methods take whatever they are given: signature polymorphic ones.
_POLYMORPHIC = ("java/lang/invoke/VarHandle", "java/lang/invoke/MethodHandle")
# Java 11, as the JDK's own list of what every release has names it.
_RELEASE = "B"


@dataclass(frozen=True)
class ClassFile:
    """A class.

    Attributes:
        parents: its superclass and interfaces.
        members: name and descriptor of each of its fields and methods.
        abstract: those of its methods that have no body.
        classes: the classes that it refers to.
        references: kind, owner, name and descriptor of the fields and methods that it refers to.
        is_interface: whether its methods are called as those of interfaces are.
        is_abstract: whether it may leave methods without a body.
    """

    name: str
    parents: tuple[str, ...]
    members: frozenset[tuple[str, str]]
    abstract: frozenset[tuple[str, str]]
    classes: frozenset[str]
    references: frozenset[tuple[int, str, str, str]]
    is_interface: bool
    is_abstract: bool


def class_file(content: bytes) -> ClassFile:
    """Parses a class file; see chapter 4 of the specification of the Java virtual machine."""
    pool, at = _pool(content)

    def text(index: int) -> str:
        return pool[index][1].decode("utf-8", "replace")

    def name(index: int) -> str:
        return text(_numbers(pool[index][1])[0])

    def member(index: int) -> tuple[int, str, str, str]:
        owner, named = _numbers(pool[index][1])
        called, descriptor = _numbers(pool[named][1])
        return pool[index][0], name(owner), text(called), text(descriptor)

    flags, this, parent, interfaces = struct.unpack_from(">4H", content, at)
    parents = [parent, *struct.unpack_from(f">{interfaces}H", content, at + 8)]
    at += 8 + 2 * interfaces
    members, abstract = [], []
    for _ in ("fields", "methods"):
        (count,) = struct.unpack_from(">H", content, at)
        at += 2
        for _ in range(count):
            access, called, descriptor, attributes = struct.unpack_from(">4H", content, at)
            members.append((text(called), text(descriptor)))
            if access & _ABSTRACT:
                abstract.append(members[-1])
            at += 8
            for _ in range(attributes):
                at += 6 + struct.unpack_from(">HI", content, at)[1]
    return ClassFile(
        name(this),
        tuple(name(index) for index in parents if index),
        frozenset(members),
        frozenset(abstract),
        frozenset(name(index) for index, (tag, _) in pool.items() if tag == _CLASS),
        frozenset(member(index) for index, (tag, _) in pool.items() if tag in _MEMBERS),
        bool(flags & _INTERFACE),
        bool(flags & _ABSTRACT),
    )


def _pool(content: bytes) -> tuple[dict[int, tuple[int, bytes]], int]:
    (count,) = struct.unpack_from(">H", content, 8)
    pool = {}
    index, at = 1, 10
    while index < count:
        tag = content[at]
        at += 1
        size = _SIZES.get(tag, 0)
        if tag == _TEXT:
            size = struct.unpack_from(">H", content, at)[0]
            at += 2
        pool[index] = (tag, content[at : at + size])
        at += size
        index += 2 if tag in (_LONG, _DOUBLE) else 1
    return pool, at


def _numbers(entry: bytes) -> tuple[int, ...]:
    return struct.unpack(f">{len(entry) // 2}H", entry)


class ClassPath:
    """The classes of jars, and those of Java 11; the first jar that has one wins."""

    def __init__(self, jars: Sequence[Path]) -> None:
        self._jars = [zipfile.ZipFile(jar) for jar in jars]
        self._entries = [{name: name for name in jar.namelist()} for jar in self._jars]
        self._jars.append(zipfile.ZipFile(_jdk() / "lib" / "ct.sym"))
        self._entries.append(_of_release(self._jars[-1].namelist()))
        self._found: dict[str, ClassFile | None] = {}

    def missing(self, user: ClassFile) -> Iterator[str]:
        """Yields what a class refers to or must implement that is not there, in its own words."""
        for name in sorted(user.classes):
            element = name.lstrip("[").removeprefix("L").removesuffix(";")
            of_primitives = name.startswith("[") and len(element) == 1
            if not of_primitives and not self._get(element):
                yield element
        for kind, owner, name, descriptor in sorted(user.references):
            if owner in _POLYMORPHIC or owner.startswith("["):
                continue
            known = self._get(owner)
            if known and kind != _FIELD and known.is_interface != (kind == _INTERFACE_METHOD):
                yield f"{owner}.{name}{descriptor} by the other kind of call"
            elif known and not self._has(owner, name, descriptor):
                yield f"{owner}.{name}{descriptor}"
        if not user.is_abstract:
            for owner, name, descriptor in sorted(self._without_body(user)):
                yield f"{owner}.{name}{descriptor} without a body"

    def _without_body(self, user: ClassFile) -> Iterator[tuple[str, str, str]]:
        line = list(self._line(user))
        bodies = {member for found in line for member in found.members - found.abstract}
        for found in line:
            for name, descriptor in found.abstract - bodies:
                yield found.name, name, descriptor

    def _line(self, user: ClassFile) -> Iterator[ClassFile]:
        """A class and all that it extends or implements."""
        yield user
        for name in user.parents:
            if (parent := self._get(name)) is not None:
                yield from self._line(parent)

    def _has(self, owner: str, name: str, descriptor: str) -> bool:
        found = self._get(owner)
        if found is None:
            return False
        if (name, descriptor) in found.members:
            return True
        return name != "<init>" and any(
            self._has(parent, name, descriptor) for parent in found.parents
        )

    def _get(self, name: str) -> ClassFile | None:
        if name not in self._found:
            entry = f"{name}.class"
            jars = zip(self._jars, self._entries, strict=True)
            content = next((jar.read(names[entry]) for jar, names in jars if entry in names), None)
            self._found[name] = class_file(content) if content else None
        return self._found[name]


def _jdk() -> Path:
    javac = shutil.which("javac", path=os.environ.get("JAVA_HOME", "") + "/bin")
    javac = javac or shutil.which("javac")
    assert javac is not None, "there is no javac"
    return Path(javac).resolve().parents[1]


def _of_release(entries: Sequence[str]) -> dict[str, str]:
    """The classes of ct.sym by their names: <releases>/<module>/<class>.sig."""
    found = {}
    for entry in entries:
        releases, _, path = entry.partition("/")
        if _RELEASE in releases and entry.endswith(".sig"):
            found[path.partition("/")[2].removesuffix("sig") + "class"] = entry
    return found


def classes_of(jar: Path) -> Iterator[ClassFile]:
    """Yields the classes of a jar."""
    with zipfile.ZipFile(jar) as archive:
        for entry in archive.namelist():
            if entry.endswith(".class"):
                yield class_file(archive.read(entry))
