"""`omp init`: set up `_omp/` in this repository."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import click

from omp import config, git, resources
from omp.commands._driver import DRIVER_NAME, driver
from omp.commands._options import repo_option, say
from omp.commands._workspace import open_workspace
from omp.errors import OmpError

HOOK_MARK = "omp-validate"


@click.command()
@repo_option
@click.option(
    "--yes", is_flag=True, help="Install the pre-commit hook and the merge driver without asking, where that is safe."
)
def command(repo_dir: Path | None, yes: bool) -> int:
    """Make `_omp/` from the templates and trust this repository. Never overwrites anything."""
    from omp.store.founding import found

    workspace = open_workspace(repo_dir)
    repo = workspace.repo
    made = found(repo.root / "_omp")
    schemas = [p for p in made if p.startswith("memory/schema/")]
    for place in (p for p in made if p not in schemas):
        click.echo(f"made _omp/{place}")
    if schemas:
        click.echo(f"made _omp/memory/schema/ ({len(schemas)} files for editors)")
    if not made:
        click.echo("_omp/ stands already; nothing was changed")
    if config.trust(Path(workspace.config.data_dir), repo.common_dir):
        click.echo("trusted: omp may read the logs of this repository and write memory here")
    if made:
        say("Note: masked words from your conversations will stand in _omp/ and be committed with it.")
        say("注意：对话中的（已脱敏的）原话会写入 _omp/，并随仓库提交。")
    _hook(repo, yes)
    _driver(repo, yes)
    if made:
        say("Next: omp watch reads your conversations of this repository and follows them.")
    return 0


def _hook(repo: git.Repo, yes: bool) -> None:
    """Install the pre-commit hook where neither a hook nor a hooks path stands; else print the line to add."""
    # Only a finding (1) may stop the commit, also in a hook that runs with `set -e`.
    line = f"{shlex.quote(program())} validate --staged || {{ [ $? -ne 1 ] || exit 1; }}"
    folder, moved = git.hooks_folder(repo)
    hook = folder / "pre-commit"
    if hook.is_file() and HOOK_MARK in hook.read_text("utf-8", "replace"):
        click.echo(f"the pre-commit hook stands in {hook}")
        return
    if moved or hook.exists() or hook.is_symlink() or (repo.root / ".pre-commit-config.yaml").exists():
        say(f"A hook or hooks path of your own stands here, so none was installed. Add this line to it:\n  {line}")
        return
    if not yes and not (
        sys.stdin.isatty() and click.confirm("Install a pre-commit hook that checks memory files?", err=True)
    ):
        say(f"No hook was installed. Run omp init --yes, or add this line to your pre-commit hook:\n  {line}")
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        text = resources.read("templates/pre-commit").decode().replace("@OMP@", shlex.quote(program()))
        hook.write_text(text, "utf-8")
        hook.chmod(0o755)
    except OSError as error:
        raise OmpError(f"cannot write {hook}: {error.strerror}", "mend the folder's permissions") from error
    click.echo(f"installed the pre-commit hook {hook}")


def _driver(repo: git.Repo, yes: bool) -> None:
    """Set the merge driver that `_omp/.gitattributes` names, in this repository's own configuration, when agreed."""
    wanted = driver(program())
    if git.config(repo, "merge.omp.driver") == wanted:
        click.echo("the merge driver is set")
        return
    if not yes and not (sys.stdin.isatty() and click.confirm("Let git merge memory files entry by entry?", err=True)):
        say("git's merge driver was not set, so memory files merge as text. Run omp init --yes to set it.")
        return
    git.run(["config", "--local", "merge.omp.name", DRIVER_NAME], repo.root)
    git.run(["config", "--local", "merge.omp.driver", wanted], repo.root)
    click.echo("set the merge driver for memory files in this repository's git configuration")


def program() -> str:
    """Give the absolute path of the installed command, under its longer, unambiguous name."""
    beside = Path(sys.executable).parent / "omp-memory"
    return str(beside if beside.is_file() else Path(sys.argv[0]).resolve())
