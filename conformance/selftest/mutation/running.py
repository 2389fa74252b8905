"""Runs tests on mutations, each in a forked process, in which the changed code replaces a function's.

pytest collects once. One process runs the tests unchanged and notes the functions that each of them calls; of
a mutation, only the tests that call its function run. A process that crashes or takes too long found it.
"""

import ast
import gc
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from itertools import zip_longest
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, Final, TypeAlias

import pytest

from conformance.selftest.mutation.mutations import Mutation, Place

HUNG: Final = "crashed or hung"
_PATIENCE_S: Final = 10
_AT_ONCE: Final = 2
_MOST_BYTES: Final = 4 << 30
"""What a process may take: a change may turn a list that ends into one that does not."""
_CACHED: Final = type(cache(len))
Found: TypeAlias = dict[str, list[str]]
"""What a forked process hands back: lists of words by name."""


class Fork:
    """A forked process with a directory of its own, in which it leaves what it found."""

    def __init__(self, work: Callable[[], Found]) -> None:
        self._directory = tempfile.TemporaryDirectory(prefix="mutation-")
        self.pid = os.fork()
        if self.pid == 0:
            self._run(work)

    def _run(self, work: Callable[[], Found]) -> None:
        os.setpgrp()
        void = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(void, stream)
        tempfile.tempdir = self._directory.name
        os.environ["PYTEST_DEBUG_TEMPROOT"] = os.environ["XDG_STATE_HOME"] = self._directory.name
        status = 1
        try:
            Path(self._directory.name, "found.json").write_text(json.dumps(work()), encoding="utf-8")
            status = 0
        finally:
            os._exit(status)

    def outcome(self) -> "Found | None":
        """What was found; None if the process crashed or was killed."""
        with self._directory as name:
            with suppress(ProcessLookupError):
                os.killpg(self.pid, signal.SIGKILL)  # processes it started and did not end
            found = Path(name, "found.json")
            return json.loads(found.read_text(encoding="utf-8")) if found.exists() else None


class Runner:
    """A plugin of pytest that judges mutations with the collected tests instead of running them once.

    `found` has, by the name of each mutation, the tests that failed; only the first unless `whole`.
    """

    def __init__(self, places: list[Place], *, whole: bool) -> None:
        self._places = places
        self._whole = whole
        self._files = {str(place.path.resolve()) for place in places}
        self._items: list[pytest.Item] = []
        self._seconds: list[float] = []
        self._callers: dict[str, list[int]] = {}
        self._failed: list[str] = []
        self.found: dict[tuple[str, str], list[str]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Notes what failed."""
        if report.failed:
            self._failed.append(report.nodeid)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Takes the place of pytest's own loop."""
        self._items = session.items
        for path in {place.path for place in self._places}:
            import_module(".".join(path.with_suffix("").parts))  # what a test imports later is unchanged
        started = Fork(self._calls)
        os.waitpid(started.pid, 0)
        calls = started.outcome()
        if not calls or calls["failed"]:
            raise pytest.UsageError(f"the tests fail without any mutation: {calls and calls['failed']}")
        self._seconds = [*map(float, calls["seconds"])]
        self._callers = {name: [*map(int, calls[name])] for name in calls if ":" in name}
        self._judge_all()
        return True

    def _run(self, numbers: Iterable[int]) -> Iterator[int]:
        chosen = [(number, self._items[number]) for number in numbers]
        for (number, item), following in zip_longest(chosen, chosen[1:]):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following and following[1])
            yield number

    def _calls(self) -> Found:
        """The seconds of each test, and by function the numbers of the tests that call it.

        What a function remembers is forgotten before each test: else only the first would call it.
        """
        called: set[CodeType] = set()
        remembering = _remembering()

        def note(frame: Any, event: str, _: object) -> None:
            if event == "call":
                called.add(frame.f_code)

        found: defaultdict[str, list[str]] = defaultdict(list)
        threading.setprofile(note)
        sys.setprofile(note)
        before = time.perf_counter()
        for number in self._run(range(len(self._items))):
            found["seconds"].append(str(time.perf_counter() - before))
            for name in {_name_of(code) for code in list(called) if code.co_filename in self._files}:
                found[name].append(str(number))
            for each in remembering:
                each.cache_clear()
            called.clear()
            before = time.perf_counter()
        sys.setprofile(None)
        return {**found, "failed": self._failed}

    def _judge_all(self) -> None:
        running: dict[int, tuple[Mutation, Fork]] = {}
        waiting = self._places[::-1]
        while waiting or running:
            while waiting and len(running) < _AT_ONCE:
                mutation = waiting.pop().mutation()
                callers = self._callers.get(f"{mutation.path.resolve()}:{mutation.function}", [])
                self.found[mutation.name] = []
                fork = Fork(lambda mutation=mutation, callers=callers: self._judge(mutation, callers))
                running[fork.pid] = mutation, fork
            pid, _ = os.wait()
            mutation, fork = running.pop(pid)
            found = fork.outcome()
            self.found[mutation.name] = [HUNG] if found is None else found["failed"]

    def _judge(self, mutation: Mutation, callers: list[int]) -> Found:
        costs: defaultdict[Path, float] = defaultdict(float)
        for each in callers or range(len(self._items)):
            costs[self._items[each].path] += self._seconds[each]
        seconds = int(_PATIENCE_S + 5 * sum(costs.values()))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_AS, (_MOST_BYTES, _MOST_BYTES))
        signal.alarm(5 * seconds)  # for tests that wait for ever; on a busy machine, time passes without work
        if not callers:
            return collected_anew(mutation, *self._items[0].config.invocation_params.args)
        exchange(mutation)

        def cost(number: int) -> tuple[float, Path, float]:
            path = self._items[number].path
            return costs[path], path, self._seconds[number]

        order = sorted(callers, key=cost)  # cheap files first, each as a whole: its fixtures are made once
        for _ in self._run(order):
            if self._failed and not self._whole:
                break
        return {"failed": self._failed}


