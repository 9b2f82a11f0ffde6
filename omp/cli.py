"""The command line: imports a verb's module only when that verb is asked for. The one error boundary."""

from __future__ import annotations

import importlib
import sys
from typing import IO, Any

import click

from omp import __version__
from omp.errors import OmpError

VERBS: dict[str, tuple[str, str]] = {
    "as-of": ("as_of", "Show what was remembered at a commit or a date."),
    "backup": ("backup", "List kept versions of files, put one back."),
    "compare": ("compare", "Say of pairs of statements whether they mean the same."),
    "edit": ("edit", "Change a memory by hand."),
    "extract": ("extract", "Show what would be learnt from conversation logs; writes nothing."),
    "forget": ("forget", "Take a memory away for good; its log cannot bring it back."),
    "import": ("import_", "Bring in memories from another tool's file."),
    "init": ("init", "Set up _omp/ in this repository."),
    "list": ("list_", "List memories."),
    "merge-file": ("merge_file", "Merge two versions of a memory file; git's merge driver."),
    "log": ("log", "Show what was written, when and why."),
    "pin": ("pin", "Mark a memory so that it does not fade."),
    "purge": ("purge", "Erase a memory's words everywhere omp keeps them."),
    "redact": ("redact", "Mask secrets and personal data in text."),
    "remember": ("remember", "Keep a statement."),
    "resolve": ("resolve", "Choose between what two branches made of a memory."),
    "review": ("review", "Go through the inbox: list, accept, reject."),
    "search": ("search", "Find memories."),
    "show": ("show", "Show a memory whole."),
    "status": ("status", "Show what is read, kept and waiting."),
    "stop": ("stop", "End the daemon of this repository."),
    "themes": ("themes", "List themes, show one."),
    "trust": ("trust", "Let omp read logs and write memory in this repository."),
    "undo": ("undo", "Take back the last write, or an entry's last."),
    "unpin": ("unpin", "Take the mark of a memory away."),
    "validate": ("validate", "Check memory files."),
    "watch": ("watch", "Read conversation logs and keep what matters."),
    "why": ("why", "Show where a memory came from."),
}
"""Verb -> (module below omp.commands, one line of help). Only working verbs stand here."""


class Verbs(click.Group):
    """A group that knows its verbs by name and loads each when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Give the verbs in alphabetical order."""
        return sorted(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load one verb's module; None for an unknown verb."""
        if cmd_name not in VERBS:
            return None
        module = importlib.import_module(f"omp.commands.{VERBS[cmd_name][0]}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of verbs without importing any of them."""
        with formatter.section("Commands"):
            formatter.write_dl([(verb, VERBS[verb][1]) for verb in sorted(VERBS)])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Name the nearest verb when the one asked for does not exist."""
        if args and args[0] not in VERBS and not args[0].startswith("-"):
            import difflib

            near = difflib.get_close_matches(args[0], VERBS, n=1)
            hint = f" Did you mean {near[0]}?" if near else ""
            raise click.UsageError(f"there is no command {args[0]!r}.{hint}", ctx)
        return super().resolve_command(ctx, args)


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="omp")
def group() -> None:
    """Keep what was learnt in conversations with coding agents: plain YAML in your repository, with evidence.

    Start with `omp init`, then `omp watch`.
    """


def run(arguments: list[str] | None = None) -> int:
    """Run one command and give its exit status (0 fine, 1 problems, 2 usage, 3 a fault of omp, 130 interrupted)."""
    for stream in (sys.stdout, sys.stderr):
        _speak_utf8(stream)
    try:
        result = group.main(args=arguments, prog_name="omp", standalone_mode=False)
        sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.UsageError as error:
        error.show()
        return 2
    except click.ClickException as error:
        error.show()
        return 1
    except OmpError as error:
        click.echo(f"omp: {error.message}", err=True)
        for problem in getattr(error, "problems", ())[:20]:
            place = f"{problem.path}:{problem.line}:{problem.column}"
            click.echo(f"  {place}: {problem.code}: {problem.message}", err=True)
        if error.mend:
            click.echo(f"  to mend it: {error.mend}", err=True)
        return error.exit_status
    except (KeyboardInterrupt, click.Abort):
        click.echo("interrupted", err=True)
        return 130
    except BrokenPipeError:
        # The reader of our output has gone; nothing more can be said to it.
        import os

        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:  # noqa: BLE001 - the boundary: whatever is left is a fault of omp
        report_fault(error)
        return 3


def _speak_utf8(stream: IO[Any]) -> None:
    """Make output UTF-8 whatever the locale; a lone surrogate is written escaped rather than failing the command."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(encoding="utf-8", errors="backslashreplace")


def report_fault(error: BaseException) -> None:
    """Print a report worth pasting: kind of fault and the places in the code, never values (they may be private)."""
    import platform
    import traceback

    click.echo(f"omp: a fault in omp {__version__}: {type(error).__name__}", err=True)
    click.echo(f"  Python {platform.python_version()} on {platform.system()}; please report these lines:", err=True)
    for frame in traceback.extract_tb(error.__traceback__)[-8:]:
        name = frame.filename.replace("\\", "/")
        short = name[name.rfind("/omp/") + 1 :] if "/omp/" in name else name.rsplit("/", 1)[-1]
        click.echo(f"    {short}:{frame.lineno} in {frame.name}", err=True)
