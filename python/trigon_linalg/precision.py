"""How products of matrices are computed in double precision: natively, or emulated (docs/fp64.md)."""
import ctypes

from . import contexts, library

MODES = {"native": 0, "double_float": 1, "int8": 2, "auto": 3}
ACCURACIES = {"guaranteed": 0, "fast": 1}


class set_fp64:
    """Sets how later calls of this thread compute products: "native", "double_float", "int8" or "auto".

    The call takes effect at once. In a `with` statement the old setting comes back at the end. `accuracy` is
    "guaranteed", "fast", or a number of moduli from 2 to 20. Batches are computed natively.
    """

    def __init__(self, mode, accuracy="guaranteed", *, device="cpu"):
        if mode not in MODES:
            raise ValueError(f"mode is {mode!r}, must be one of {', '.join(map(repr, MODES))}")
        number = ACCURACIES.get(accuracy, accuracy)
        if isinstance(number, bool) or not isinstance(number, int) or not (0 <= number <= 20):
            raise ValueError(f"accuracy is {accuracy!r}, must be 'guaranteed', 'fast' or an integer from 2 to 20")
        self.context = contexts.named(device)
        self.previous = self.context.fp64
        self.apply((MODES[mode], number))

    def apply(self, setting):
        self.context.require(library.set_fp64(self.context.handle, *setting))
        self.context.fp64 = setting

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.apply(self.previous)


def last_fp64(*, device="cpu"):
    """What this thread's last call did about its products, as a dictionary with the fields of trigon_fp64_report."""
    context = contexts.named(device)
    report = library.Fp64Report()
    context.require(library.last_fp64(context.handle, ctypes.byref(report)))
    fields = {name: getattr(report, name) for name, _ in report._fields_}
    fields["why"] = report.why.decode() if report.why else None
    return fields
