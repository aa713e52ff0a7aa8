"""The history of the example: a small package that prices parcels, from a release to four commits after it.

Each step is a commit: its message, and the files it writes. One renames a parameter that one caller still
passes by its old name; the last removes a helper that one caller imports late, and forgets that
refunds are rounded, too. The package's own tests notice none of it.
"""

from __future__ import annotations

from dataclasses import dataclass

RATES = '''"""What it costs to send a parcel."""

ZONES = {"local": 1.0, "country": 1.4, "abroad": 3.2}


def quote(weight, zone="local", insured=False):
    """The price of one parcel of ``weight`` kilograms, in the currency of the shop."""
    price = 2.5 + 0.8 * weight * ZONES[zone]
    return round_price(price + (1.5 if insured else 0.0))


def round_price(price):
    """A price as it is printed: to the nearest tenth."""
    return round(float(price), 1)
'''

LABELS = '''"""Labels that are printed on parcels."""


def label_for(name, street, town):
    """Three lines, in capitals as the post asks for."""
    return "\\n".join(part.upper() for part in (name, street, town))


def barcode(number):
    """The number with its check digit."""
    digits = f"{number:011d}"
    return f"{digits}{sum(map(int, digits)) % 10}"
'''

ORDERS = '''"""Orders of a shop: what is sent, and what that costs."""

from parcels.rates import quote


def shipping(lines, zone):
    """What it costs to send all lines, each in a parcel of its own."""
    return sum(quote(line["weight"], zone) for line in lines)


def insured_shipping(lines, zone):
    """As ``shipping``, with every parcel insured."""
    return sum(quote(weight=line["weight"], zone=zone, insured=True) for line in lines)
'''

DESK = '''"""What the counter of a post office needs."""


def print_label(order):
    """The label of an order as it goes to the printer."""
    from parcels.labels import label_for

    return label_for(order["name"], order["street"], order["town"])
'''

TESTS = """from parcels.labels import barcode
from parcels.orders import shipping
from parcels.rates import quote, round_price


def test_a_parcel_costs_by_weight_and_zone():
    assert quote(1, "local") == 3.3
    assert quote(2, "abroad") == 7.6


def test_insurance_is_added():
    assert quote(1, insured=True) == 4.8


def test_prices_are_rounded():
    assert round_price(3.14) == 3.1
    assert round_price(2.0) == 2.0


def test_an_order_costs_what_its_parcels_cost():
    assert shipping([{"weight": 1}, {"weight": 1}], "local") == 6.6


def test_barcodes_have_a_check_digit():
    assert barcode(12) == "000000000123"
"""

PROJECT = '[project]\nname = "parcels"\nversion = "1.0"\nrequires-python = ">=3.9"\n'


KILOGRAMS = (
    RATES.replace("def quote(weight,", "def quote(weight_kg,")
    .replace("0.8 * weight *", "0.8 * weight_kg *")
    .replace("``weight`` kilograms", "``weight_kg`` kilograms")
)
ROUNDED = KILOGRAMS.replace(
    "    return round(float(price), 1)", "    return round(float(price), 1) if price > 0 else float(price)"
)
UNLABELLED = LABELS[: LABELS.index("def label_for")] + LABELS[LABELS.index("def barcode") :]

PACKING = "# Parcels\n\nPack tightly: a parcel is priced by its weight, and by how far it goes.\n"

TRACKING = '''"""Where a parcel is."""

from parcels.labels import barcode


def link(number):
    """The page that follows a parcel."""
    return f"https://parcels.example/{barcode(number)}"
'''


@dataclass(frozen=True)
class Step:
    """One commit; ``date`` is the day it was made."""

    message: str
    date: str
    files: dict[str, str]


STEPS = (
    Step(
        "Release 1.0",
        "2026-03-02",
        {
            "pyproject.toml": PROJECT,
            "parcels/__init__.py": '"""Prices and labels of parcels."""\n',
            "parcels/rates.py": RATES,
            "parcels/labels.py": LABELS,
            "parcels/orders.py": ORDERS,
            "parcels/desk.py": DESK,
            "tests/test_parcels.py": TESTS,
        },
    ),
    Step("Track parcels by their barcode", "2026-03-09", {"parcels/tracking.py": TRACKING}),
    Step("Say in the signature that weights are kilograms", "2026-03-16", {"parcels/rates.py": KILOGRAMS}),
    Step("Say how to pack", "2026-03-23", {"README.md": PACKING}),
    Step(
        "Tidy up: no unused helpers, nothing to round in what is free",
        "2026-03-30",
        {"parcels/labels.py": UNLABELLED, "parcels/rates.py": ROUNDED},
    ),
)
