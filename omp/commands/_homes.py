"""Where agents keep their logs on this machine, honouring their own variables."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from omp.sources import AgentHomes


def agent_homes(environment: Mapping[str, str]) -> AgentHomes:
    """Read CLAUDE_CONFIG_DIR (a comma-separated list) and CODEX_HOME as those agents do."""
    from omp.sources import AgentHomes

    home = Path(environment.get("HOME") or Path.home())
    told = [p.strip() for p in environment.get("CLAUDE_CONFIG_DIR", "").split(",") if p.strip()]
    claude = [Path(p).expanduser() for p in told] or [home / ".claude", home / ".config" / "claude"]
    codex = Path(environment.get("CODEX_HOME") or home / ".codex").expanduser()
    return AgentHomes(claude=tuple(claude), codex=codex)
