"""For tests that interrupt a process."""

import signal


def interruptible() -> None:
    """For `preexec_fn`: a shell that runs the tests in the background ignores SIGINT, and so would the child."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
