"""Compares a JSON value with the one that a generated client writes after reading it."""

import re
from datetime import datetime

TIME = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})")


def difference(received, written, empty_is_absent=False, place="$"):
    """Returns where and how the values differ, or None if they are equal.

    A client may write a moment in another form, and a number with or without a fraction of zero. With `empty_is_absent`,
    members that are null or an empty list are equal to missing ones.
    """
    if isinstance(received, dict) and isinstance(written, dict):
        if empty_is_absent:
            received, written = ({k: v for k, v in each.items() if v not in (None, [])} for each in (received, written))
        if received.keys() != written.keys():
            lost, added = sorted(received.keys() - written.keys()), sorted(written.keys() - received.keys())
            return f"{place}: lost {lost}, added {added}"
        pairs = [(f"{place}.{name}", value, written[name]) for name, value in received.items()]
    elif isinstance(received, list) and isinstance(written, list):
        if len(received) != len(written):
            return f"{place}: {len(received)} items became {len(written)}"
        pairs = [(f"{place}[{n}]", *pair) for n, pair in enumerate(zip(received, written, strict=True))]
    else:
        return None if is_same(received, written) else f"{place}: {received!r} became {written!r}"
    for name, one, other in pairs:
        if found := difference(one, other, empty_is_absent, name):
            return found
    return None


def is_same(received, written):
    if isinstance(received, bool) or isinstance(written, bool):
        return received is written
    if isinstance(received, str) and isinstance(written, str) and TIME.fullmatch(received) and TIME.fullmatch(written):
        return datetime.fromisoformat(received) == datetime.fromisoformat(written)
    return received == written


def shape(value, place="$"):
    """Yields the places of a value with the type of each. Items of a list have the same place."""
    if isinstance(value, dict):
        yield f"{place}:object"
        for name, member in value.items():
            yield from shape(member, f"{place}.{name}")
    elif isinstance(value, list):
        yield f"{place}:{'list' if value else 'empty'}"
        for item in value:
            yield from shape(item, f"{place}[]")
    else:
        yield f"{place}:{type(value).__name__}"
