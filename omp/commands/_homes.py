"""Where agents keep their logs on this machine, honouring their own variables."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from omp.sources import AgentHomes


def agent_homes(environment: Mapping[str, str]) -> AgentHomes:
    """Read CLAUDE_CONFIG_DIR (a comma-separated list), CODEX_HOME, GEMINI_CLI_HOME and others as those agents do."""
    from omp.sources import AgentHomes

    home = Path(environment.get("HOME") or Path.home())
    told = [p.strip() for p in environment.get("CLAUDE_CONFIG_DIR", "").split(",") if p.strip()]
    claude = [Path(p).expanduser() for p in told] or [home / ".claude", home / ".config" / "claude"]
    others = {
        "PI_CODING_AGENT_DIR": home / ".pi" / "agent",
        "QWEN_HOME": home / ".qwen",
        "IFLOW_HOME": home / ".iflow",
        "COPILOT_HOME": home / ".copilot",
    }
    return AgentHomes(
        claude=tuple(claude),
        codex=Path(environment.get("CODEX_HOME") or home / ".codex").expanduser(),
        gemini=Path(environment.get("GEMINI_CLI_HOME") or home).expanduser() / ".gemini",
        others=tuple(Path(environment.get(name) or place).expanduser() for name, place in others.items()),
    )
