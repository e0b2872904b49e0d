"""Data for every server: the same fifty experiments and the same events, each in the server's own format."""

import json

EXPERIMENTS = 50
KEYS = [f"exp-{n}" for n in range(1, EXPERIMENTS + 1)]
# Number of visitors in one request of `evaluate-many`.
VISITORS = 100


def muriel_experiment(key):
    return {
        "test_name": f"Experiment {key}",
        "experiment_key": key,
        "url": "https://example.com/",
        "status": 1,
        "variants": [{"name": "Variant 1", "customJS": "document.title = 'B'"}],
        "configuration": {"distribution": {"Control": 50, "Variant 1": 50}},
        "targeting": {
            "allowed_country": [
                {"name": "United States", "code": "US", "rule": "whitelist"},
                {"name": "Canada", "code": "CA", "rule": "whitelist"},
            ],
            "segment_rule": [
                [
                    {"criteria": "plan", "operator": "==", "value": "pro"},
                    {"criteria": "plan", "operator": "==", "value": "team"},
                ]
            ],
        },
    }


def unleash_strategy(key):
    return {
        "name": "flexibleRollout",
        "parameters": {"rollout": "100", "stickiness": "userId", "groupId": key},
        "constraints": [
            {"contextName": "country", "operator": "IN", "values": ["US", "CA"]},
            {"contextName": "plan", "operator": "IN", "values": ["pro", "team"]},
        ],
        "variants": [
            {"name": name, "weight": 500, "weightType": "variable", "stickiness": "userId"} for name in ("control", "treatment")
        ],
    }


def unleash_features():
    """The features that an Unleash server sends to its clients, for clients that read them from a file."""
    features = [
        {"name": key, "type": "experiment", "enabled": True, "project": "default", "stale": False}
        | {"strategies": [unleash_strategy(key)], "variants": []}
        for key in KEYS
    ]
    return {"version": 2, "features": features, "segments": []}


# A visitor who is eligible for every experiment; load.lua fills in the number.
def muriel_context(suffix=""):
    return {"targetingKey": f"user-{{u}}{suffix}", "country": "US", "plan": "pro"}


UNLEASH_CONTEXT = "userId=user-{u}&properties[country]=US&properties[plan]=pro"


def events(*kinds):
    """The body of a request with events of these kinds; load.lua fills in the values that differ."""
    body = {"sent_at": "{now}", "visitor": {"id": "user-{u}"}, "events": [event(*one) for one in enumerate(kinds)]}
    return json.dumps(body, separators=(",", ":")).replace('"{id}"', "{id}")


def event(place, kind):
    common = {"id": f"{{uuid}}{place:04}", "at": "{now}"}
    page = "https://example.com/checkout?step=2"
    match kind:
        case "pageview":
            return common | {"type": "pageview", "url": page, "referrer": "https://example.com/cart"}
        case "custom":
            return common | {"type": "custom", "name": "Add to cart", "value": 19.9, "properties": {"sku": "A-77", "quantity": 2}}
        case "0" | "1" as variant:
            met = {"url": page, "referrer": "", "landing_page": "https://example.com/", "visitor_type": "new"}
            return common | {"type": "exposure", "test_id": "{id}", "variant_id": variant, "epoch": 1, "context": met}


# The events of a visit: one exposure, followed by the visitor's actions.
ONE_EVENT = [events(kind) for kind in ("0", "pageview", "custom", "1", "pageview", "custom")]
TWENTY_EVENTS = [events(variant, *["pageview", "custom"] * 9, "custom") for variant in ("0", "1")]
