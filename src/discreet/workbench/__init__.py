"""The workbench: a page in the browser, served by this machine to itself, from a table to a verified model or a released data set.

    gate      who may speak with it: the loopback address, one token, one session, one origin
    server    requests in, answers out; no log
    desk      what the page may ask for, one function each
    runs      the command that spends, as a process of its own that can be stopped

The page never reaches a record. Columns come from the header, trade-offs from invented rows or from a sample that the owner declares public, and a
run is the command `discreet fit` or `discreet release` itself, word for word as the page shows it. Assets are files of this package; there is no
dependency but Python's own server.
"""

from typing import TYPE_CHECKING

from discreet.core.lazily import names_of

if TYPE_CHECKING:
    from discreet.workbench.server import Workbench
else:
    __getattr__, __dir__ = names_of(__name__)

__all__ = ["Workbench"]