def collected_anew(mutation: Mutation, *arguments: str | os.PathLike[str]) -> Found:
    """How a run of pytest that is mutated from the start ends, if not well."""
    command = [sys.executable, "-m", "conformance.selftest.mutation.anew", mutation.path.resolve()]
    run = subprocess.run([*command, mutation.source, "-x", *arguments], capture_output=True, check=False)
    ended = pytest.ExitCode(run.returncode)
    return {"failed": [] if ended is pytest.ExitCode.OK else [f"collected anew: {ended.name}"]}


def exchange(mutation: Mutation) -> None:
    """Puts the mutated code into the functions of its module, and forgets what functions remember."""
    file = str(mutation.path.resolve())
    before = [*_codes(compile(mutation.path.read_text(encoding="utf-8"), file, "exec"))]
    after = [*_codes(compile(_closing_over(mutation.source, before), file, "exec"))]
    changed = dict(_pairs(before, after))
    for each in _remembering():
        each.cache_clear()
    for each in gc.get_objects():
        if isinstance(each, FunctionType) and each.__code__.co_filename == file:
            code = changed.get(each.__code__)
            if code and code.co_freevars == each.__code__.co_freevars:
                each.__code__ = code


def _remembering() -> list[Any]:
    """The functions of the suite that remember what they returned."""
    gc.unfreeze()  # what is frozen after collection is not among the objects
    return [
        each
        for each in gc.get_objects()
        if isinstance(each, _CACHED) and each.__module__.startswith(("conformance.", "reports."))
    ]


def _pairs(before: Sequence[CodeType], after: Sequence[CodeType]) -> Iterator[tuple[CodeType, CodeType]]:
    """Each code and what it is after a change; functions of one line and name keep their order."""
    left: defaultdict[tuple[str, int], list[CodeType]] = defaultdict(list)
    for code in reversed(after):
        left[code.co_qualname, code.co_firstlineno].append(code)
    for code in before:
        alike = left[code.co_qualname, code.co_firstlineno]
        if alike:
            yield code, alike.pop()


def _closing_over(source: str, before: Iterable[CodeType]) -> ast.Module:
    """The tree of a changed module, in which each function still closes over all that it did.

    A function that exists cannot be given code that closes over less; a name that is not reached suffices.
    """
    closed = {(code.co_name, code.co_firstlineno): code.co_freevars for code in before}
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            names: list[ast.stmt] = [
                ast.Expr(ast.Name(name, ast.Load())) for name in closed.get((node.name, first), ())
            ]
            if names:
                unreached = ast.If(ast.Constant(value=False), names, [])
                node.body.append(ast.fix_missing_locations(ast.copy_location(unreached, node.body[-1])))
    return tree


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _codes(each)


def _name_of(code: CodeType) -> str:
    return f"{code.co_filename}:{code.co_qualname.partition('.<locals>')[0]}"
