"""Text that can be seen: what cannot, or could disguise what can, is shown as U+FFFD.

That is control characters, marks that change the direction of writing, halves of surrogate pairs, and what is not a character.
"""

import unicodedata

_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn"}
_BLANKS = str.maketrans("\t\n\r", "   ")


def visible(words: str) -> str:
    """One line of characters that can be seen."""
    return "".join("\ufffd" if unicodedata.category(one) in _HIDDEN else one for one in words.translate(_BLANKS))
