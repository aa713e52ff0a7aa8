"""A small shop, published with all three views."""

from __future__ import annotations

import hashlib
from textwrap import dedent

import pytest

from repo_guardian.tools.retrieval.views import open_commit
from repo_guardian.tools.views.interface import VIEWS, BuildOptions
from repo_guardian.tools.views.publish import refresh

SHOP = {
    "shop/__init__.py": "from shop.cart import Cart\n",
    "shop/cart.py": '''
        """Carts and their items."""


        class Cart:
            """What a customer wants to buy."""

            def __init__(self):
                self.items = []

            def add_item(self, item, quantity=1):
                """Put an item into the cart."""
                self.items.extend([item] * quantity)

            def total_price(self):
                """The sum of the prices of all items."""
                return sum(item.price for item in self.items)
        ''',
    "shop/checkout.py": '''
        """Paying for a cart."""
        from shop.cart import Cart


        def apply_discount(price, percent):
            """Lower a price by some percent."""
            return price * (100 - percent) / 100


        def charge(customer, cart: Cart):
            """Take money for the cart from the customer's account."""
            amount = cart.total_price()
            customer.account.withdraw(apply_discount(amount, customer.discount))


        class Receipt:
            """Proof of payment."""

            def total_price(self):
                return self.amount
        ''',
    "shop/mail.py": '''
        """Messages to customers."""


        def send_receipt(customer, receipt):
            """Mail a receipt to the customer's address."""
            smtp = connect(customer.address)
            smtp.send(render(receipt))
        ''',
    "tests/test_cart.py": """
        from shop import Cart


        def test_total_price_of_two_items():
            cart = Cart()
            cart.add_item("pen", 2)
            assert cart.total_price() == 2
        """,
    "README.md": "# Shop\nCustomers fill a cart.\n\n# Discounts\nA discount lowers the price at checkout.\n",
    ".env": "SECRET=1\n",
}


class Tree:
    """Files in memory, as a ``TreeSource``."""

    def __init__(self, files, commit):
        self.commit = commit
        self.tree = "t" * 40
        self._blobs = {}
        self._entries = []
        for path, text in files.items():
            blob = dedent(text).encode()
            oid = hashlib.sha1(blob).hexdigest()
            self._blobs[oid] = blob
            self._entries.append((path.encode(), oid, "100644"))

    def files(self):
        return self._entries

    def read(self, oids):
        return [(oid, self._blobs.get(oid)) for oid in oids]


@pytest.fixture(scope="session")
def publish():
    """Publish files in a state directory; the three views, open."""

    def run(files, folder, commit="a" * 40):
        refresh(Tree(files, commit), folder, BuildOptions(views=VIEWS))
        return open_commit(folder, commit)

    return run


@pytest.fixture(scope="session")
def shop(publish, tmp_path_factory):
    return publish(SHOP, tmp_path_factory.mktemp("state"))
