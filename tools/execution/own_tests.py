"""One test under the repository's own pytest configuration: its conftest files, plugins and options.

For a test that the repository has, and for a copy of one that is put beside it. The proof of the tree is the
same as for a test outside: modules with their origins, files with their hashes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from repo_guardian.tools.execution.bench import Bench, Checkout
from repo_guardian.tools.execution.suite import plan_suite, run_once
from repo_guardian.tools.execution.suite_model import Selection
from repo_guardian.tools.probes.interface import Edit, TestRun, TestSource


async def run_in_repository(
    bench: Bench,
    test: TestSource,
    checkout: Checkout,
    edit: Edit,
    *,
    modules: Sequence[str],
    files: Sequence[str],
    repetitions: int,
) -> list[TestRun]:
    """Run ``test`` by its id over ``checkout``, ``repetitions`` times, each in a fresh overlay.

    Args:
        bench: with the projects of both trees built as they ask for it, since such a test may need that.
        edit: what is put in place in the overlay, beside the test's own file when it is a copy.
        modules: dotted names whose origin has to be proven.
        files: repository-relative paths whose content has to be proven.

    Raises:
        SandboxError: the sandbox could not be opened or written.
    """
    plan = plan_suite(checkout.path, bench.site_packages, Selection(arguments=(test.test_id,)))
    own = {} if test.existing else {test.place: test.content}
    plan = replace(plan, edit={**edit, **own}, files=tuple(files), modules=tuple(modules))
    return [await run_once(bench, checkout, plan) for _ in range(repetitions)]
