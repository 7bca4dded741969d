"""Keywords that say the same in many functions, in the spellings that SciPy's functions take."""
TRANS = {0: 0, 1: 1, 2: 2, "N": 0, "T": 1, "C": 2}
SIDES = {0: False, 1: True, "L": False, "R": True, "left": False, "right": True}


def choose(table, value, name):
    try:
        return table[value]
    except (KeyError, TypeError):
        raise ValueError(f"{name} is {value!r}, must be one of {', '.join(map(repr, table))}") from None


def trans_code(value, name="trans"):
    return choose(TRANS, value, name)


def on_the_right(value):
    return choose(SIDES, value, "side")


def require_jitter(jitter):
    """The jitter as a float. It is added to the diagonal, ten times more at each try."""
    try:
        value = float(jitter)
    except (TypeError, ValueError):
        value = 0.0
    if not 0 < value < float("inf"):
        raise ValueError(f"jitter is {jitter!r}, must be positive and finite")
    return value
