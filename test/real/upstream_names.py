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


def joined_vendor(vendor):
    return ALIASES.get(joined_key(vendor), joined_key(vendor))


def without_vendor(vendor, product):
    """A product that begins with its vendor, as whole words, is named without it; what follows has a letter."""
    for end in re.finditer(r"(?:[^\w+#]|_)+", product):
        before, after = product[: end.start()], product[end.end():]
        if end.start() > 0 and any(one.isalpha() for one in after) and joined_vendor(before) == vendor:
            return after
        if end.start() > 100:
            break
    return product


def joined(vendor, product):
    vendor = joined_vendor(vendor)
    return vendor, joined_key(without_vendor(vendor, product))


LEGAL_FORMS = {"inc", "ltd", "llc", "co", "corp", "gmbh", "ag", "s.a"}


def listed(vendor, product):
    """The products of a name that lists several, as the CNA or an ADP writes it (rule 27)."""
    if not isinstance(product, str) or "," not in product:
        return [product]
    parts = [part.strip() for part in product.split(",")]
    maker = vendor.strip() if isinstance(vendor, str) else ""

    def begins(text, name):
        after = text[len(name):len(name) + 1]
        return name != "" and text.lower().startswith(name.lower()) and not (after.isalnum())

    bare = [part[len(maker):].strip() if begins(part, maker) else part for part in parts]
    for i, part in enumerate(bare):
        if not part or not part[0].isalpha() or part.lower().removesuffix(".") in LEGAL_FORMS:
            return [product]
        is_word = not re.search(r'[\s\\/()"]', part)
        repeats = part != parts[0] and not re.search(r'[\\/()"]', part) if i == 0 else begins(part, bare[0])
        if not is_word and not repeats:
            return [product]
    return parts
