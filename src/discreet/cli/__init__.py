"""The command line: tables, files, progress and words around the library, and nothing that the library does not do.

    discreet demo | schema new | schema check | fit | predict | evaluate | verify | show | budget

One command is one module. What it needs of the library is imported when it runs, so that help, version and completion answer at once.
"""

from discreet.cli.program import main, program

__all__ = ["main", "program"]
