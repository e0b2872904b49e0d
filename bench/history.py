#!/usr/bin/env python3
"""Prints events of sixty days in the form of `muriel log export`, ordered by time: history.py [EVENTS].

The events are the same in each run: one visitor for every four events, 30 % exposures, 60 % page views, 7 % custom
events, 3 % orders.
"""

import json
import random
import sys
from datetime import datetime, timedelta

START = datetime(2026, 8, 1)
DAYS = 60


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    rng = random.Random(7)
    step_ms = DAYS * 86_400_000 / count
    for number in range(count):
        at = START + timedelta(milliseconds=int((number + rng.random()) * step_ms))
        print(json.dumps(event(rng, number, count, f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03}Z"), separators=(",", ":")))


def event(rng, number, count, at):
    visitor, kind, bits = rng.randrange(max(count // 4, 1)), rng.random(), rng.getrandbits
    record = {"id": f"{bits(32):08x}-{bits(16):04x}-7{bits(12):03x}-8{bits(12):03x}-{number:012x}"}
    if kind < 0.3:
        record |= {"type": "exposure", "test_id": 1, "variant_id": str(visitor % 2), "epoch": 1}
    elif kind < 0.9:
        record |= {"type": "pageview", "url": f"https://shop.example/products/{rng.randrange(20_000)}?ref={rng.randrange(50)}"}
    elif kind < 0.97:
        properties = {"sku": f"A-{rng.randrange(9_000)}", "n": rng.randrange(5)}
        record |= {"type": "custom", "name": "added_to_basket", "properties": properties}
    else:
        value = round(rng.lognormvariate(4, 1), 2)
        record |= {"type": "order", "name": "purchase", "value": value, "currency": "EUR", "order_id": f"O-{number}"}
    attributes = {
        "country": rng.choice(["DE", "AT", "CH", "FR"]),
        "device": rng.choice(["mobile", "desktop"]),
        "browser": "firefox",
        "visitor_type": "new",
    }
    who = {"id": f"v-{visitor}", "attributes": attributes}
    return record | {"project_key": "prj_x", "at": at, "received_at": at, "visitor": who, "bot": False}


if __name__ == "__main__":
    main()
