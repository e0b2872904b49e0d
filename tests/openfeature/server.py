"""The server SDK for Python with the published OFREP provider."""

import json
import os
import sys
from datetime import datetime, timezone

from openfeature import api
from openfeature.contrib.provider.ofrep import OFREPProvider
from openfeature.evaluation_context import EvaluationContext

sys.path.insert(0, os.environ["MURIEL_OPENFEATURE_SAMPLES"])
from exposure_hook import ExposureHook  # noqa: E402

SCENE = json.loads(os.environ["MURIEL_OPENFEATURE_SCENE"])
VISITOR = SCENE["visitors"][0]


def client(name, headers):
    api.set_provider(OFREPProvider(SCENE["base"], headers_factory=lambda: headers), name)
    return api.get_client(name)


def bearer(key):
    return {"Authorization": f"Bearer {key}"}


def seen(details):
    return [details.value, str(details.reason), details.flag_metadata["in_experiment"]]


def failed(details):
    return [details.value, details.error_code and details.error_code.value]


def equal(got, expect):
    assert got == expect, f"got {got!r}, not {expect!r}"


GOOD = client("good", bearer(SCENE["key"]))


def details(key, default="none", visitor=VISITOR, **context):
    return GOOD.get_string_details(key, default, EvaluationContext(visitor, context))


def a_visitor_is_in_an_arm_with_metadata():
    found = details("split")
    equal(found.value in ("Control", "Variant 1"), True)
    equal([found.variant, str(found.reason)], [found.value, "SPLIT"])
    variant_id = "0" if found.value == "Control" else "1"
    metadata = {"test_id": SCENE["ids"]["split"], "variant_id": variant_id, "epoch": 1, "in_experiment": True}
    equal(dict(found.flag_metadata), {**metadata, "reason": "split", "unenforced": ""})


def a_winner_is_served():
    equal(seen(details("winner")), ["Variant 1", "STATIC", False])


def what_does_not_run_is_disabled():
    for key in ("paused", "draft"):
        equal(seen(details(key)), ["Control", "DISABLED", False])


def targeting_keeps_out_and_lets_in():
    equal(seen(details("danes", country="SE")), ["Control", "DEFAULT", False])
    equal(details("danes", country="DK").flag_metadata["in_experiment"], True)


def rules_for_pages_are_named():
    equal(details("pages").flag_metadata["unenforced"], "cookie_rule")


def an_unknown_flag_is_the_default():
    equal(failed(details("nobody-has-this")), ["none", "FLAG_NOT_FOUND"])


def a_visitor_without_a_key_is_the_default():
    equal(failed(GOOD.get_string_details("split", "none")), ["none", "TARGETING_KEY_MISSING"])
    equal(failed(details("split", visitor=None)), ["none", "TARGETING_KEY_MISSING"])


def a_context_of_wrong_types_is_the_default():
    equal(failed(details("split", country=7)), ["none", "INVALID_CONTEXT"])


def lists_and_numbers_of_an_application_do_no_harm():
    now = datetime.now(timezone.utc).isoformat()
    equal(str(details("split", since=now, basket=[1, "two"], nested={"deep": True}, age=41.5).reason), "SPLIT")


def another_type_is_the_default():
    visitor = EvaluationContext(VISITOR)
    equal(failed(GOOD.get_boolean_details("split", False, visitor)), [False, "TYPE_MISMATCH"])
    equal(failed(GOOD.get_integer_details("split", 7, visitor)), [7, "TYPE_MISMATCH"])


def a_wrong_key_and_one_without_the_scope_are_the_default():
    for key in ("wrong", SCENE["reader"]):
        other = client("other", bearer(key))
        equal(failed(other.get_string_details("split", "none", EvaluationContext(VISITOR))), ["none", "GENERAL"])


def the_key_may_come_as_x_api_key():
    other = client("header", {"X-API-Key": SCENE["key"]})
    equal(str(other.get_string_details("split", "none", EvaluationContext(VISITOR)).reason), "SPLIT")


def the_documented_hook_records_who_met_an_arm_once():
    hook = ExposureHook(SCENE["events"]["site"], SCENE["events"]["project"], SCENE["writer"])
    hooked = api.get_client("good")
    hooked.add_hooks([hook])
    for key in ("hooked", "hooked", "winner", "paused", "nobody-has-this"):
        hooked.get_string_value(key, "none", EvaluationContext("met-by-server.py"))
    hook.close()


CASES = (
    a_visitor_is_in_an_arm_with_metadata,
    a_winner_is_served,
    what_does_not_run_is_disabled,
    targeting_keeps_out_and_lets_in,
    rules_for_pages_are_named,
    an_unknown_flag_is_the_default,
    a_visitor_without_a_key_is_the_default,
    a_context_of_wrong_types_is_the_default,
    lists_and_numbers_of_an_application_do_no_harm,
    another_type_is_the_default,
    a_wrong_key_and_one_without_the_scope_are_the_default,
    the_key_may_come_as_x_api_key,
    the_documented_hook_records_who_met_an_arm_once,
)

for case in CASES:
    name = case.__name__.replace("_", " ")
    try:
        case()
        print(f"ok {name}")
    except Exception as error:
        print(f"not ok {name}: {error!r}")
print("variants " + json.dumps({visitor: details("split", visitor=visitor).value for visitor in SCENE["visitors"]}))
