#!/usr/bin/env python3
"""Writes the cases of decisions: `generate.py` into this folder, `generate.py --check` compares with what is there.

What the cases about rules expect is written here by hand, row by row; what depends on buckets is computed here from the
hash of docs/assignment.md. Nothing asks an implementation. The cases about pages (url.json, parameter.json, source.json)
are written by hand as they are.
"""

import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
NOW = "2026-03-02T10:00:00Z"  # a Monday
FILES = {}


def murmur3(text):
    """MurmurHash3, x86, 32 bits, seed 0."""

    def rotated(word, by):
        return (word << by | word >> (32 - by)) & 0xFFFFFFFF

    def mixed(block):
        return rotated(block * 0xCC9E2D51 & 0xFFFFFFFF, 15) * 0x1B873593 & 0xFFFFFFFF

    data, hashed = text.encode(), 0
    whole = len(data) // 4 * 4
    for at in range(0, whole, 4):
        hashed = (rotated(hashed ^ mixed(int.from_bytes(data[at : at + 4], "little")), 13) * 5 + 0xE6546B64) & 0xFFFFFFFF
    hashed ^= mixed(int.from_bytes(data[whole:], "little")) ^ len(data)
    hashed = (hashed ^ hashed >> 16) * 0x85EBCA6B & 0xFFFFFFFF
    hashed = (hashed ^ hashed >> 13) * 0xC2B2AE35 & 0xFFFFFFFF
    return hashed ^ hashed >> 16


def bucket(text):
    return murmur3(text) * 1_000_000 >> 32


# Experiments, contexts, expectations


def experiment(test_id, key, **members):
    return {
        "test_id": test_id,
        "experiment_key": key,
        "test_type": "abtest",
        "live": True,
        "epoch": 1,
        "salt": str(test_id),
        "traffic_allocation": 100,
        "ranges": [[10_000, 1]],
        "variants_data_key": "https://shop.example/",
        "variants": [{}],
    } | members


def document(experiments):
    latest = 2 if any("holdouts" in experiment for experiment in experiments) else 1
    return {"format": latest, "hash": 1, "project_key": "shop", "experiments": experiments}


def expected(variant, reason, **more):
    return {"variant": variant, "reason": reason, "in_experiment": reason in ("split", "sticky")} | more


ANSWERS = {
    "yes": expected("Variant 1", "split"),
    "no": expected(None, "targeting"),
    "unknown": expected(None, "unknown"),
}


def case(name, visitor, expect, place="browser", now=NOW, **more):
    visitor = {"targetingKey": "visitor-1"} | visitor
    return {"name": name, "place": place, "now": now, "visitor": visitor} | more | {"expect": expect}


def decisions(feature, experiments, cases):
    assert len({each["name"] for each in cases}) == len(cases), feature
    FILES[feature] = {"ruleset": document(experiments), "cases": cases}


def rules(feature, targeting, rows, place="browser"):
    """Rules by name; rows of a name, a context, and the answer of each rule: a word for all, or words by name."""
    experiments = [experiment(at, key, targeting=rule) for at, (key, rule) in enumerate(targeting.items(), 1)]
    cases = []
    for name, visitor, answers, *more in rows:
        if isinstance(answers, str):
            answers = dict.fromkeys(targeting, answers)
        expect = {key: ANSWERS[answer] for key, answer in answers.items()}
        cases.append(case(name, visitor, expect, **({"place": place} | (more[0] if more else {}))))
    decisions(feature, experiments, cases)


def groups(*conditions):
    return [[dict(zip(("criteria", "operator", "value"), each)) for each in group] for group in conditions]


def units(n):
    """Ids of the kinds that projects use."""
    kinds = ("visitor-{}", "{}", "user{}@example.com", "7f3c9a52-0b1d-4e6f-8a90-{:012x}", "zażółć-{}", "日本{}", "🙂{}")
    return [kinds[at % len(kinds)].format(1_000 + 37 * at) for at in range(n)]


def arm_of(ranges, salt, unit):
    return next(arm for end, arm in ranges if bucket(f"{salt}:v:{unit}") < end * 100)


def named(arm):
    return "Control" if arm == 0 else f"Variant {arm}"


# Hashing

