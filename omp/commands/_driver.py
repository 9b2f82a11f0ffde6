"""The command git runs to merge a memory file, with a fallback that never loses a side."""

from __future__ import annotations

import shlex

DRIVER_NAME = "omp: merges memory files entry by entry"
MERGED = "omp merged"
"""What `omp merge-file --acknowledge` prints: another program of that name cannot pass for it."""


def driver(program: str) -> str:
    """Give the value of `merge.omp.driver` for the program at this absolute path.

    Unless `omp` itself says that it merged (status 0 or 1), ours is put back as it was and `git merge-file` writes
    markers; the status is then 1, so that a person looks.
    """
    omp = shlex.quote(program).replace("%", "%%")
    return (
        f"cp %A %A.omp; said=$({omp} merge-file --acknowledge --path %P %O %A %B); status=$?; "
        f'if [ "$said" = "{MERGED}" ] && [ $status -le 1 ]; then rm -f %A.omp; exit $status; fi; '
        "mv -f %A.omp %A; git merge-file -L ours -L base -L theirs %A %O %B; exit 1"
    )
