"""Documented regressions of Python packages: what finds them, and at what cost.

    python benchmarks/regressions.py STEP --repositories FOLDER --work FOLDER [--half open|frozen] [NAME ...]
    python benchmarks/regressions.py table --work FOLDER
    python benchmarks/regressions.py releases --work FOLDER [NAME ...]

Steps: ``verify`` runs the reproductions; ``signals`` and ``cycle`` run Guardian; ``griffe`` (in the Python
that ``--griffe`` names), ``suite`` (the package's own) and ``pynguin`` (from ``--pynguin FOLDER``) are for
comparison.

The corpus lies in ``regressions/corpus.toml``, the half that is run once at the end in ``split.toml``
beside it. Repositories that are not in ``FOLDER/<owner>+<name>/repo`` are cloned there. What each step
gives is kept in ``WORK/<step>/<case>.json``, and a case that is there is not run again. Cases are run one
after the other. The packages' code runs in the sandbox only.

``releases`` rebuilds the corpus from the package index: for each case a repository of the source releases
before and after, for whoever has no history.
"""

from __future__ import annotations

import argparse
import json
import sys
import traceback
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import anyio
from regressions import baselines, gather, generator, guardian, table, verify
from regressions.corpus import Case, frozen, load

_PYNGUIN_RUNS_ON = (3, 11)
STEPS = ("verify", "griffe", "suite", "pynguin", "signals", "cycle")


def main() -> None:
    """Do one step."""
    options = _options()
    if options.step == "releases":
        for case in load():
            if not options.names or case.name in options.names:
                print(gather.from_index(case.package, case.releases, options.work / "releases"))
    elif options.step == "table":
        print(table.markdown(load(), frozen(), table.collect(options.work, STEPS)))
    else:
        generate = partial(generator.generate, folder=options.pynguin, seconds=options.seconds)
        steps: dict[str, Callable[[Case, Path], Any]] = {
            "verify": partial(_verify, options),
            "griffe": partial(_griffe, options),
            "suite": partial(_in_sandbox, options, baselines.run_suite_delta),
            "pynguin": partial(_in_sandbox, options, generate, python=_PYNGUIN_RUNS_ON),
            "signals": partial(_signals, options),
            "cycle": partial(
                guardian.cycle, proofs=options.proofs, wall_s=options.timeout / 2, timeout_s=options.timeout
            ),
        }
        _each(options, options.step, steps[options.step])


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("step", choices=(*STEPS, "table", "releases"))
    parser.add_argument("names", nargs="*", help="cases; all of them without")
    parser.add_argument("--repositories", type=Path)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--half", choices=("open", "frozen"), help="only these cases")
    parser.add_argument("--sandbox", default="auto")
    parser.add_argument("--timeout", type=float, default=600.0, help="seconds of one command")
    parser.add_argument("--proofs", type=int, default=10, help="hypotheses that a cycle tries to prove")
    parser.add_argument("--griffe", metavar="PYTHON", default=sys.executable, help="a Python that has griffe")
    parser.add_argument(
        "--pynguin", type=Path, metavar="FOLDER", default=Path(), help="where pip put Pynguin with --target"
    )
    parser.add_argument("--seconds", type=int, default=60, help="for which Pynguin searches")
    return parser.parse_intermixed_args()


def _each(options: argparse.Namespace, step: str, run: Callable[[Case, Path], Any]) -> None:
    """Run a step on the cases that it has not been run on, and keep what each gives."""
    late = frozen()
    folder: Path = options.work / step
    folder.mkdir(parents=True, exist_ok=True)
    for case in load():
        kept = folder / f"{case.name}.json"
        half = "frozen" if case.name in late else "open"
        if (
            kept.exists()
            or case.excluded
            or (options.names and case.name not in options.names)
            or options.half not in (None, half)
        ):
            continue
        print(f"{step} {case.name}", file=sys.stderr, flush=True)
        answer = _tried(partial(run, case, gather.find(case, options.repositories)))
        if "failed" in answer and "SandboxUnavailable" in answer["failed"]:
            answer = _tried(
                partial(run, case, gather.find(case, options.repositories))
            )  # the machine was busy
        kept.write_text(json.dumps(answer, indent=1) + "\n", encoding="utf-8")


def _tried(run: Callable[[], Any]) -> Any:
    """What a step gives, or why it failed: one case must not end the run."""
    try:
        return run()
    except Exception as error:
        traceback.print_exc()
        return {"failed": f"{type(error).__name__}: {error}"[:400]}


def _verify(options: argparse.Namespace, case: Case, repository: Path) -> Any:
    return anyio.run(verify.verify, case, repository, options.work / "home", options.sandbox)


def _signals(options: argparse.Namespace, case: Case, repository: Path) -> Any:
    return anyio.run(guardian.signals, case, repository, options.work / "home", options.sandbox)


def _griffe(options: argparse.Namespace, case: Case, repository: Path) -> Any:
    async def run(case: Case, ready: verify.Ready) -> Any:
        return baselines.ask_griffe(case, ready, options.griffe)

    return _in_sandbox(options, run, case, repository)


def _in_sandbox(
    options: argparse.Namespace,
    run: Callable[..., Any],
    case: Case,
    repository: Path,
    python: tuple[int, int] | None = None,
) -> Any:
    async def go() -> Any:
        with ExitStack() as held:
            home = options.work / "home"
            ready = await verify.prepare(case, repository, home, held, options.sandbox, python=python)
            return await run(case, ready)

    return anyio.run(go)


if __name__ == "__main__":
    main()
