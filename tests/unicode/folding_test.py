"""G3 for every character there is: its case mappings and canonical forms fold to the same.

    folding_test.py FOLD_NAMES         # the program built from fold_names.cpp

The other side is Python's unicodedata, which knows nothing of our tables.
"""
import subprocess
import sys
import unicodedata


def forms(character):
    """What a file system that folds may take for the character."""
    yield character
    for normal in ("NFC", "NFD"):
        yield unicodedata.normalize(normal, character)
    for other in (character.lower(), character.upper(), character.title(), character.casefold()):
        yield other
        yield unicodedata.normalize("NFD", other)
    yield unicodedata.normalize("NFD", unicodedata.normalize("NFD", character).casefold())


def main(program):
    characters = [chr(c) for c in range(1, sys.maxunicode + 1)
                  if not 0xD800 <= c <= 0xDFFF and chr(c) not in "/\n" and unicodedata.category(chr(c)) != "Cn"]
    asked = [(c, form) for c in characters for form in dict.fromkeys(forms(c))]
    names = "".join(f"x{form}y\n" for _, form in asked)
    folded = subprocess.run([program], input=names.encode(), stdout=subprocess.PIPE, check=True).stdout.split(b"\n")
    assert len(folded) == len(asked) + 1, "one line for each name"
    of = dict(zip(asked, folded))
    wrong = [(c, form) for c, form in asked if of[c, form] != of[c, c]]
    for c, form in wrong[:20]:
        print(f"U+{ord(c):04X} {unicodedata.name(c, '?')}: {of[c, c]} and, as {form!a}, {of[c, form]}")
    different = len({of[c, c] for c in characters})
    print(f"{len(characters)} characters, {len(asked)} forms, {different} results, {len(wrong)} wrong")
    # ASCII less the capitals stays apart: a table that folds everything would not do.
    return 1 if wrong or different < 90 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
