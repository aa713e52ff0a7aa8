"""The probe ledger and the rules that decide what its entries are worth.

``reasons.py`` says whether a test fails for the stated reason, ``evidence.py`` whether a run is evidence
at all, ``grades.py`` which grade the cited entries carry, ``ledger.py`` keeps them. DESIGN section 6 is
the source of every rule here; none of them believes what a model says.
"""
