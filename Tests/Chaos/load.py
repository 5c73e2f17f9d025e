"""Requests of every kind, and what each of them must lead to."""

import json
import pathlib
import random

PROJECT = pathlib.Path(__file__).resolve().parents[2]

# How often of a hundred; the rest are ordinary ones. A kind says how the request differs and how it ends:
# final event, whether money is taken, whether a receipt is sent.
KINDS = {
    "ordinary": (0, {}, ("checkout.completed", 1, 1)),
    "slow": (3, {"token": "pm_tok_slow"}, ("checkout.completed", 1, 1)),
    "declined": (4, {"token": "pm_tok_declined_funds"}, ("checkout.failed", 0, 0)),
    "no stock": (3, {"sku": "SKU-NOSTOCK"}, ("checkout.failed", 0, 0)),
    "reply lost": (2, {"token": "pm_tok_unknown_captured"}, ("checkout.completed", 1, 1)),
    "call lost": (2, {"token": "pm_tok_unknown_absent"}, ("checkout.completed", 1, 1)),
    "transient": (3, {"token": "pm_tok_transient_once"}, ("checkout.completed", 1, 1)),
    "receipt late": (2, {"email": "receipt-fail-3@example.com"}, ("checkout.completed", 1, 1)),
    "receipt reply lost": (2, {"email": "receipt-lost-reply@example.com"}, ("checkout.completed", 1, 1)),
    "wrong total": (3, {"total": 1}, ("checkout.rejected", 0, 0)),
    "no JSON": (2, {"value": b"{"}, ("dead letter", 0, 0)),
}


class Request:
    """One message of checkout.requests."""

    def __init__(self, index, kind, key, value):
        self.index = index
        self.kind = kind
        self.key = key
        self.value = value
        self.final, self.charges, self.receipts = KINDS[kind][2]


class Load:
    """Makes requests from a seed; every request is its own checkout."""

    def __init__(self, seed, kinds=None):
        self.random = random.Random(seed)
        self.kinds = {name: kind for name, kind in KINDS.items() if kinds is None or name in kinds}
        self.sample = json.loads((PROJECT / "samples/requests.ndjson").read_text().splitlines()[0])
        self.made = []

    def draw(self):
        number = self.random.randrange(100)
        for name, (share, _, _) in self.kinds.items():
            if number < share:
                return name
            number -= share
        return "ordinary"

    def make(self, count, kind=None):
        """The next `count` requests."""
        requests = [self.one(len(self.made) + step, kind or self.draw()) for step in range(count)]
        self.made += requests
        return requests

    def one(self, index, kind):
        change = KINDS[kind][1]
        body = json.loads(json.dumps(self.sample))
        body["checkout_id"] = f"chk_chaos_{index:06}"
        body["idempotency_key"] = f"chaos-key-0123456789-{index:06}"
        if "token" in change:
            body["payment"]["method_token"] = change["token"]
        if "email" in change:
            body["email"] = change["email"]
        if "sku" in change:
            body["items"] = [{"line_id": "1", "sku": change["sku"], "quantity": 1, "unit_price_minor": 9900}]
            body["expected_total_minor"] = 9900 + body["shipping_minor"]
        body["expected_total_minor"] += change.get("total", 0)
        value = change.get("value") or json.dumps(body).encode()
        return Request(index, kind, body["checkout_id"].encode(), value)
