"""Joins the spellings of vendors and products by rule 27. Shares no code with the product on purpose."""
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))


def joined_key(one):
    """A key without everything except letters, digits, `+` and `#`; between digits, a dot remains (rule 27)."""
    pieces = [piece for piece in re.split(r"(?:[^\w+#]|_)+", one) if piece]
    pairs = zip(pieces, pieces[1:])
    joints = ["." if before[-1] in "0123456789" and after[0] in "0123456789" else "" for before, after in pairs]
    return "".join(piece + joint for piece, joint in zip(pieces, [*joints, ""])) or one


def vendor_aliases():
    """The reviewed table of rule 27 is data of the product."""
    path = os.path.join(HERE, "../../corpus/model/affected/vendor-aliases.ts")
    with open(path, encoding="utf-8") as file:
        lines = [re.findall(r"'([^']*)'", line) for line in file if line.startswith("  [")]
    return {joined_key(other): joined_key(first) for first, *others in lines for other in others}


ALIASES = vendor_aliases()


def joined(vendor, product):
    return ALIASES.get(joined_key(vendor), joined_key(vendor)), joined_key(product)
