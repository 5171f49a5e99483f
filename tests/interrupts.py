"""For tests that interrupt a process."""

import signal


def interruptible() -> None:
    """For `preexec_fn`: a shell that runs the tests in the background ignores SIGINT, nohup SIGHUP, and so would the child."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
