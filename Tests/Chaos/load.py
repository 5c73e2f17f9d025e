"""Requests of every kind, and what each of them must lead to."""

import datetime
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
    "copy": (3, {"earlier": True}, ("checkout.completed", 1, 1)),
    "conflict": (2, {"earlier": True}, ("checkout.rejected", 1, 1)),
    # What becomes of these two depends on who is first; the judge looks at what the one means for the other.
    "cancelled": (3, {"token": "pm_tok_slow"}, ("checkout.cancelled checkout.completed", None, None)),
    "cancel": (0, {}, ("checkout.cancelled checkout.rejected", None, None)),
}


class Request:
    """One message of checkout.requests."""

    def __init__(self, index, kind, key, value):
        self.index = index
        self.kind = kind
        self.key = key
        self.value = value
        finals, self.charges, self.receipts = KINDS[kind][2]
        self.finals = {finals} if finals == "dead letter" else set(finals.split())


class Load:
    """Makes requests from a seed; every request is its own checkout."""

    def __init__(self, seed, kinds=None):
        self.random = random.Random(seed)
        self.kinds = {name: kind for name, kind in KINDS.items() if kinds is None or name in kinds}
        self.sample = json.loads((PROJECT / "samples/requests.ndjson").read_text().splitlines()[0])
        # Of now: a clock set back for each worker would set the services' back as well, and they share a ledger.
        self.sample["requested_at"] = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        self.made = []
        self.to_cancel = None

    def draw(self):
        number = self.random.randrange(100)
        for name, (share, _, _) in self.kinds.items():
            if number < share:
                return name
            number -= share
        return "ordinary"

    def make(self, count, kind=None):
        """The next `count` requests."""
        requests = []
        for _ in range(count):
            requests.append(self.one(len(self.made), kind or self.draw()))
            self.made.append(requests[-1])
        return requests

    def one(self, index, kind):
        if self.to_cancel:
            request, self.to_cancel = self.to_cancel, None
            return self.cancel(index, request)
        change = KINDS[kind][1]
        if "earlier" in change:
            paid = [request for request in self.made if request.kind == "ordinary"]
            if paid:
                return self.again(index, kind, self.random.choice(paid[-50:]))
            kind, change = "ordinary", {}
        request = Request(index, kind, *self.message(index, change))
        if kind == "cancelled":
            self.to_cancel = request
        return request

    def again(self, index, kind, earlier):
        """The same request again; for a conflict, with other content under the same key."""
        body = json.loads(earlier.value)
        if kind == "conflict":
            body["metadata"] = {"again": str(index)}
        return Request(index, kind, earlier.key, json.dumps(body).encode())

    def cancel(self, index, request):
        body = {name: json.loads(request.value)[name] for name in ("checkout_id", "merchant_id", "livemode")}
        body |= {"schema_version": 1, "type": "checkout.cancel_requested", "reason": "changed my mind",
                 "requested_at": self.sample["requested_at"]}
        return Request(index, "cancel", request.key, json.dumps(body).encode())

    def message(self, index, change):
        """Key and value."""
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
        return body["checkout_id"].encode(), value