TEXTS = ["", "a", "ab", "abc", "abcd", "abcde", "test", "Hello, world!", "The quick brown fox jumps over the lazy dog"]
TEXTS += ["exp-1:v:visitor-1", "exp-1:t:visitor-1", "exp-1:v:zażółć", "é", "日本語", "🙂", "\u0000", "\u0000\u0000\u0000\u0000", "ÿÿÿÿ"]
TEXTS += ["\uffff", "e\u0301", "A", "x" * 255, "x" * 256, "é" * 255, "42:t:visitor-1", "42:v:visitor-1", "g7:g:visitor-1"]
# Where the hash would come to the next bucket if it were divided by 2³² − 1.
NEXT = [text for text in map(str, range(40_000)) if murmur3(text) * 1_000_000 // 0xFFFFFFFF != bucket(text)]
TEXTS += NEXT[:3]
FILES["hashing"] = {"cases": [{"text": text, "hash": murmur3(text), "bucket": bucket(text)} for text in TEXTS]}
assert [each["hash"] for each in FILES["hashing"]["cases"][:9:2]] == [0, 2613040991, 1139631978, 3127628307, 776992547]

# Traffic, the split

SHARES = [0, 1, 10, 50, 99, 100]


def traffic_cases():
    experiments = [experiment(at, f"share-{share}", salt="traffic", traffic_allocation=share) for at, share in enumerate(SHARES, 1)]
    cases = []
    for unit in units(28):
        at = bucket(f"traffic:t:{unit}")
        expect = {
            f"share-{share}": ANSWERS["yes"] if at < share * 10_000 else expected(None, "traffic") for share in SHARES
        }
        cases.append(case(f"{unit}: bucket {at}", {"targetingKey": unit}, expect))
    decisions("traffic", experiments, cases)


SPLITS = {
    "even": [[5_000, 0], [10_000, 1]],
    "three": [[3_334, 0], [6_667, 1], [10_000, 2]],
    "uneven": [[9_000, 0], [9_500, 1], [10_000, 2]],
    "pieces": [[2_500, 1], [5_000, 0], [7_000, 2], [8_000, 0], [9_999, 1], [10_000, 3]],
    "without-control": [[5_000, 1], [10_000, 2]],
    "control-only": [[10_000, 0]],
}


def split_cases():
    experiments, cases = [], []
    for at, (key, ranges) in enumerate(SPLITS.items(), 1):
        experiments.append(experiment(at, key, salt=f"split-{at}", ranges=ranges, variants=[{}, {}, {}]))
    for unit in units(42):
        expect = {
            each["experiment_key"]: expected(named(arm_of(each["ranges"], each["salt"], unit)), "split")
            for each in experiments
        }
        cases.append(case(unit, {"targetingKey": unit}, expect))
    decisions("split", experiments, cases)


# Ids whose bucket is exactly this one, under the salt `on`; found by trying, checked where they are used.
ON_BORDERS = {
    ("v", 249999): 1274688,
    ("v", 250000): 2481890,
    ("v", 499999): 62421,
    ("v", 500000): 1569898,
    ("t", 499999): 541316,
    ("t", 500000): 908129,
    ("g", 249999): 617104,
    ("g", 250000): 1294734,
    ("g", 749999): 1030418,
    ("g", 750000): 240379,
}


def border_cases():
    """Visitors whose bucket is the last before a border, or the first behind it."""
    experiments, cases = [], []
    for at, unit in enumerate(units(7), 1):
        place, enters = bucket(f"border-{at}:v:{unit}"), bucket(f"border-{at}:t:{unit}")
        below, above = place // 100, place // 100 + 1
        share = enters // 10_000
        experiments += [
            experiment(10 * at, f"below-{at}", salt=f"border-{at}", ranges=[[below, 0], [10_000, 1]]),
            experiment(10 * at + 1, f"above-{at}", salt=f"border-{at}", ranges=[[above, 0], [10_000, 1]]),
            experiment(10 * at + 2, f"outside-{at}", salt=f"border-{at}", traffic_allocation=share),
            experiment(10 * at + 3, f"inside-{at}", salt=f"border-{at}", traffic_allocation=share + 1),
        ]
        expect = {
            f"below-{at}": expected("Variant 1", "split"),
            f"above-{at}": expected("Control", "split"),
            f"outside-{at}": expected(None, "traffic"),
            f"inside-{at}": expected("Variant 1", "split"),
        }
        cases.append(case(f"{unit}: buckets {enters} and {place}", {"targetingKey": unit}, expect))
    # And those whose bucket is the border.
    group = {"salt": "on", "from": 2_500, "to": 7_500}
    experiments += [
        experiment(1, "split", salt="on", ranges=[[2_500, 0], [5_000, 1], [10_000, 2]], variants=[{}, {}]),
        experiment(2, "half", salt="on", traffic_allocation=50),
        experiment(3, "part", exclusion=group),
        experiment(4, "share", salt="on", serving={"variant_id": "1", "traffic_allocation": 50}),
        experiment(5, "personal", salt="on", test_type="personalization", ranges=[[1, 0], [2, 1], [10_000, 2]], variants=[{}, {}]),
    ]
    wins, rollout = expected("Variant 1", "served"), expected(None, "rollout")
    for letter, at, expect in [
        ("v", 249_999, {"split": expected("Control", "split")}),
        ("v", 250_000, {"split": expected("Variant 1", "split")}),
        ("v", 499_999, {"split": expected("Variant 1", "split"), "personal": expected("Control", "split")}),
        ("v", 500_000, {"split": expected("Variant 2", "split"), "personal": expected("Variant 1", "split")}),
        ("t", 499_999, {"half": ANSWERS["yes"], "share": wins}),
        ("t", 500_000, {"half": expected(None, "traffic"), "share": rollout}),
        ("g", 249_999, {"part": expected(None, "excluded")}),
        ("g", 250_000, {"part": ANSWERS["yes"]}),
        ("g", 749_999, {"part": ANSWERS["yes"]}),
        ("g", 750_000, {"part": expected(None, "excluded")}),
    ]:
        unit = ON_BORDERS[letter, at]
        assert bucket(f"on:{letter}:visitor-{unit}") == at
        cases.append(case(f"bucket {at} of {letter}", {"targetingKey": f"visitor-{unit}"}, expect))
    decisions("borders", experiments, cases)


# Personalization


def personal_cases():
    ranges = [[5_000, 0], [7_500, 1], [10_000, 2]]
    to_countries = [{"targeting": {"allowed_country": [{"name": code, "code": code, "rule": "whitelist"}]}} for code in ("DE", "FR")]
    personal = {"test_type": "personalization"}
    experiments = [
        experiment(1, "countries", **personal, ranges=ranges, variants=to_countries),
        experiment(2, "fallback", **personal, ranges=ranges, variants=[to_countries[0], {}]),
        experiment(3, "no-weights", **personal, ranges=[[10_000, 2]], variants=to_countries),
        experiment(4, "no-control", **personal, ranges=[[5_000, 1], [10_000, 2]], variants=to_countries),
        experiment(5, "overlap", **personal, ranges=ranges, variants=[{"targeting": {"device_rule": ["mobile"]}}, to_countries[0]]),
        experiment(6, "and-targeting", **personal, ranges=[[10_000, 1]], variants=to_countries[:1], targeting={"device_rule": ["mobile"]}),
        experiment(7, "ab", ranges=[[10_000, 1]], variants=to_countries[:1]),
        experiment(8, "pieces", **personal, ranges=[[1_000, 1], [2_000, 0], [3_000, 2], [4_000, 1], [10_000, 0]], variants=to_countries),
        experiment(9, "url-rule-ignored", **personal, ranges=[[10_000, 1]], variants=[
            {"targeting": {"url_rule": [{"url": "(", "rule": "regex", "allowed": True}]}}]),
        experiment(10, "no-variants", **personal, ranges=[[10_000, 0]], variants=[]),
    ]  # fmt: skip
    salts = {each["experiment_key"]: each for each in experiments}

    def chosen(key, unit, arm):
        each, start, weights = salts[key], 0, {}
        for end, owner in each["ranges"]:
            weights[owner] = weights.get(owner, 0) + end - start
            start = end
        control, own = weights.get(0, 0), weights.get(arm, 0)
        if control + own == 0:
            return expected(None, "traffic")
        at = bucket(f"{each['salt']}:v:{unit}") * (control + own) * 100 // 1_000_000
        return expected("Control" if at < control * 100 else named(arm), "split")

    audience, unknown = expected(None, "audience"), expected(None, "unknown")
    cases = []
    for unit in units(14):
        for country, arm in (("DE", 1), ("fr", 2)):
            expect = {key: chosen(key, unit, arm) for key in ("countries", "fallback", "no-weights", "no-control", "pieces")}
            cases.append(case(f"{unit} in {country}", {"targetingKey": unit, "country": country}, expect))
    last = {"targetingKey": "visitor-1"}
    one = lambda key, arm: {key: chosen(key, "visitor-1", arm)}
    cases += [
        case("no variant is for the visitor", last | {"country": "US"}, {"countries": audience, "no-control": audience} | one("fallback", 2)),
        case("the country is not known", last, {"countries": unknown, "no-control": unknown} | one("fallback", 2)),
        case("the country is none", last | {"country": None}, {"countries": audience} | one("fallback", 2)),
        case("both variants hold: the first", last | {"country": "DE", "device": "mobile"}, one("overlap", 1)),
        case("only the second holds", last | {"country": "DE", "device": "desktop"}, one("overlap", 2)),
        case("an unknown variant is passed over", last | {"country": "DE"}, one("overlap", 2)),
        case("unknown and no: unknown", last | {"country": "US"}, {"overlap": unknown}),
        case("no and unknown: unknown", last | {"device": "desktop"}, {"overlap": unknown}),
        case("targeting comes first: no", last | {"country": "DE", "device": "desktop"}, {"and-targeting": expected(None, "targeting")}),
        case("targeting comes first: unknown", last | {"country": "US"}, {"and-targeting": unknown}),
        case("targeting holds, the audience does not", last | {"country": "US", "device": "mobile"}, {"and-targeting": audience}),
        case("both hold", last | {"country": "DE", "device": "mobile"}, {"and-targeting": ANSWERS["yes"]}),
        case("variants' rules count in personalizations only", last | {"country": "US"}, {"ab": ANSWERS["yes"]}),
        case("variants have no pages", last, {"url-rule-ignored": ANSWERS["yes"]}),
        case("without variants it is for nobody", last, {"no-variants": audience}),
        case("sticky: the variant that holds", last | {"country": "DE", "sticky": {"countries": "Variant 1"}}, {"countries": expected("Variant 1", "sticky")}),
        case("sticky: the control", last | {"country": "DE", "sticky": {"countries": "Control"}}, {"countries": expected("Control", "sticky")}),
        case("sticky: another variant counts for nothing", last | {"country": "DE", "sticky": {"countries": "Variant 2"}}, one("countries", 1)),
        case("sticky: the audience is left", last | {"country": "US", "sticky": {"countries": "Variant 1"}}, {"countries": audience}),
        case("sticky: kept where there is no weight", last | {"country": "DE", "sticky": {"no-weights": "Variant 1"}}, {"no-weights": expected("Variant 1", "sticky")}),
        case("sticky: a variant that is gone", last | {"country": "DE", "sticky": {"countries": "Variant 3"}}, {"countries": expected(None, "variant_gone")}),
    ]  # fmt: skip
    decisions("personalization", experiments, cases)


# Winners, groups, memory, previews


def serving_cases():
    mobile = {"device_rule": ["mobile"]}
    served = lambda arm, share: {"variant_id": arm, "traffic_allocation": share}
    experiments = [
        experiment(1, "variant", serving=served("1", 100)),
        experiment(2, "control", serving=served("0", 100)),
        experiment(3, "half", serving=served("1", 50)),
        experiment(4, "nobody", serving=served("1", 0)),
        experiment(5, "paused", live=False, serving=served("1", 100)),
        experiment(6, "targeted", serving=served("1", 100), targeting=mobile),
        experiment(7, "free", serving=served("1", 100), traffic_allocation=0, exclusion={"salt": "g", "from": 0, "to": 0}),
        experiment(8, "personal", serving=served("1", 100), test_type="personalization", variants=[{"targeting": mobile}]),
        experiment(9, "targeted-none", serving=served("1", 0), targeting=mobile),
        experiment(10, "tenth", serving=served("2", 10), variants=[{}, {}]),
    ]
    wins, half = expected("Variant 1", "served"), lambda unit, salt, share: bucket(f"{salt}:t:{unit}") < share * 10_000
    cases = [
        case("to everybody", {}, {"variant": wins, "control": expected("Control", "served"), "nobody": expected(None, "rollout")}),
        case("live or not", {}, {"paused": wins}),
        case("to the eligible", {"device": "mobile"}, {"targeted": wins, "targeted-none": expected(None, "rollout")}),
        case("not to others", {"device": "tablet"}, {"targeted": expected(None, "targeting"), "targeted-none": expected(None, "targeting")}),
        case("eligibility is not known", {}, {"targeted": expected(None, "unknown"), "targeted-none": expected(None, "unknown")}),
        case("whatever traffic and group say", {}, {"free": wins}),
        case("whatever the variants' rules say", {"device": "tablet"}, {"personal": wins}),
        case("whatever was given before", {"sticky": {"variant": "Control", "half": "Variant 9"}}, {"variant": wins, "half": wins if half("visitor-1", 3, 50) else expected(None, "rollout")}),
        case("a preview comes before", {}, {"variant": expected("Control", "forced")}, forced={"test_id": 1, "variant_id": "0"}),
    ]  # fmt: skip
    for unit in units(14):
        expect = {
            "half": wins if half(unit, 3, 50) else expected(None, "rollout"),
            "tenth": expected("Variant 2", "served") if half(unit, 10, 10) else expected(None, "rollout"),
        }
        cases.append(case(unit, {"targetingKey": unit}, expect))
    decisions("serving", experiments, cases)


def exclusion_cases():
    part = lambda start, end: {"salt": "g7", "from": start, "to": end}
    parts = {"first": (0, 3_000), "second": (3_000, 6_500), "third": (6_500, 10_000), "nobody": (5_000, 5_000), "all": (0, 10_000)}
    experiments = [experiment(at, key, exclusion=part(*ends)) for at, (key, ends) in enumerate(parts.items(), 1)]
    experiments.append(experiment(9, "other-group", exclusion={"salt": "g8", "from": 0, "to": 5_000}))
    experiments.append(experiment(10, "no-traffic", traffic_allocation=0, exclusion=part(5_000, 5_000)))
    experiments.append(experiment(11, "paused", live=False, exclusion=part(5_000, 5_000)))
    experiments.append(experiment(12, "null", exclusion=None, serving=None))
    out, cases = expected(None, "excluded"), []
    for unit in units(21):
        at, other = bucket(f"g7:g:{unit}"), bucket(f"g8:g:{unit}")
        expect = {key: ANSWERS["yes"] if start * 100 <= at < end * 100 else out for key, (start, end) in parts.items()}
        expect["other-group"] = ANSWERS["yes"] if other < 500_000 else out
        cases.append(case(f"{unit}: bucket {at}", {"targetingKey": unit}, expect))
    cases += [
        case("comes before traffic", {}, {"no-traffic": out}),
        case("comes before what was given", {"sticky": {"nobody": "Variant 1"}}, {"nobody": out}),
        case("comes after the status", {}, {"paused": expected(None, "disabled")}),
        case("null is none", {}, {"null": ANSWERS["yes"]}),
    ]
    decisions("exclusion", experiments, cases)


def holdout_cases():
    part = lambda start, end, salt="g7": {"salt": salt, "from": start, "to": end}
    served = {"variant_id": "1", "traffic_allocation": 100}
    everybody, mobile = [part(0, 10_000)], {"device_rule": ["mobile"]}
    experiments = [
        experiment(1, "some", holdouts=[part(0, 2_000)]),
        experiment(2, "others", holdouts=[part(2_000, 4_000), part(0, 1_000, "g8")]),
        experiment(3, "nobody", holdouts=[part(5_000, 5_000)]),
        experiment(4, "none", holdouts=[]),
        experiment(5, "with-group", holdouts=[part(0, 2_000)], exclusion=part(2_000, 10_000)),
        experiment(6, "winner", holdouts=everybody, serving=served),
        experiment(7, "winner-for-most", holdouts=[part(0, 2_000)], serving=served),
        experiment(8, "paused", holdouts=everybody, live=False),
        experiment(9, "excluded", holdouts=everybody, exclusion=part(0, 0)),
        experiment(10, "no-traffic", holdouts=everybody, traffic_allocation=0, targeting=mobile),
        experiment(11, "personal", holdouts=everybody, test_type="personalization"),
        experiment(12, "numbered", holdouts=[part(0, 10_000) | {"group_id": 7}]),
    ]
    held, wins, cases = expected(None, "holdout"), expected("Variant 1", "served"), []
    for unit in units(21):
        at, other = bucket(f"g7:g:{unit}"), bucket(f"g8:g:{unit}")
        out = at < 200_000
        expect = {
            "some": held if out else ANSWERS["yes"],
            "others": held if 200_000 <= at < 400_000 or other < 100_000 else ANSWERS["yes"],
            "nobody": ANSWERS["yes"],
            "with-group": held if out else ANSWERS["yes"],
            "winner-for-most": held if out else wins,
        }
        cases.append(case(f"{unit}: bucket {at}", {"targetingKey": unit}, expect))
    unit = next(unit for unit in units(1_000) if 200_000 <= bucket(f"g7:g:{unit}") < 400_000 and bucket(f"g8:g:{unit}") < 100_000)
    cases += [
        case("of two", {"targetingKey": unit}, {"others": held}),
        case("an empty list is none", {}, {"none": ANSWERS["yes"]}),
        case("comes before a winner", {}, {"winner": held}),
        case("comes before the status", {}, {"paused": held}),
        case("comes before the group, traffic and rules", {"device": "tablet"}, {"excluded": held, "no-traffic": held, "personal": held}),
        case("comes before what was given", {"sticky": {"some": "Variant 9", "numbered": "Variant 1"}}, {"numbered": held}),
        case("the group's id decides nothing", {}, {"numbered": held}),
        case("a preview comes before", {}, {"winner": expected("Control", "forced")}, forced={"test_id": 6, "variant_id": "0"}),
    ]  # fmt: skip
    decisions("holdout", experiments, cases)


def sticky_cases():
    mobile = {"device_rule": ["mobile"]}
    experiments = [
        experiment(1, "checkout", ranges=[[5_000, 0], [10_000, 1]]),
        experiment(2, "closed", traffic_allocation=0),
        experiment(3, "targeted", targeting=mobile, traffic_allocation=0),
        experiment(4, "paused", live=False),
        experiment(5, "no-weight", ranges=[[10_000, 0]], variants=[{}, {}]),
    ]
    fresh = expected(named(arm_of([[5_000, 0], [10_000, 1]], "1", "visitor-1")), "split")
    given = lambda key, name: {"sticky": {key: name}}
    kept = lambda name: expected(name, "sticky")
    gone, unknown = expected(None, "variant_gone"), expected(None, "unknown")
    cases = [
        case("the control is kept", given("checkout", "Control"), {"checkout": kept("Control")}),
        case("a variant is kept", given("checkout", "Variant 1"), {"checkout": kept("Variant 1")}),
        case("without traffic", given("closed", "Variant 1"), {"closed": kept("Variant 1")}),
        case("traffic counts for others", given("checkout", "Variant 1"), {"closed": expected(None, "traffic")}),
        case("without weight", given("no-weight", "Variant 2"), {"no-weight": kept("Variant 2")}),
        case("a variant that is gone", given("checkout", "Variant 2"), {"checkout": gone}),
        case("a variant far away", given("checkout", "Variant 4294967295"), {"checkout": gone}),
        case("gone comes before targeting", given("targeted", "Variant 2") | {"device": "tablet"}, {"targeted": gone}),
        case("still eligible", given("targeted", "Variant 1") | {"device": "mobile"}, {"targeted": kept("Variant 1")}),
        case("no longer eligible", given("targeted", "Variant 1") | {"device": "tablet"}, {"targeted": expected(None, "targeting")}),
        case("eligible, perhaps", given("targeted", "Variant 1"), {"targeted": unknown}),
        case("of an experiment that does not run", given("paused", "Variant 1"), {"paused": expected(None, "disabled")}),
        case("of an experiment that is not there", given("another", "Variant 7"), {"checkout": fresh}),
        case("null", {"sticky": None}, {"checkout": fresh}),
        case("empty", {"sticky": {}}, {"checkout": fresh}),
    ]  # fmt: skip
    decisions("sticky", experiments, cases)


def forced_cases():
    experiments = [
        experiment(1, "live", targeting={"device_rule": ["mobile"]}, variants=[{}, {}]),
        experiment(2, "paused", live=False, traffic_allocation=0),
        experiment(3, "excluded", exclusion={"salt": "g", "from": 0, "to": 0}),
    ]
    forced = lambda test_id, arm: {"forced": {"test_id": test_id, "variant_id": arm}}
    no, disabled, out = expected(None, "targeting"), expected(None, "disabled"), expected(None, "excluded")
    shown = lambda name: expected(name, "forced")
    tablet = {"device": "tablet"}
    cases = [
        case("nothing", tablet, {"live": no, "paused": disabled, "excluded": out}),
        case("a variant past targeting", tablet, {"live": shown("Variant 2"), "paused": disabled}, **forced(1, "2")),
        case("the control", tablet, {"live": shown("Control")}, **forced(1, "0")),
        case("a draft", tablet, {"live": no, "paused": shown("Variant 1")}, **forced(2, "1")),
        case("past the group", tablet, {"excluded": shown("Variant 1")}, **forced(3, "1")),
        case("past what was given", tablet | {"sticky": {"live": "Variant 9"}}, {"live": shown("Variant 1")}, **forced(1, "1")),
        case("an arm that is not there", tablet, {"live": no}, **forced(1, "3")),
        case("an experiment that is not there", tablet, {"live": no, "paused": disabled, "excluded": out}, **forced(4, "1")),
    ]  # fmt: skip
    decisions("forced", experiments, cases)


def order_cases():
    """Where several checks would answer, the first one does."""
    mobile = {"device_rule": ["mobile"]}
    no_one = {"salt": "g", "from": 0, "to": 0}
    experiments = [
        experiment(1, "status", live=False, exclusion=no_one, traffic_allocation=0, targeting=mobile),
        experiment(2, "exclusion", exclusion=no_one, traffic_allocation=0, targeting=mobile),
        experiment(3, "traffic", traffic_allocation=0, targeting=mobile),
        experiment(4, "targeting", targeting=mobile, test_type="personalization", variants=[{"targeting": mobile}]),
        experiment(5, "audience", test_type="personalization", variants=[{"targeting": mobile}]),
        experiment(6, "split", test_type="split"),
    ]
    reasons = {"status": "disabled", "exclusion": "excluded", "traffic": "traffic", "targeting": "targeting", "audience": "audience"}
    expect = {key: expected(None, reason) for key, reason in reasons.items()} | {"split": ANSWERS["yes"]}
    cases = [case("all of them say no", {"device": "tablet"}, expect, place) for place in ("browser",)]
    expect = expect | {"targeting": expected(None, "unknown"), "audience": expected(None, "unknown")}
    cases.append(case("rules do not know", {}, expect, "server"))
    sticky = dict.fromkeys(expect, "Variant 5")
    gone = dict.fromkeys(("traffic", "targeting", "audience", "split"), expected(None, "variant_gone"))
    cases.append(case("all were given what is gone", {"device": "tablet", "sticky": sticky}, expect | gone))
    decisions("order", experiments, cases)


# Rules


def word_rules():
    rules(
        "words",
        {
            "devices": {"device_rule": ["mobile", "tablet"]},
            "browsers": {"browser_rule": ["chrome", "edge"]},
            "systems": {"os_rule": ["macOS", "ios"]},
            "new": {"user_rule": "new"},
            "returning": {"user_rule": ["returning"]},
            "empty": {"device_rule": [""], "os_rule": ["", "ios"]},
            "anyone": {"user_rule": [], "device_rule": [], "browser_rule": [], "os_rule": [], "browser_language_rule": []},
            "audiences": {"ga4_rule": ["Buyers", "Readers"]},
        },
        [
            ("nothing is known", {}, dict.fromkeys(["devices", "browsers", "systems", "new", "returning", "audiences"], "unknown") | {"anyone": "yes"}),
            ("none of them", {"device": None, "browser": None, "os": None, "visitor_type": None, "audiences": None},
             dict.fromkeys(["devices", "browsers", "systems", "new", "returning", "audiences"], "no") | {"anyone": "yes"}),
            ("empty texts are none", {"device": "", "browser": "", "os": "", "visitor_type": ""}, dict.fromkeys(["devices", "browsers", "systems", "new", "returning", "empty"], "no")),
            ("the first word", {"device": "mobile", "browser": "chrome", "os": "macOS"}, {"devices": "yes", "browsers": "yes", "systems": "yes"}),
            ("the second word", {"device": "tablet", "browser": "edge", "os": "ios"}, {"devices": "yes", "browsers": "yes", "systems": "yes"}),
            ("another word", {"device": "desktop", "browser": "safari", "os": "windows"}, {"devices": "no", "browsers": "no", "systems": "no"}),
            ("letter case does not count", {"device": "MOBILE", "browser": "Chrome", "os": "MACOS"}, {"devices": "yes", "browsers": "yes", "systems": "yes"}),
            ("a part of a word", {"device": "mobil", "browser": "chrome ", "os": "mac"}, {"devices": "no", "browsers": "no", "systems": "no"}),
            ("a word nobody knows", {"device": "watch", "browser": "lynx", "os": "plan9"}, {"devices": "no", "browsers": "no", "systems": "no"}),
            ("new", {"visitor_type": "new"}, {"new": "yes", "returning": "no"}),
            ("returning", {"visitor_type": "Returning"}, {"new": "no", "returning": "yes"}),
            ("no audiences", {"audiences": []}, {"audiences": "no"}),
            ("another audience", {"audiences": ["Leavers"]}, {"audiences": "no"}),
            ("one of the audiences", {"audiences": ["Leavers", "readers"]}, {"audiences": "yes"}),
            ("an audience by half", {"audiences": ["Read", "Buyers "]}, {"audiences": "no"}),
        ],
    )  # fmt: skip
    rules(
        "languages",
        {
            "en": {"browser_language_rule": ["en"]},
            "en-GB": {"browser_language_rule": ["en-GB"]},
            "two": {"browser_language_rule": ["de", "pt-BR"]},
        },
        [
            ("not known", {}, "unknown"),
            ("none", {"language": None}, "no"),
            ("empty", {"language": ""}, "no"),
            ("en", {"language": "en"}, {"en": "yes", "en-GB": "no", "two": "no"}),
            ("EN", {"language": "EN"}, {"en": "yes", "en-GB": "no"}),
            ("en-GB", {"language": "en-GB"}, {"en": "yes", "en-GB": "yes", "two": "no"}),
            ("en-gb", {"language": "en-gb"}, {"en": "yes", "en-GB": "yes"}),
            ("en_US", {"language": "en_US"}, {"en": "yes", "en-GB": "no"}),
            ("en_GB", {"language": "en_GB"}, {"en": "yes", "en-GB": "no"}),
            ("en-GB-oxendict", {"language": "en-GB-oxendict"}, {"en": "yes", "en-GB": "yes"}),
            ("enm", {"language": "enm"}, {"en": "no", "en-GB": "no"}),
            ("e", {"language": "e"}, {"en": "no"}),
            ("de-AT", {"language": "de-AT"}, {"en": "no", "two": "yes"}),
            ("pt-BR", {"language": "pt-BR"}, {"two": "yes"}),
            ("pt-PT", {"language": "pt-PT"}, {"two": "no"}),
        ],
    )


def place_rules():
    country = lambda *entries: {"allowed_country": [{"name": code, "code": code, "rule": rule} for code, rule in entries]}
    place = lambda rule, *entries: {rule: [{"name": name, "rule": way} for name, way in entries]}
    rules(
        "countries",
        {
            "in": country(("DE", "whitelist"), ("FR", "whitelist")),
            "out": country(("US", "blacklist"), ("DE", "blacklist")),
            "both": country(("DE", "whitelist"), ("FR", "whitelist"), ("FR", "blacklist")),
            "empty": {"allowed_country": []},
        },
        [
            ("not known", {}, {"in": "unknown", "out": "unknown", "both": "unknown", "empty": "yes"}),
            ("none", {"country": None}, {"in": "no", "out": "yes", "both": "no", "empty": "yes"}),
            ("empty text", {"country": ""}, {"in": "no", "out": "yes", "both": "no"}),
            ("DE", {"country": "DE"}, {"in": "yes", "out": "no", "both": "yes"}),
            ("de", {"country": "de"}, {"in": "yes", "out": "no", "both": "yes"}),
            ("FR: out beats in", {"country": "FR"}, {"in": "yes", "out": "yes", "both": "no"}),
            ("US", {"country": "US"}, {"in": "no", "out": "no", "both": "no"}),
            ("PL", {"country": "PL"}, {"in": "no", "out": "yes", "both": "no"}),
            ("the name is for people", {"country": "Germany"}, {"in": "no", "out": "yes"}),
        ],
    )
    cities = [
        ("not known", {}, {"in": "unknown", "out": "unknown", "bare": "unknown"}),
        ("none", {None: None}, {"in": "no", "out": "yes", "bare": "no"}),
        ("the same", {None: "Berlin (Berlin)"}, {"in": "yes", "out": "no", "bare": "yes"}),
        ("letter case", {None: "BERLIN (berlin)"}, {"in": "yes", "out": "no", "bare": "yes"}),
        ("without brackets", {None: "Berlin"}, {"in": "yes", "out": "no", "bare": "yes"}),
        ("other brackets", {None: "Berlin (Connecticut)"}, {"in": "no", "out": "yes", "bare": "yes"}),
        ("another", {None: "Bern (Bern)"}, {"in": "no", "out": "yes", "bare": "no"}),
        ("the beginning", {None: "Ber"}, {"in": "no", "out": "yes", "bare": "no"}),
        ("a longer name", {None: "Berlingen"}, {"in": "no", "out": "yes", "bare": "no"}),
        ("a blank is not enough", {None: "Berlin Mitte"}, {"in": "no", "out": "yes", "bare": "no"}),
        ("no blank", {None: "Berlin(Berlin)"}, {"in": "no", "out": "yes", "bare": "no"}),
        ("letters outside A to Z are not folded", {None: "îLE"}, {"in": "no", "accent": "no"}),
        ("letters outside A to Z", {None: "Île (FR)"}, {"accent": "yes"}),
        ("brackets in a name", {None: "Halle (Saale) (Brandenburg)"}, {"brackets": "yes"}),
        ("brackets in a name, shorter", {None: "Halle"}, {"brackets": "yes"}),
        ("brackets in a name, others", {None: "Halle (Hesse)"}, {"brackets": "no"}),
        ("in and out", {None: "Paris (Texas)"}, {"mixed": "no"}),
        ("in", {None: "Paris (Île-de-France)"}, {"mixed": "yes"}),
        ("in, out by name alone", {None: "Paris"}, {"mixed": "no"}),
    ]
    for rule, fact in (("allowed_city", "city"), ("allowed_region", "region")):
        fitted = [(name, {fact: value for value in visitor.values()}, answers) for name, visitor, answers in cities]
        rules(
            {"city": "cities", "region": "regions"}[fact],
            {
                "in": place(rule, ("Berlin (Berlin)", "equal"), ("Hamburg (Hamburg)", "equal")),
                "out": place(rule, ("Berlin (Berlin)", "notEqual"), ("Köln", "notEqual")),
                "bare": place(rule, ("Berlin", "equal")),
                "accent": place(rule, ("Île", "equal")),
                "brackets": place(rule, ("Halle (Saale)", "equal")),
                "mixed": place(rule, ("Paris", "equal"), ("Paris (Texas)", "notEqual")),
            },
            fitted,
        )


# Conditions: every operator against every kind of value. A row says which of the rules hold.

OPERATORS = {
    "ex": ("ex",), "nx": ("nx",), "bt": ("bt",), "bf": ("bf",),
    "eq-pro": ("==", "pro"), "ne-pro": ("!=", "pro"), "eq-5": ("==", "5"), "eq-n5": ("==", 5), "ne-n5": ("!=", 5),
    "eq-true": ("==", "true"), "eq-ntrue": ("==", True), "eq-n1": ("==", 1), "eq-empty": ("==", ""), "eq-n.1": ("==", 0.1),
    "has-r": ("**", "R"), "not-r": ("!*", "R"), "has-empty": ("**", ""), "not-empty": ("!*", ""), "has-n5": ("**", 5),
    "gt-5": ("gt", "5"), "gte-5": (">=", "5"), "lt-5": ("<", " 5.0 "), "lte-5": ("lte", 5),
}  # fmt: skip
NONE = "nx ne-pro ne-n5 not-r not-empty"
VALUES = [
    ("nothing", None, NONE),
    ("empty text", "", "ex ne-pro ne-n5 eq-empty not-r has-empty"),
    ("pro", "pro", "ex eq-pro ne-n5 has-r has-empty"),
    ("PRO", "PRO", "ex eq-pro ne-n5 has-r has-empty"),
    ("a blank before pro", " pro", "ex ne-pro ne-n5 has-r has-empty"),
    ("text 5", "5", "ex ne-pro eq-5 eq-n5 not-r has-empty has-n5 gte-5 lte-5"),
    ("text 5.0", "5.0", "ex ne-pro eq-n5 not-r has-empty has-n5 gte-5 lte-5"),
    ("text 5 among blanks", " \t5\r\n", "ex ne-pro eq-n5 not-r has-empty has-n5 gte-5 lte-5"),
    ("text 5 behind a no-break space", "\u00a05", "ex ne-pro ne-n5 not-r has-empty has-n5"),
    ("text 5 behind a vertical tab", "\u000b5", "ex ne-pro ne-n5 not-r has-empty has-n5"),
    ("text +5", "+5", "ex ne-pro eq-n5 not-r has-empty has-n5 gte-5 lte-5"),
    ("text 5.", "5.", "ex ne-pro eq-n5 not-r has-empty has-n5 gte-5 lte-5"),
    ("text .5e1", ".5e1", "ex ne-pro eq-n5 not-r has-empty has-n5 gte-5 lte-5"),
    ("text 0x5", "0x5", "ex ne-pro ne-n5 not-r has-empty has-n5"),
    ("text 5,0", "5,0", "ex ne-pro ne-n5 not-r has-empty has-n5"),
    ("text 5_0", "5_0", "ex ne-pro ne-n5 not-r has-empty has-n5"),
    ("text 1e999", "1e999", "ex ne-pro ne-n5 not-r has-empty"),
    ("text inf", "inf", "ex ne-pro ne-n5 not-r has-empty"),
    ("text Infinity", "Infinity", "ex ne-pro ne-n5 not-r has-empty"),
    ("text NaN", "NaN", "ex ne-pro ne-n5 not-r has-empty"),
    ("text .", ".", "ex ne-pro ne-n5 not-r has-empty"),
    ("text e5", "e5", "ex ne-pro ne-n5 not-r has-empty has-n5"),
    ("text 5e", "5e", "ex ne-pro ne-n5 not-r has-empty has-n5"),
    ("text - 5", "- 5", "ex ne-pro ne-n5 not-r has-empty has-n5"),
    ("text ٥", "٥", "ex ne-pro ne-n5 not-r has-empty"),
    ("text -6", "-6", "ex ne-pro ne-n5 not-r has-empty lt-5 lte-5"),
    ("text 5.1", "5.1", "ex ne-pro ne-n5 not-r has-empty has-n5 gt-5 gte-5"),
    ("text 1", "1", "ex bt ne-pro ne-n5 eq-n1 not-r has-empty lt-5 lte-5"),
    ("text 0", "0", "ex bf ne-pro ne-n5 not-r has-empty lt-5 lte-5"),
    ("text 1.0", "1.0", "ex ne-pro ne-n5 eq-n1 not-r has-empty lt-5 lte-5"),
    ("text true", "true", "ex bt ne-pro ne-n5 eq-true eq-ntrue has-r has-empty"),
    ("text TRUE", "TRUE", "ex bt ne-pro ne-n5 eq-true eq-ntrue has-r has-empty"),
    ("text True and a blank", "True ", "ex ne-pro ne-n5 has-r has-empty"),
    ("text False", "False", "ex bf ne-pro ne-n5 not-r has-empty"),
    ("text yes", "yes", "ex ne-pro ne-n5 not-r has-empty"),
    ("true", True, "ex bt ne-pro ne-n5 eq-true eq-ntrue has-r has-empty"),
    ("false", False, "ex bf ne-pro ne-n5 not-r has-empty"),
    ("number 5", 5, "ex ne-pro eq-5 eq-n5 not-r has-empty has-n5 gte-5 lte-5"),
    ("number 6", 6, "ex ne-pro ne-n5 not-r has-empty gt-5 gte-5"),
    ("number 4.9", 4.9, "ex ne-pro ne-n5 not-r has-empty lt-5 lte-5"),
    ("number 1", 1, "ex bt ne-pro ne-n5 eq-n1 not-r has-empty lt-5 lte-5"),
    ("number 0", 0, "ex bf ne-pro ne-n5 not-r has-empty lt-5 lte-5"),
    ("number -0", -0.0, "ex bf ne-pro ne-n5 not-r has-empty lt-5 lte-5"),
    ("number 0.1", 0.1, "ex ne-pro ne-n5 eq-n.1 not-r has-empty lt-5 lte-5"),
    ("number 0.5", 0.5, "ex ne-pro ne-n5 not-r has-empty has-n5 lt-5 lte-5"),
    ("number 1e21 has no text", 1e21, "ex ne-pro ne-n5 not-r has-empty eq-empty gt-5 gte-5"),
    ("number 5e20 has one", 5e20, "ex ne-pro ne-n5 not-r has-empty has-n5 gt-5 gte-5"),
    ("number 5e-7 has no text", 5e-7, "ex ne-pro ne-n5 not-r has-empty eq-empty lt-5 lte-5"),
    ("number 5e-6 has one", 5e-6, "ex ne-pro ne-n5 not-r has-empty has-n5 lt-5 lte-5"),
    ("a list is no plain value", ["pro"], NONE),
    ("an object is no plain value", {"pro": True}, NONE),
    ("text too long is left out", "r" * 8_193, NONE),
    ("the longest text", "r" * 8_192, "ex ne-pro ne-n5 has-r has-empty"),
    ("the longest text in bytes", "é" * 4_096, "ex ne-pro ne-n5 not-r has-empty"),
    ("text too long in bytes", "é" * 4_096 + "r", NONE),
]  # fmt: skip


def operator_rules():
    targeting = {key: {"segment_rule": groups([("plan", *operator)])} for key, operator in OPERATORS.items()}
    rows = []
    for name, value, holding in VALUES:
        holding = holding.split()
        assert all(key in OPERATORS for key in holding), name
        # 1e21 equals the empty text: it has none, and "" reads as no number.
        answers = {key: "yes" if key in holding else "no" for key in OPERATORS}
        rows.append((name, {} if value is None else {"plan": value}, answers))
    rows.append(("null", {"plan": None}, {key: "yes" if key in NONE.split() else "no" for key in OPERATORS}))
    rows.append(("null in attributes", {"attributes": {"plan": None}}, {key: "yes" if key in NONE.split() else "no" for key in OPERATORS}))
    rules("operators", targeting, rows)
    spellings = {sign: {"segment_rule": groups([("n", sign, 5)])} for sign in ("gt", ">", "gte", ">=", "lt", "<", "lte", "<=")}
    over, at, under = {"gt", ">", "gte", ">="}, {"gte", ">=", "lte", "<="}, {"lt", "<", "lte", "<="}
    pick = lambda holding: {sign: "yes" if sign in holding else "no" for sign in spellings}
    rules("spellings", spellings, [
        ("above", {"n": 6}, pick(over)), ("at", {"n": 5}, pick(at)), ("below", {"n": 4}, pick(under)),
        ("text above", {"n": "5.01"}, pick(over)), ("no number", {"n": "six"}, pick(set())), ("true", {"n": True}, pick(set())), ("nothing", {}, pick(set())),
    ])  # fmt: skip
    texts = {
        "eq-accent": ("==", "é"), "has-accent": ("**", "É"), "eq-big": ("==", 9_007_199_254_740_993), "has-big": ("**", 9_007_199_254_740_993),
        "eq-true-1": ("==", True), "has-dot": ("**", 12.5), "has-zero": ("**", -0.0), "eq-e": ("==", "1e3"), "eq-sharp": ("==", "STRASSE"),
    }  # fmt: skip
    pick = lambda *holding: {key: "yes" if key in holding else "no" for key in texts}
    rules("texts", {key: {"segment_rule": groups([("t", *operator)])} for key, operator in texts.items()}, [
        ("é", {"t": "é"}, pick("eq-accent")),
        ("É is not folded", {"t": "É"}, pick("has-accent")),
        ("e and an accent are two characters", {"t": "e\u0301"}, pick()),
        ("integers are doubles", {"t": 9_007_199_254_740_992}, pick("eq-big", "has-big", "has-zero")),
        ("integers are doubles in texts", {"t": "no. 9007199254740992"}, pick("has-big", "has-zero")),
        ("an integer that is no double", {"t": "no. 9007199254740993"}, pick("has-zero")),
        ("1 is not true", {"t": 1}, pick()),
        ("text 1 is not true", {"t": "1"}, pick()),
        ("a number in a text", {"t": "v12.50"}, pick("has-dot", "has-zero")),
        ("-12.5", {"t": -12.5}, pick("has-dot")),
        ("1000 and 1e3", {"t": 1000}, pick("eq-e", "has-zero")),
        ("text 1000 is not text 1e3", {"t": "1000"}, pick("has-zero")),
        ("text 1E3", {"t": "1E3"}, pick("eq-e")),
        ("strasse", {"t": "strasse"}, pick("eq-sharp")),
        ("straße", {"t": "straße"}, pick()),
        ("K, the Kelvin sign, is not k", {"t": "\u212a"}, pick()),
    ])  # fmt: skip


def moment_rules():
    days = {
        "gt-2": ("days_gt", "2"), "gte-2": ("days_gte", 2), "lt-2": ("days_lt", 2), "lte-2": ("days_lte", "2"),
        "lt-0": ("days_lt", 0), "gt-half": ("days_gt", "0.5"), "lt--1": ("days_lt", -1),
    }  # fmt: skip
    pick = lambda holding: {key: "yes" if key in holding.split() else "no" for key in days}
    older, exact, newer, ahead = "gt-2 gte-2 gt-half", "gte-2 lte-2 gt-half", "lt-2 lte-2 gt-half", "lt-2 lte-2 lt-0"
    never, far = "", "lt-2 lte-2 lt-0 lt--1"
    at = 1_772_445_600  # NOW
    rows = [
        ("three days ago", "2026-02-27T10:00:00Z", older),
        ("two days ago", "2026-02-28T10:00:00Z", exact),
        ("a millisecond more than two days ago", "2026-02-28T09:59:59.999Z", older),
        ("a millisecond less than two days ago", "2026-02-28T10:00:00.001Z", newer),
        ("half a day and a bit ago", "2026-03-01T21:59:59Z", newer),
        ("half a day ago", "2026-03-01T22:00:00Z", "lt-2 lte-2"),
        ("now", NOW, "lt-2 lte-2"),
        ("to come", "2026-03-02T10:00:00.001Z", ahead),
        ("far to come", "2030-01-01", far),
        ("a day alone is midnight", "2026-02-28", older),
        ("a blank for T", "2026-02-28 10:00", exact),
        ("without a zone it is UTC", "2026-02-28T10:00:00", exact),
        ("an offset to the east", "2026-02-28T15:30:00+05:30", exact),
        ("an offset to the west", "2026-02-28T02:00:00-08:00", exact),
        ("an offset over midnight", "2026-03-01T00:30+14:30", exact),
        ("nine digits, three count", "2026-02-28T10:00:00.000999999Z", exact),
        ("one digit", "2026-02-28T10:00:00.1Z", newer),
        ("a leap day", "2024-02-29", older),
        ("the first year", "0000-01-01", older),
        ("the last year", "9999-12-31T23:59:59.999Z", far),
        ("before 1970", "1969-12-31T23:59:59Z", older),
        ("the offset -00:00", "2026-02-28T10:00:00-00:00", exact),
        ("seconds", at - 2 * 86_400, exact),
        ("seconds as text", str(at - 2 * 86_400), exact),
        ("seconds with a fraction", at - 2 * 86_400 + 0.0015, newer),
        ("a fraction is rounded down", at - 2 * 86_400 + 0.0005, exact),
        ("milliseconds", (at - 2 * 86_400) * 1_000, exact),
        ("milliseconds, rounded down", (at - 2 * 86_400) * 1_000 + 0.75, exact),
        ("milliseconds as text", f" {(at - 2 * 86_400) * 1_000} ", exact),
        ("the largest seconds", 99_999_999_999, far),
        ("the smallest milliseconds", 100_000_000_000, older),
        ("negative seconds", -99_999_999_999, older),
        ("a year alone is a second of 1970", "2026", older),
        ("a large number", 1e300, far),
        ("nothing", None, never),
        ("empty", "", never),
        ("true", True, never),
        ("a word", "yesterday", never),
        ("a blank around", " 2026-02-28", never),
        ("a line end", "2026-02-28\n", never),
        ("February 29 where there is none", "2023-02-29", never),
        ("1900 was no leap year", "1900-02-29", never),
        ("2000 was one", "2000-02-29", older),
        ("month 13", "2026-13-01", never),
        ("month 0", "2026-00-10", never),
        ("day 0", "2026-02-00", never),
        ("day 31 of April", "2026-04-31", never),
        ("hour 24", "2026-02-28T24:00Z", never),
        ("minute 60", "2026-02-28T10:60Z", never),
        ("second 60", "2026-02-28T10:00:60Z", never),
        ("an hour alone", "2026-02-28T10", never),
        ("t in small", "2026-02-28t10:00Z", never),
        ("z in small", "2026-02-28T10:00z", never),
        ("a point without digits", "2026-02-28T10:00:00.Z", never),
        ("ten digits", "2026-02-28T10:00:00.0000000000Z", never),
        ("a fraction of minutes", "2026-02-28T10:00.5Z", never),
        ("an offset of hours", "2026-02-28T10:00+01", never),
        ("an offset without colon", "2026-02-28T10:00+0100", never),
        ("an offset of 24 hours", "2026-02-28T10:00+24:00", never),
        ("an offset after a day", "2026-02-28Z", never),
        ("other digits", "２０２６-02-28", never),
        ("slashes", "2026/02/28", never),
        ("no dashes is a number", "20260228", older),
    ]
    rows = [(name, {} if value is None else {"since": value}, pick(holding)) for name, value, holding in rows]
    rules("moments", {key: {"segment_rule": groups([("since", *operator)])} for key, operator in days.items()}, rows)


def group_rules():
    a, b, c = ("a", "==", "1"), ("b", "==", "1"), ("c", "==", "1")
    rules("groups", {
        "a": {"segment_rule": groups([a])},
        "a-or-b": {"segment_rule": groups([a, b])},
        "a-and-b": {"segment_rule": groups([a], [b])},
        "a-or-b-and-c": {"segment_rule": groups([a, b], [c])},
        "a-and-empty": {"segment_rule": groups([a], [])},
        "empty-groups": {"segment_rule": [[], []], "cookie_rule": [[]], "parameter_rule": [[]], "referral_rule": [[]]},
        "empty": {"segment_rule": []},
        "both-rules": {"segment_rule": groups([a]), "device_rule": ["mobile"]},
    }, [
        ("none", {}, {"a": "no", "a-or-b": "no", "a-and-b": "no", "a-or-b-and-c": "no", "a-and-empty": "no", "empty-groups": "yes", "empty": "yes", "both-rules": "no"}),
        ("a", {"a": "1"}, {"a": "yes", "a-or-b": "yes", "a-and-b": "no", "a-or-b-and-c": "no", "a-and-empty": "yes", "both-rules": "unknown"}),
        ("b", {"b": "1"}, {"a": "no", "a-or-b": "yes", "a-and-b": "no", "a-or-b-and-c": "no"}),
        ("c", {"c": "1"}, {"a": "no", "a-or-b": "no", "a-and-b": "no", "a-or-b-and-c": "no"}),
        ("a and b", {"a": "1", "b": "1"}, {"a": "yes", "a-or-b": "yes", "a-and-b": "yes", "a-or-b-and-c": "no"}),
        ("b and c", {"b": "1", "c": "1"}, {"a": "no", "a-or-b": "yes", "a-and-b": "no", "a-or-b-and-c": "yes"}),
        ("in attributes", {"attributes": {"a": "1"}}, {"a": "yes"}),
        ("attributes count before others", {"a": "0", "attributes": {"a": "1"}}, {"a": "yes"}),
        ("attributes count before others that come later", {"attributes": {"a": "1"}, "a": "0"}, {"a": "yes"}),
        ("null in attributes leaves the other", {"a": "1", "attributes": {"a": None}}, {"a": "yes"}),
        ("names have letter case", {"A": "1"}, {"a": "no"}),
        ("another attribute", {"aa": "1", " a": "1"}, {"a": "no"}),
        ("attributes null", {"a": "1", "attributes": None}, {"a": "yes"}),
        ("both rules", {"a": "1", "device": "mobile"}, {"both-rules": "yes"}),
        ("one rule says no, the other does not know", {"device": None}, {"both-rules": "no"}),
        ("names that languages know", {"constructor": "1", "toString": "1", "__proto__": "1", "a": "1"}, {"a": "yes"}),
    ])  # fmt: skip
    rules("facts-are-no-attributes", {
        "country": {"segment_rule": groups([("country", "ex")])},
        "id": {"segment_rule": groups([("targetingKey", "ex")])},
        "proto": {"segment_rule": groups([("constructor", "ex"), ("__proto__", "ex"), ("toString", "ex")])},
    }, [
        ("facts", {"country": "DE"}, "no"),
        ("an attribute named so", {"attributes": {"country": "DE", "targetingKey": "x"}}, {"country": "yes", "id": "yes", "proto": "no"}),
    ])  # fmt: skip


def address_rules():
    page = lambda query: {"url": f"https://shop.example/{query}"}
    rules("parameters", {
        "ads": {"parameter_rule": groups([("utm_source", "==", "ads")])},
        "not-ads": {"parameter_rule": groups([("utm_source", "!=", "ads")])},
        "here": {"parameter_rule": groups([("utm_source", "ex")])},
        "not-here": {"parameter_rule": groups([("utm_source", "nx")])},
        "two": {"parameter_rule": groups([("utm_source", "**", "a"), ("utm_medium", "==", "cpc")], [("n", "gt", "5")])},
    }, [
        ("the page is not known", {}, "unknown"),
        ("there is no page", {"url": None}, {"ads": "no", "not-ads": "yes", "here": "no", "not-here": "yes", "two": "no"}),
        ("no query", page(""), {"ads": "no", "not-ads": "yes", "here": "no", "not-here": "yes", "two": "no"}),
        ("the value", page("?utm_source=ads"), {"ads": "yes", "not-ads": "no", "here": "yes", "not-here": "no", "two": "no"}),
        ("letter case of the value", page("?utm_source=ADS"), {"ads": "yes"}),
        ("letter case of the name", page("?UTM_SOURCE=ads"), {"ads": "no", "here": "no"}),
        ("an empty value is there", page("?utm_source"), {"ads": "no", "not-ads": "yes", "here": "yes", "not-here": "no"}),
        ("the first value", page("?utm_source=x&utm_source=ads"), {"ads": "no"}),
        ("escapes", page("?utm%5Fsource=%61ds"), {"ads": "yes"}),
        ("the fragment is no query", page("#?utm_source=ads"), {"ads": "no"}),
        ("groups", page("?utm_source=mail&n=6"), {"two": "yes"}),
        ("groups, the other way", page("?utm_medium=cpc&n=+5.5"), {"two": "yes"}),
        ("groups, one is missing", page("?utm_source=mail"), {"two": "no"}),
    ])  # fmt: skip
    url = lambda *entries: {"url_rule": [{"url": each, "rule": rule, "allowed": allowed} for each, rule, allowed in entries]}
    rules("pages", {
        "in": url(("https://shop.example/checkout", "simple", True), ("/cart*", "wildcard", True)),
        "out": url(("thanks", "contain", False)),
        "both": url(("shop.example/*", "wildcard", True), ("^https://shop\\.example/a", "regex", False)),
        "empty": {"url_rule": []},
    }, [
        ("not known", {}, {"in": "unknown", "out": "unknown", "both": "unknown", "empty": "yes"}),
        ("none", {"url": None}, {"in": "no", "out": "yes", "both": "no", "empty": "yes"}),
        ("empty text", {"url": ""}, {"in": "no", "out": "yes", "both": "no", "empty": "yes"}),
        ("let in", page("checkout"), {"in": "yes", "out": "yes", "both": "yes"}),
        ("let in by another entry", page("cart/1?x"), {"in": "yes"}),
        ("not let in", page("about"), {"in": "no", "out": "yes", "both": "no"}),
        ("kept out", page("thanks"), {"in": "no", "out": "no", "both": "yes"}),
        ("kept out beats let in", page("ab"), {"both": "no"}),
        ("another host", {"url": "http://other.example/"}, {"in": "no", "out": "yes", "both": "no"}),
    ])  # fmt: skip
    rules("referrals", {
        "host": {"referral_rule": groups([("host", "==", "www.partner.example")])},
        "no-host": {"referral_rule": groups([("host", "nx")])},
        "url": {"referral_rule": groups([("url", "**", "/list")])},
        "search": {"referral_rule": groups([("source", "==", "search")])},
        "not-direct": {"referral_rule": groups([("source", "!=", "direct")])},
        "search-or-host": {"referral_rule": groups([("source", "==", "search"), ("host", "**", "partner")])},
        "paid-and-host": {"referral_rule": groups([("source", "==", "paid")], [("host", "**", "partner")])},
    }, [
        ("not known", {}, "unknown"),
        ("none", {"referrer": None}, {"host": "no", "no-host": "yes", "url": "no", "search": "no", "not-direct": "no", "search-or-host": "no", "paid-and-host": "no"}),
        ("empty", {"referrer": ""}, {"host": "no", "no-host": "yes", "url": "no", "search": "no", "not-direct": "no"}),
        ("an address", {"referrer": "https://WWW.Partner.example:8080/list?x"}, {"host": "yes", "no-host": "no", "url": "yes", "search": "no", "not-direct": "yes", "search-or-host": "yes", "paid-and-host": "no"}),
        ("no address", {"referrer": "about:blank/list"}, {"host": "no", "no-host": "yes", "url": "yes", "not-direct": "yes"}),
        ("a search engine", {"referrer": "https://www.google.de/"}, {"search": "yes", "not-direct": "yes", "search-or-host": "yes", "host": "no"}),
        ("paid, by the page", {"referrer": "https://partner.example/", "url": "https://shop.example/?gclid=1"}, {"search": "no", "paid-and-host": "yes"}),
        ("paid without a referrer", {"referrer": None, "url": "https://shop.example/?utm_medium=cpc"}, {"not-direct": "yes", "paid-and-host": "no"}),
        ("paid, the referrer is not known", {"url": "https://shop.example/?gclid=1"}, "unknown"),
        ("the own host", {"referrer": "https://shop.example/list", "url": "https://www.shop.example/"}, {"not-direct": "no", "url": "yes"}),
        ("the source is given", {"source": "search"}, {"search": "yes", "not-direct": "yes", "host": "unknown", "search-or-host": "yes", "paid-and-host": "no"}),
        ("the source is given and paid", {"source": "PAID"}, {"search": "no", "paid-and-host": "unknown", "search-or-host": "unknown"}),
        ("the source is given beside a referrer", {"source": "email", "referrer": "https://www.google.de/"}, {"search": "no", "not-direct": "yes"}),
        ("the source is none", {"source": None}, {"search": "unknown"}),
        ("the source is none beside a referrer", {"source": None, "referrer": "https://www.google.de/"}, {"search": "yes"}),
        ("the source is a word nobody knows", {"source": "radio"}, {"search": "no", "not-direct": "yes"}),
    ])  # fmt: skip
    rules("cookies", {
        "seen": {"cookie_rule": groups([("seen", "==", "yes")])},
        "not-seen": {"cookie_rule": groups([("seen", "nx")])},
        "many": {"cookie_rule": groups([("visits", "gte", "3")], [("seen", "ex"), ("old", "ex")])},
    }, [
        ("not known", {}, "unknown"),
        ("none", {"cookies": None}, {"seen": "no", "not-seen": "yes", "many": "no"}),
        ("empty", {"cookies": {}}, {"seen": "no", "not-seen": "yes", "many": "no"}),
        ("the value", {"cookies": {"seen": "YES"}}, {"seen": "yes", "not-seen": "no", "many": "no"}),
        ("names have letter case", {"cookies": {"Seen": "yes"}}, {"seen": "no", "not-seen": "yes"}),
        ("an empty value is there", {"cookies": {"seen": ""}}, {"seen": "no", "not-seen": "no"}),
        ("groups", {"cookies": {"visits": "03", "old": ""}}, {"many": "yes", "not-seen": "yes"}),
        ("no number", {"cookies": {"visits": "many", "old": ""}}, {"many": "no"}),
    ])  # fmt: skip


def event_rules():
    rule = lambda name="Purchase", way="equal", attributes=(), count=1, days=0: {
        "rule": way, "name": name, "attributes": [[dict(zip(("key", "operand", "value"), each)) for each in group] for group in attributes],
        "min_count": count, "timeframe_days": days,
    }  # fmt: skip
    large, red = ("value", "gt", 100), ("color", "==", "red")
    did = lambda *events: {"events": [dict(zip(("name", "at", "attributes"), each)) for each in events]}
    recent, old = "2026-03-01T10:00:00Z", "2026-02-01T10:00:00Z"
    rules("events", {
        "bought": {"event_rule": [rule()]},
        "never": {"event_rule": [rule(way="notEqual")]},
        "twice": {"event_rule": [rule(count=2)]},
        "not-twice": {"event_rule": [rule(way="notEqual", count=2)]},
        "week": {"event_rule": [rule(days=7)]},
        "not-week": {"event_rule": [rule(days=7, way="notEqual")]},
        "large": {"event_rule": [rule(attributes=[[large]])]},
        "large-red": {"event_rule": [rule(attributes=[[large, red]])]},
        "large-or-red": {"event_rule": [rule(attributes=[[large], [red]])]},
        "any-group": {"event_rule": [rule(attributes=[[large], []])]},
        "not-red": {"event_rule": [rule(attributes=[[("color", "!=", "red")]])]},
        "since": {"event_rule": [rule(attributes=[[("since", "days_lt", 7)]])]},
        "two": {"event_rule": [rule(), rule("View", "notEqual")]},
        "empty": {"event_rule": []},
    }, [
        ("not known", {}, dict.fromkeys(["bought", "never", "twice", "not-twice", "week", "large", "two"], "unknown") | {"empty": "yes"}),
        ("none", {"events": None}, {"bought": "no", "never": "yes", "twice": "no", "not-twice": "yes", "week": "no", "not-week": "yes", "large": "no", "two": "no", "empty": "yes"}),
        ("empty", did(), {"bought": "no", "never": "yes", "not-twice": "yes"}),
        ("once", did(("Purchase", recent)), {"bought": "yes", "never": "no", "twice": "no", "not-twice": "yes", "week": "yes", "not-week": "no", "large": "no", "large-or-red": "no", "any-group": "yes", "not-red": "yes", "two": "yes"}),
        ("twice", did(("Purchase", recent), ("Purchase", old)), {"bought": "yes", "twice": "yes", "not-twice": "no", "week": "yes"}),
        ("long ago", did(("Purchase", old)), {"bought": "yes", "week": "no", "not-week": "yes"}),
        ("exactly a week ago", did(("Purchase", "2026-02-23T10:00:00Z")), {"week": "yes", "not-week": "no"}),
        ("a millisecond more than a week ago", did(("Purchase", "2026-02-23T09:59:59.999Z")), {"week": "no", "not-week": "yes"}),
        ("to come", did(("Purchase", "2027-01-01")), {"bought": "yes", "week": "yes"}),
        ("names have letter case", did(("purchase", recent)), {"bought": "no"}),
        ("another event", did(("View", recent)), {"bought": "no", "two": "no"}),
        ("both events", did(("View", recent), ("Purchase", recent)), {"bought": "yes", "two": "no"}),
        ("large", did(("Purchase", recent, {"value": 101})), {"large": "yes", "large-red": "no", "large-or-red": "yes", "not-red": "yes"}),
        ("large as text", did(("Purchase", recent, {"value": "101.5"})), {"large": "yes"}),
        ("not large", did(("Purchase", recent, {"value": 100})), {"large": "no", "any-group": "yes"}),
        ("red", did(("Purchase", recent, {"color": "RED"})), {"large": "no", "large-red": "no", "large-or-red": "yes", "not-red": "no"}),
        ("large and red", did(("Purchase", recent, {"color": "red", "value": 200})), {"large-red": "yes"}),
        ("large, and another red", did(("Purchase", recent, {"color": "red"}), ("Purchase", recent, {"value": 200})), {"large-red": "no", "large-or-red": "yes"}),
        ("null is none", did(("Purchase", recent, {"color": None})), {"not-red": "yes", "large": "no"}),
        ("attributes null", did(("Purchase", recent, None)), {"bought": "yes", "large": "no"}),
        ("a moment in an attribute", did(("Purchase", old, {"since": recent})), {"since": "yes"}),
        ("milliseconds", did(("Purchase", 1_771_840_800_000)), {"week": "yes"}),
        ("a millisecond less", did(("Purchase", 1_771_840_799_999)), {"week": "no"}),
        ("part of a millisecond is rounded down", did(("Purchase", 1_771_840_799_999.9)), {"week": "no"}),
        ("events have milliseconds, never seconds", did(("Purchase", 1_772_359_200)), {"week": "no"}),
        ("the last moment", did(("Purchase", 8_640_000_000_000_000)), {"week": "yes"}),
        ("the first moment", did(("Purchase", -8_640_000_000_000_000)), {"week": "no", "bought": "yes"}),
    ])  # fmt: skip


def schedule_rules():
    span = lambda *ranges: [dict(zip(("start", "end"), each)) for each in ranges]
    week = lambda *parts: {"schedule_rule": {"schedule_groups": [{"days": list(days), "time_ranges": span(*ranges)} for days, *ranges in parts]}}
    rules("schedule", {
        "office": week((["monday", "tuesday"], ("09:00", "17:00"))),
        "night": week((["monday"], ("22:00", "02:00"))),
        "sunday-night": week((["sunday"], ("23:00", "01:00"))),
        "day": week((["monday"],)),
        "hours": week(([], ("09:00", "10:00"), ("12:00", "24:00"))),
        "ever": week(([],)),
        "no-groups": {"schedule_rule": {"schedule_groups": []}},
        "null": {"schedule_rule": None},
        "round": week((["monday"], ("06:00", "06:00"))),
        "to-midnight": week((["monday"], ("20:00", "00:00"))),
        "whole": week((["monday"], ("00:00", "24:00"))),
        "two": week((["monday"], ("09:00", "10:00")), (["tuesday"], ("11:00", "12:00"))),
    }, [
        ("not known", {}, dict.fromkeys(["office", "night", "day", "hours", "ever"], "unknown") | {"no-groups": "yes", "null": "yes"}),
        ("none", {"local_time": None}, dict.fromkeys(["office", "night", "day", "hours", "ever"], "no") | {"no-groups": "yes", "null": "yes"}),
        ("empty text is none", {"local_time": ""}, {"office": "no"}),
        ("Monday 08:59", {"local_time": "monday 08:59"}, {"office": "no", "hours": "no", "day": "yes", "ever": "yes", "two": "no", "whole": "yes"}),
        ("Monday 09:00", {"local_time": "monday 09:00"}, {"office": "yes", "hours": "yes", "two": "yes"}),
        ("Monday 16:59", {"local_time": "monday 16:59"}, {"office": "yes", "hours": "yes", "two": "no"}),
        ("Monday 17:00", {"local_time": "monday 17:00"}, {"office": "no"}),
        ("Tuesday 11:00", {"local_time": "tuesday 11:00"}, {"office": "yes", "day": "no", "hours": "no", "two": "yes", "ever": "yes"}),
        ("Wednesday 10:00", {"local_time": "wednesday 10:00"}, {"office": "no", "hours": "no", "two": "no"}),
        ("Monday 21:59", {"local_time": "monday 21:59"}, {"night": "no", "to-midnight": "yes"}),
        ("Monday 22:00", {"local_time": "monday 22:00"}, {"night": "yes"}),
        ("Monday 23:59", {"local_time": "monday 23:59"}, {"night": "yes", "hours": "yes", "to-midnight": "yes", "whole": "yes", "sunday-night": "no"}),
        ("Tuesday 00:00", {"local_time": "tuesday 00:00"}, {"night": "yes", "day": "no", "to-midnight": "no", "whole": "no"}),
        ("Tuesday 01:59", {"local_time": "tuesday 01:59"}, {"night": "yes", "round": "yes"}),
        ("Tuesday 02:00", {"local_time": "tuesday 02:00"}, {"night": "no"}),
        ("Monday 01:00 belongs to Sunday", {"local_time": "monday 01:00"}, {"night": "no", "sunday-night": "no", "round": "no"}),
        ("Monday 00:59 belongs to Sunday", {"local_time": "monday 00:59"}, {"night": "no", "sunday-night": "yes"}),
        ("Sunday 23:00", {"local_time": "sunday 23:00"}, {"sunday-night": "yes"}),
        ("Monday 06:00, equal times", {"local_time": "monday 06:00"}, {"round": "yes"}),
        ("Tuesday 05:59, equal times", {"local_time": "tuesday 05:59"}, {"round": "yes"}),
        ("Tuesday 06:00, equal times", {"local_time": "tuesday 06:00"}, {"round": "no"}),
        ("Monday 05:59, equal times", {"local_time": "monday 05:59"}, {"round": "no"}),
    ])  # fmt: skip


def server_cases():
    """Rules that only a browser enforces."""
    cookie = {"cookie_rule": groups([("seen", "ex")])}
    hours = {"schedule_rule": {"schedule_groups": [{"days": ["sunday"], "time_ranges": []}]}}
    mobile = {"device_rule": ["mobile"]}
    personal = {"test_type": "personalization"}
    experiments = [
        experiment(1, "cookie", targeting=cookie),
        experiment(2, "schedule", targeting=hours),
        experiment(3, "both", targeting=hours | cookie | mobile),
        experiment(4, "neither", targeting=mobile),
        experiment(5, "variants", **personal, variants=[{"targeting": hours}, {"targeting": cookie}], ranges=[[5_000, 1], [10_000, 2]]),
        experiment(6, "not-personal", variants=[{"targeting": hours}]),
        experiment(7, "empty", targeting={"cookie_rule": [[]], "schedule_rule": {"schedule_groups": []}}),
        experiment(8, "served", targeting=cookie, serving={"variant_id": "1", "traffic_allocation": 100}),
        experiment(9, "paused", live=False, targeting=hours | cookie),
    ]
    passed = {
        "cookie": "cookie_rule", "schedule": "schedule_rule", "both": "cookie_rule,schedule_rule", "neither": "",
        "variants": "cookie_rule,schedule_rule", "not-personal": "", "empty": "", "served": "cookie_rule", "paused": "cookie_rule,schedule_rule",
    }  # fmt: skip
    yes, no, unknown = ANSWERS["yes"], ANSWERS["no"], ANSWERS["unknown"]

    def at(place, answers):
        return {key: answer | {"unenforced": passed[key] if place == "server" else ""} for key, answer in answers.items()}

    wins, off = expected("Variant 1", "served"), expected(None, "disabled")
    facts = {"cookies": {}, "local_time": "monday 10:00", "device": "mobile"}
    holds = {"cookies": {"seen": "1"}, "local_time": "sunday 10:00", "device": "mobile"}
    always = {"empty": yes, "not-personal": yes, "paused": off}
    rows = [
        ("server", "nothing is known", {}, {"cookie": yes, "schedule": yes, "both": unknown, "neither": unknown, "variants": yes, "served": wins}),
        ("server", "it does not hold", facts, {"cookie": yes, "schedule": yes, "both": yes, "neither": yes, "variants": yes, "served": wins}),
        ("server", "it holds", holds, {"cookie": yes, "schedule": yes, "both": yes, "variants": yes, "served": wins}),
        ("server", "other rules count", facts | {"device": "desktop"}, {"cookie": yes, "both": no, "neither": no}),
        ("browser", "nothing is known", {}, {"cookie": unknown, "schedule": unknown, "both": unknown, "neither": unknown, "variants": unknown, "served": unknown}),
        ("browser", "it does not hold", facts, {"cookie": no, "schedule": no, "both": no, "neither": yes, "variants": expected(None, "audience"), "served": no}),
        ("browser", "it holds", holds, {"cookie": yes, "schedule": yes, "both": yes, "variants": yes, "served": wins}),
        ("browser", "one of them", holds | {"local_time": None}, {"cookie": yes, "schedule": no, "both": no, "variants": expected("Variant 2", "split")}),
        ("browser", "one says no, one does not know", {"cookies": None}, {"cookie": no, "schedule": unknown, "both": no, "variants": unknown}),
    ]  # fmt: skip
    decisions("places", experiments, [
        case(f"{place}: {name}", visitor, at(place, answers | always), place) for place, name, visitor, answers in rows
    ])  # fmt: skip


def unknown_rules():
    """No beats unknown, unknown beats yes."""
    three = {
        "device_rule": ["mobile"],
        "allowed_country": [{"name": "Germany", "code": "DE", "rule": "whitelist"}],
        "event_rule": [{"rule": "equal", "name": "Purchase", "attributes": [], "min_count": 1, "timeframe_days": 0}],
    }
    bought = [{"name": "Purchase", "at": "2026-01-01"}]
    states = {"yes": ("mobile", "DE", bought), "no": ("tablet", "FR", []), "none": (None, None, None)}
    rows = []
    for device in ("yes", "no", "unknown"):
        for country in ("yes", "no", "unknown"):
            for events in ("yes", "none", "unknown"):
                visitor = {}
                for name, state, at in (("device", device, 0), ("country", country, 1), ("events", events, 2)):
                    if state != "unknown":
                        visitor[name] = states[state][at]
                answers = {device, country, "no" if events == "none" else events}
                answer = "no" if "no" in answers else "unknown" if "unknown" in answers else "yes"
                rows.append((f"device {device}, country {country}, events {events}", visitor, answer))
    rules("three-valued", {"three": three}, rows)


# What is refused


def context_cases():
    """Contexts; those that are refused say with which names."""
    experiments = [experiment(1, "open")]
    good = {"open": ANSWERS["yes"]}
    refused = lambda *names: {"refused": sorted(names)}
    long = "x" * 8_192
    many = [str(n) for n in range(1_000)]
    rows = [
        ("only an id", {}, good),
        ("an id of 512 bytes", {"targetingKey": "é" * 256}, good),
        ("an id of 513 bytes", {"targetingKey": "é" * 256 + "x"}, refused("targetingKey")),
        ("an empty id", {"targetingKey": ""}, refused("targetingKey")),
        ("a blank is an id", {"targetingKey": " "}, good),
        ("a number is no id", {"targetingKey": 7}, refused("targetingKey")),
        ("null is no id", {"targetingKey": None}, refused("targetingKey")),
        ("all are null", dict.fromkeys(["country", "region", "city", "device", "browser", "os", "language", "visitor_type", "url", "referrer", "source", "audiences", "events", "cookies", "local_time", "sticky", "attributes", "plan"]), good),
        ("all are numbers", dict.fromkeys(names := ["country", "region", "city", "device", "browser", "os", "language", "visitor_type", "url", "referrer", "source", "audiences", "events", "cookies", "local_time", "sticky", "attributes"], 1), refused(*names)),
        ("all are true", dict.fromkeys(names, True), refused(*names)),
        ("all are objects in lists", dict.fromkeys(names, [{}]), refused(*names)),
        ("all are empty lists", dict.fromkeys(names, []), refused(*(set(names) - {"audiences", "events"}))),
        ("all are empty objects", dict.fromkeys(names, {}), refused(*(set(names) - {"cookies", "sticky", "attributes"}))),
        ("the longest texts", dict.fromkeys(["country", "language", "referrer"], long), good),
        ("texts too long", dict.fromkeys(["city", "source", "referrer"], long + "x"), refused("city", "source", "referrer")),
        ("a long address", {"url": "https://shop.example/" + "x" * 8_000}, good),
        ("an address too long", {"url": "https://shop.example/" + "x" * 8_192}, refused("url")),
        ("no address", {"url": "/checkout"}, refused("url")),
        ("an address without host", {"url": "https:///checkout"}, refused("url")),
        ("another scheme", {"url": "ftp://shop.example/"}, refused("url")),
        ("any referrer", {"referrer": "android-app://x, or what not"}, good),
        ("1,000 audiences", {"audiences": many}, good),
        ("1,001 audiences", {"audiences": [*many, "x"]}, refused("audiences")),
        ("an audience is a number", {"audiences": ["x", 1]}, refused("audiences")),
        ("an audience is null", {"audiences": [None]}, refused("audiences")),
        ("an audience is too long", {"audiences": [long + "x"]}, refused("audiences")),
        ("1,000 cookies", {"cookies": dict.fromkeys(many, "x")}, good),
        ("1,001 cookies", {"cookies": dict.fromkeys([*many, "x"], "x")}, refused("cookies")),
        ("a cookie is a number", {"cookies": {"a": 1}}, refused("cookies")),
        ("a cookie is null", {"cookies": {"a": None}}, refused("cookies")),
        ("a cookie is too long", {"cookies": {"a": long + "x"}}, refused("cookies")),
        ("1,001 attributes", {"attributes": dict.fromkeys([*many, "x"], "x")}, refused("attributes")),
        ("an attribute is null", {"attributes": {"a": None, "b": 1, "c": True, "d": "x"}}, good),
        ("an attribute is a list", {"attributes": {"a": []}}, refused("attributes")),
        ("an attribute is too long", {"attributes": {"a": long + "x"}}, refused("attributes")),
        ("beside attributes anything goes", {"a": [], "b": {}, "c": long + "x", "d": None, "": 1}, good),
        ("1,000 events", {"events": [{"name": "x", "at": 0}] * 1_000}, good),
        ("1,001 events", {"events": [{"name": "x", "at": 0}] * 1_001}, refused("events")),
        ("an event without name", {"events": [{"at": 0}]}, refused("events")),
        ("an event with an empty name", {"events": [{"name": "", "at": 0}]}, refused("events")),
        ("an event with a long name", {"events": [{"name": long, "at": 0}]}, good),
        ("an event with a name too long", {"events": [{"name": long + "x", "at": 0}]}, refused("events")),
        ("an event without moment", {"events": [{"name": "x"}]}, refused("events")),
        ("an event at null", {"events": [{"name": "x", "at": None}]}, refused("events")),
        ("an event at true", {"events": [{"name": "x", "at": True}]}, refused("events")),
        ("an event at an empty text", {"events": [{"name": "x", "at": ""}]}, refused("events")),
        ("an event at a number as text", {"events": [{"name": "x", "at": "0"}]}, refused("events")),
        ("an event at no date", {"events": [{"name": "x", "at": "2026-02-30"}]}, refused("events")),
        ("an event at the last moment", {"events": [{"name": "x", "at": 8.64e15}]}, good),
        ("an event behind the last moment", {"events": [{"name": "x", "at": 8.640000000000001e15}]}, refused("events")),
        ("an event before the first moment", {"events": [{"name": "x", "at": -8.640000000000001e15}]}, refused("events")),
        ("an event with more", {"events": [{"name": "x", "at": 0, "id": "1"}]}, refused("events")),
        ("an event with attributes", {"events": [{"name": "x", "at": 0, "attributes": {"a": None, "b": 1}}]}, good),
        ("an event with a list for an attribute", {"events": [{"name": "x", "at": 0, "attributes": {"a": []}}]}, refused("events")),
        ("an event with a list of attributes", {"events": [{"name": "x", "at": 0, "attributes": []}]}, refused("events")),
        ("an event is null", {"events": [None]}, refused("events")),
        ("a day and a time", {"local_time": "sunday 23:59"}, good),
        ("a day in capitals", {"local_time": "Sunday 23:59"}, refused("local_time")),
        ("24:00 is the next day", {"local_time": "sunday 24:00"}, refused("local_time")),
        ("one digit", {"local_time": "sunday 9:00"}, refused("local_time")),
        ("two blanks", {"local_time": "sunday  09:00"}, refused("local_time")),
        ("seconds", {"local_time": "sunday 09:00:00"}, refused("local_time")),
        ("a time alone", {"local_time": "09:00"}, refused("local_time")),
        ("minute 60", {"local_time": "sunday 09:60"}, refused("local_time")),
        ("a date", {"local_time": "2026-03-01T09:00"}, refused("local_time")),
        ("what was given", {"sticky": {"a": "Control", "b": "Variant 1", "c": "Variant 4294967295"}}, good),
        ("a variant too far", {"sticky": {"a": "Variant 4294967296"}}, refused("sticky")),
        ("Variant 0", {"sticky": {"a": "Variant 0"}}, refused("sticky")),
        ("Variant 01", {"sticky": {"a": "Variant 01"}}, refused("sticky")),
        ("Variant +1", {"sticky": {"a": "Variant +1"}}, refused("sticky")),
        ("variant 1", {"sticky": {"a": "variant 1"}}, refused("sticky")),
        ("a number for a variant", {"sticky": {"a": 1}}, refused("sticky")),
        ("null for a variant", {"sticky": {"a": None}}, refused("sticky")),
        ("an id for a variant", {"sticky": {"a": "1"}}, refused("sticky")),
        ("several at once", {"targetingKey": "", "country": 1, "url": "x", "sticky": []}, refused("targetingKey", "country", "url", "sticky")),
    ]  # fmt: skip
    cases = [case(name, visitor, expect) for name, visitor, expect in rows]
    cases.append({"name": "no id", "place": "browser", "now": NOW, "visitor": {"country": "DE"}, "expect": refused("targetingKey")})
    decisions("contexts", experiments, cases)


def refusal_cases():
    """Rulesets that are refused: the places, or null where the shape is wrong; and those that are not: no places."""
    rows = []

    def add(name, refused, *experiments, **members):
        rows.append({"name": name, "ruleset": document(list(experiments)) | members, "refused": sorted(refused) if refused is not None else None})

    def of(name, places, /, **members):
        add(name, [f"experiments[0].{place}" for place in places] if places is not None else None, experiment(1, "a", **members))

    def ruled(name, places, **targeting):
        of(name, None if places is None else [f"targeting.{place}" for place in places], targeting=targeting)

    add("nothing in it", [])
    add("the other format", [], format=2)
    add("another format", ["format"], format=3)
    add("another hash", ["hash"], hash=2)
    add("format and hash 0", ["format", "hash"], format=0, hash=0)
    add("format as text", None, format="1")
    add("no experiments", None, experiments=None)
    add("experiments as an object", None, experiments={})
    add("members nobody knows", [], experiment(1, "a", later={"x": 1}, targeting={"later_rule": ["x"]}, variants=[{"later": 1}]), later=1)
    add("goals", [], goals=[{"goal_key": "g", "goal_type": "clickOnElement", "goal_value": "#buy"}, {"goal_key": "h", "goal_type": "scrolling", "goal_value": 50}])
    add("goals as an object", None, goals={})
    add("two keys alike", ["experiments[1].experiment_key"], experiment(1, "a"), experiment(2, "a"))
    add("two ids alike", [], experiment(1, "a"), experiment(1, "b"))
    add("keys that differ by letter case", [], experiment(1, "a"), experiment(2, "A"))
    add("the second is wrong", ["experiments[1].ranges"], experiment(1, "a"), experiment(2, "b", ranges=[[9_999, 0]]))
    for member in ("test_id", "experiment_key", "test_type", "live", "epoch", "salt", "traffic_allocation", "ranges", "variants_data_key", "variants"):
        short = experiment(1, "a")
        del short[member]
        add(f"no {member}", None, short)
        add(f"null for {member}", None, experiment(1, "a") | {member: None})
    of("everything there may be", [], serving=None, exclusion=None, dom_change_path=None, trigger_variant_change="visible", custom_js="x", custom_css="", tools=[{"name": "ga4"}, {"name": "toaster", "settings": {"a": [1]}}], name=None, control={"customJS": "x"}, variants=[{"customCSS": "x", "data": [{"rm": "p"}], "targeting": None}])
    of("tools as a text", None, tools="ga4")
    of("a tool without a name", None, tools=[{"settings": {}}])
    of("a name as a number", None, name=1, tools=[{"name": "ga4"}])
    of("another type", ["test_type"], test_type="mvt")
    of("live as text", None, live="yes")
    of("an empty salt", ["salt"], salt="")
    of("the longest salt", [], salt="é" * 64)
    of("a salt too long", ["salt"], salt="é" * 64 + "x")
    of("a salt as a number", None, salt=1)
    of("traffic 101", ["traffic_allocation"], traffic_allocation=101)
    of("traffic -1", None, traffic_allocation=-1)
    of("traffic with a fraction", None, traffic_allocation=50.5)
    of("50 variants", [], variants=[{}] * 50, ranges=[[10_000, 50]])
    of("51 variants", ["variants"], variants=[{}] * 51)
    of("no variants", [], variants=[], ranges=[[10_000, 0]])
    of("no ranges", ["ranges"], ranges=[])
    of("ranges that end early", ["ranges"], ranges=[[5_000, 0], [9_999, 1]])
    of("ranges that end late", ["ranges", "ranges[0][0]"], ranges=[[10_001, 0]])
    of("an empty range", ["ranges[0][0]"], ranges=[[0, 0], [10_000, 1]])
    of("ranges that do not rise", ["ranges[1][0]"], ranges=[[5_000, 0], [5_000, 1], [10_000, 0]])
    of("ranges that fall", ["ranges[1][0]"], ranges=[[5_000, 0], [4_000, 1], [10_000, 0]])
    of("a range of an arm that is not there", ["ranges[0][1]"], ranges=[[5_000, 2], [10_000, 1]])
    of("a range of three", None, ranges=[[10_000, 1, 1]])
    of("a range of one", None, ranges=[[10_000]])
    of("a range below 0", None, ranges=[[-1, 0], [10_000, 1]])
    of("a range with a fraction", None, ranges=[[0.5, 0], [10_000, 1]])
    of("a winner that is not there", ["serving.variant_id"], serving={"variant_id": "2", "traffic_allocation": 100})
    of("a winner by name", ["serving.variant_id"], serving={"variant_id": "Variant 1", "traffic_allocation": 100})
    of("a winner with a zero", ["serving.variant_id"], serving={"variant_id": "01", "traffic_allocation": 100})
    of("a winner with a sign", ["serving.variant_id"], serving={"variant_id": "+1", "traffic_allocation": 100})
    of("a winner as a number", None, serving={"variant_id": 1, "traffic_allocation": 100})
    of("a winner for too many", ["serving.traffic_allocation"], serving={"variant_id": "1", "traffic_allocation": 101})
    of("a winner without share", None, serving={"variant_id": "1"})
    of("a part that falls", ["exclusion"], exclusion={"salt": "g", "from": 2, "to": 1})
    of("a part beyond the line", ["exclusion"], exclusion={"salt": "g", "from": 0, "to": 10_001})
    of("a part without salt", ["exclusion.salt"], exclusion={"salt": "", "from": 0, "to": 1})
    of("a part of the whole line", [], exclusion={"salt": "g", "from": 0, "to": 10_000})
    of("a part below 0", None, exclusion={"salt": "g", "from": -1, "to": 1})
    of("a holdout that falls", ["holdouts[1]"], holdouts=[{"salt": "g", "from": 0, "to": 1}, {"salt": "g", "from": 2, "to": 1}])
    of("a holdout beyond the line", ["holdouts[0]"], holdouts=[{"salt": "g", "from": 0, "to": 10_001}])
    of("a holdout without salt", ["holdouts[0].salt"], holdouts=[{"salt": "", "from": 0, "to": 1}])
    of("holdouts that are no list", None, holdouts={"salt": "g", "from": 0, "to": 1})
    of("holdouts of null", None, holdouts=None)
    of("a holdout with a fraction", None, holdouts=[{"salt": "g", "from": 0, "to": 0.5}])
    of("100 holdouts", [], holdouts=[{"salt": "g", "from": 0, "to": 1}] * 100)
    of("101 holdouts", ["holdouts"], holdouts=[{"salt": "g", "from": 0, "to": 1}] * 101)
    of("several at once", ["salt", "traffic_allocation", "ranges"], salt="", traffic_allocation=200, ranges=[])
    of("targeting null", None, targeting=None)
    ruled("every rule empty", [], **dict.fromkeys(["referral_rule", "allowed_country", "allowed_region", "allowed_city", "device_rule", "browser_rule", "os_rule", "user_rule", "browser_language_rule", "segment_rule", "event_rule", "parameter_rule", "ga4_rule", "cookie_rule", "url_rule"], []), schedule_rule=None)
    ruled("words nobody knows", [], device_rule=["watch"], browser_rule=["lynx"], os_rule=["plan9"], user_rule="regular", browser_language_rule=["???"])
    ruled("a word as text", None, device_rule="mobile")
    ruled("a word as a number", None, device_rule=[1])
    ruled("two types of visitors", ["user_rule"], user_rule=["new", "returning"])
    ruled("a country by another word", None, allowed_country=[{"name": "x", "code": "DE", "rule": "equal"}])
    ruled("a city by another word", None, allowed_city=[{"name": "x", "rule": "whitelist"}])
    ruled("groups that are none", None, segment_rule=[{"criteria": "a", "operator": "ex"}])
    ruled("a condition without name", None, segment_rule=[[{"operator": "ex"}]])
    for rule in ("segment_rule", "parameter_rule", "cookie_rule"):
        bad = [("a", "="), ("a", "=="), ("a", "gt", "many"), ("a", "days_lt", True)]
        ruled(f"{rule}: bad conditions", [f"{rule}[1][{at}]" for at in range(4)], **{rule: groups([("a", "ex")], bad)})
    for operator in ("ex", "nx", "bt", "bf"):
        ruled(f"{operator} needs no value", [], segment_rule=groups([("a", operator)], [("a", operator, None)], [("a", operator, "x")]))
    for operator in ("==", "!=", "**", "!*"):
        ruled(f"{operator} needs a value", ["segment_rule[0][0]", "segment_rule[0][1]"], segment_rule=groups([("a", operator), ("a", operator, None), ("a", operator, ""), ("a", operator, False), ("a", operator, 1)]))
    for operator in ("gt", ">", "gte", ">=", "lt", "<", "lte", "<=", "days_gt", "days_gte", "days_lt", "days_lte"):
        wrong = [None, "", "x", "1,5", "inf", "1e999", True, "0x1", "\u00a01"]
        ruled(f"{operator} needs a number", [f"segment_rule[0][{at}]" for at in range(9)], segment_rule=groups([("a", operator, each) for each in wrong] + [("a", operator, each) for each in (1, -0.5, " 1e3\n", "+.5")]))
    for operator in ("", "eq", "EX", "days", "days_", "days_>", "days_eq", "gt ", "constructor"):
        ruled(f"no operator: {operator!r}", ["segment_rule[0][0]"], segment_rule=groups([("a", operator, "1")]))
    ruled("a value that is a list", None, segment_rule=groups([("a", "==", ["x"])]))
    ruled("another part of the referrer", ["referral_rule[0][0]"], referral_rule=groups([("path", "ex")]))
    ruled("a referrer compared badly", ["referral_rule[0][1]"], referral_rule=groups([("host", "ex"), ("url", "gt", "x")]))
    ruled("no regular expression", ["url_rule[1].url"], url_rule=[{"url": "(", "rule": "simple", "allowed": True}, {"url": "(", "rule": "regex", "allowed": True}])
    ruled("a page by another word", None, url_rule=[{"url": "x", "rule": "like", "allowed": True}])
    ruled("a page without allowed", None, url_rule=[{"url": "x", "rule": "simple"}])
    event = {"rule": "equal", "name": "x", "attributes": [], "min_count": 1, "timeframe_days": 0}
    ruled("an event", [], event_rule=[event | {"min_count": 1_000_000, "timeframe_days": 3_650}])
    ruled("an event, never", ["event_rule[0].min_count"], event_rule=[event | {"min_count": 0}])
    ruled("an event, too often", ["event_rule[0].min_count"], event_rule=[event | {"min_count": 1_000_001}])
    ruled("an event, within less than nothing", ["event_rule[1].timeframe_days"], event_rule=[event, event | {"timeframe_days": -1}])
    ruled("an event, within too long", ["event_rule[0].timeframe_days"], event_rule=[event | {"timeframe_days": 3_651}])
    ruled("an event without count", None, event_rule=[{key: value for key, value in event.items() if key != "min_count"}])
    ruled("an event's attribute compared badly", ["event_rule[0].attributes[1][0]"], event_rule=[event | {"attributes": [[], [{"key": "a", "operand": "~", "value": "x"}]]}])
    week = lambda *parts: {"schedule_groups": [{"days": days, "time_ranges": [{"start": start, "end": end} for start, end in spans]} for days, spans in parts]}
    ruled("hours", [], schedule_rule=week((["monday"], [("00:00", "24:00"), ("23:59", "00:00")]), ([], [])))
    ruled("a day that is none", ["schedule_rule.schedule_groups[1].days"], schedule_rule=week(([], []), (["Monday"], [])))
    for start, end in (("24:00", "01:00"), ("9:00", "10:00"), ("09:60", "10:00"), ("09:00", "24:01"), ("09:00", ""), ("09-00", "10:00")):
        ruled(f"a time that is none: {start} to {end}", ["schedule_rule.schedule_groups[0].time_ranges"], schedule_rule=week(([], [(start, end)])))
    ruled("a schedule that is none", None, schedule_rule=[])
    bad = {"user_rule": ["new", "new"], "segment_rule": groups([("a", "~", "x")])}
    of("rules of a variant", ["variants[1].targeting.segment_rule[0][0]", "variants[1].targeting.user_rule"], test_type="personalization", variants=[{}, {"targeting": bad}])
    of("rules of a variant that do not count", [], variants=[{"targeting": bad}])
    of("rules of a variant of no shape", None, variants=[{"targeting": {"device_rule": "x"}}])
    FILES["refusals"] = {"cases": rows}


for write in (
    traffic_cases, split_cases, border_cases, personal_cases, serving_cases, exclusion_cases, holdout_cases, sticky_cases, forced_cases, order_cases,
    word_rules, place_rules, operator_rules, moment_rules, group_rules, address_rules, event_rules, schedule_rules, server_cases,
    unknown_rules, context_cases, refusal_cases,
):  # fmt: skip
    write()


def shown(feature, content):
    """A case a line."""
    line = lambda value: json.dumps(value, ensure_ascii=False)
    parts = [f'  "feature": {line(feature)}']
    if "ruleset" in content:
        members = dict(content["ruleset"])
        experiments = ",\n".join(f"      {line(each)}" for each in members.pop("experiments"))
        parts.append(f'  "ruleset": {line(members)[:-1]}, "experiments": [\n{experiments}\n    ]}}')
    cases = ",\n".join(f"    {line(each)}" for each in content["cases"])
    parts.append(f'  "cases": [\n{cases}\n  ]')
    return "{\n" + ",\n".join(parts) + "\n}\n"


stale = []
for feature, content in FILES.items():
    path, text = HERE / f"{feature}.json", shown(feature, content)
    if "--check" not in sys.argv:
        path.write_text(text)
    elif not path.exists() or path.read_text() != text:
        stale.append(path.name)
if stale:
    sys.exit(f"not what contract/assignment/generate.py writes: {', '.join(stale)}; run it and commit them")
