"""`python -m omp.checks` prints `references/problems.md`."""

from omp.checks import reference

if __name__ == "__main__":
    print(reference(), end="")
