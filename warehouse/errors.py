"""The one error a person is meant to read."""


class BenchlakeError(Exception):
    """Bad input, or a lake that cannot be used: one clear line that says what, where and what to do.

    The command line prints the message on stderr and exits with 2; nothing is half-written.
    """
