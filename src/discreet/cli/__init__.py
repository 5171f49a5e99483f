"""The command line: tables, files, progress and words around the library, and nothing that the library does not do.

    parameters of a function -> options (options.py) -> the command, that function -> Outcome -> text, JSON, exit code (output.py)

A command is loaded where it is asked for (`COMMANDS` of program.py), and what it needs of the library where it runs (`discreet.Schema` and the like
are imported by their first use), so that help, version and completion answer at once.
"""

from discreet.cli.program import main, program

__all__ = ["main", "program"]
