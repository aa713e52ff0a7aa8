"""One hypothesis investigated by the server, in one call."""

from __future__ import annotations

from repo_guardian.client.toolbox import Toolbox
from repo_guardian.server.contract.cycles import CycleInfo
from repo_guardian.server.contract.hypotheses import Hypothesis
from repo_guardian.server.contract.probes import Proof


async def prove(toolbox: Toolbox, cycle: CycleInfo, hypothesis: Hypothesis) -> Proof:
    """See ``Toolbox.prove``."""
    return await toolbox.prove(cycle, hypothesis)
