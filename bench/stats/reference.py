#!/usr/bin/env python3
"""The statistics of a report: how long muriel and the package gbstats take for the same numbers.

Fifty metrics in twenty segments are 1,000 cells of two arms each, and ten metrics of the whole are one experiment. Both
sides start from sums in memory and end with everything they say about a cell: effect, interval, p-value or posterior, and
whether the arms have the units they should. Ours gives all of it in one go, on one thread; the package gives one kind at a
time: Bayesian, frequentist or sequential. `package` is what its callers call; `classes` only makes its tests and asks
them, without reading rows, the sample ratio and the answer's form.

Rounds alternate between the two sides. Printed are the least CPU time and the least wall time of all repetitions, in
milliseconds, without the start of Python; then how many times ours that is. First, both must say the same.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import time

# The computations are small: threads of libraries would add CPU time without a benefit.
for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"

from importlib.metadata import version

import numpy
import pandas
import scipy
from gbstats.bayesian.tests import EffectBayesianABTest, EffectBayesianConfig, GaussianPrior
from gbstats.frequentist.tests import FrequentistConfig, SequentialConfig, SequentialTwoSidedTTest, TwoSidedTTest
from gbstats.gbstats import process_experiment_results
from gbstats.models.statistics import ProportionStatistic, SampleMeanStatistic

METRICS, SEGMENTS = 50, 20
ALPHA, PRIOR_SD, PLANNED_UNITS = 0.05, 0.1, 10_000
TOLERANCE = 1e-9
GOAL = 100

KINDS = {
    "Bayesian": {"stats_engine": "bayesian"},
    "frequentist": {"stats_engine": "frequentist"},
    "sequential": {
        "stats_engine": "frequentist",
        "sequential_testing_enabled": True,
        "sequential_tuning_parameter": PLANNED_UNITS,
    },
}


def is_conversion(metric):
    return metric % 2 == 1


def arms(i):
    """Units, sum and sum of squares of control and treatment of cell i, which is metric i // 20 in segment i % 20."""
    n_c, n_t = 10_000 + 37 * i, 10_000 + 41 * i
    if is_conversion(i // SEGMENTS):
        converted_c, converted_t = n_c * (50 + i % 40) // 1000, n_t * (52 + i % 40) // 1000
        return (n_c, converted_c, converted_c), (n_t, converted_t, converted_t)
    k, v = 20 + i % 13, 900 + i % 101
    sums = ((n_c, n_c * k), (n_t, n_t * k + n_t // 200))
    return tuple((n, total, total * total // n + (n - 1) * v) for n, total in sums)


def question(cells, kind, difference="relative"):
    """The package's input: a query per metric, with a row per segment and arm."""
    rows = {}
    for i in cells:
        for variation, (n, total, squares) in enumerate(arms(i)):
            rows.setdefault(i // SEGMENTS, []).append(
                {
                    "dimension": str(i % SEGMENTS),
                    "variation": str(variation),
                    "users": n,
                    "count": n,
                    "m0_main_sum": total,
                    "m0_main_sum_squares": squares,
                }
            )
    return {
        "metrics": {
            str(metric): {
                "id": str(metric),
                "name": f"metric {metric}",
                "statistic_type": "mean",
                "main_metric_type": "binomial" if is_conversion(metric) else "count",
                "prior_proper": True,
                "prior_mean": 0,
                "prior_stddev": PRIOR_SD,
            }
            for metric in rows
        },
        "analyses": [
            {
                "var_names": ["control", "treatment"],
                "var_ids": ["0", "1"],
                "weights": [0.5, 0.5],
                "difference_type": difference,
                "alpha": ALPHA,
                "max_dimensions": SEGMENTS,
                **KINDS[kind],
            }
        ],
        "query_results": [{"metrics": [str(metric)], "rows": of} for metric, of in rows.items()],
    }


def answers(cells, kind, difference):
    """The package's results for the treatment, by cell."""
    said = {}
    for metric in process_experiment_results(question(cells, kind, difference)):
        number = int(metric["metric"])
        for dimension in metric["analyses"][0]["dimensions"]:
            said[number * SEGMENTS + int(dimension["dimension"])] = dimension["variations"][1]
    return said


def with_classes(statistics, kind):
    """Runs only the package's tests."""
    if kind == "Bayesian":
        test = EffectBayesianABTest
        prior = GaussianPrior(mean=0, variance=PRIOR_SD**2, proper=True)
        config = EffectBayesianConfig(difference_type="relative", prior_effect=prior, prior_type="relative")
    elif kind == "frequentist":
        test, config = TwoSidedTTest, FrequentistConfig(difference_type="relative", alpha=ALPHA)
    else:
        test = SequentialTwoSidedTTest
        config = SequentialConfig(difference_type="relative", alpha=ALPHA, sequential_tuning_parameter=PLANNED_UNITS)
    return [test(control, treatment, config).compute_result() for control, treatment in statistics]


def statistics_of(cells):
    def of(i, arm):
        n, total, squares = arm
        if is_conversion(i // SEGMENTS):
            return ProportionStatistic(n=n, sum=total)
        return SampleMeanStatistic(n=n, sum=total, sum_squares=squares)

    return [tuple(of(i, arm) for arm in arms(i)) for i in cells]


def compare(ours):
    """Exits unless both results are equal for every cell. Returns the largest differences."""
    cells = range(METRICS * SEGMENTS)
    if len(ours) != len(cells):
        sys.exit(f"ours has {len(ours)} cells, not {len(cells)}")
    absolute, bayesian = answers(cells, "frequentist", "absolute"), answers(cells, "Bayesian", "absolute")
    relative, sequential = answers(cells, "frequentist", "relative"), answers(cells, "sequential", "absolute")
    worst = {}
    for i in cells:
        pairs = {
            "difference": (ours[i]["difference"], absolute[i]["uplift"]["mean"]),
            "standard error": (ours[i]["std_error"], absolute[i]["uplift"]["stddev"]),
            "interval, lower end": (ours[i]["interval"][0], absolute[i]["ci"][0]),
            "interval, upper end": (ours[i]["interval"][1], absolute[i]["ci"][1]),
            "p-value": (ours[i]["p_value"], absolute[i]["pValue"]),
            "lift": (ours[i]["lift"], relative[i]["expected"]),
            "always-valid interval, lower end": (ours[i]["always_valid_interval"][0], sequential[i]["ci"][0]),
            "always-valid interval, upper end": (ours[i]["always_valid_interval"][1], sequential[i]["ci"][1]),
            "posterior mean": (ours[i]["posterior_mean"], bayesian[i]["uplift"]["mean"]),
            "posterior sd": (ours[i]["posterior_sd"], bayesian[i]["uplift"]["stddev"]),
            "chance to win": (ours[i]["chance_to_win"], bayesian[i]["chanceToWin"]),
        }
        for what, (our, their) in pairs.items():
            if our is None or not math.isclose(our, their, rel_tol=TOLERANCE, abs_tol=TOLERANCE):
                sys.exit(f"cell {i}, {what}: ours is {our}, the package's {their}")
            worst[what] = max(worst.get(what, 0.0), abs(our - their))
    return worst


def took(work):
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return {"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}


def ours(program):
    told = subprocess.run([program, "--json"], check=True, capture_output=True, text=True).stdout
    return json.loads(told)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("program", help="the example `timing` of muriel-stats")
    options.add_argument("--rounds", type=int, default=3, help="rounds of both sides (3)")
    options.add_argument("--reps", type=int, default=3, help="repetitions of the package in a round (3)")
    options = options.parse_args()

    # This also warms up both sides.
    worst = compare(ours(options.program)["cells"])
    print(f"gbstats {version('gbstats')}, scipy {scipy.__version__}, pandas {pandas.__version__}, numpy {numpy.__version__}")
    print(f"{METRICS * SEGMENTS:,} cells say the same, apart by at most:")
    for what, apart in worst.items():
        print(f"{what:32}  {apart:.0e}")
    print()

    inputs = {
        "10 metrics": [metric * SEGMENTS for metric in range(10)],
        "1,000 cells": list(range(METRICS * SEGMENTS)),
    }
    work = {}
    for size, cells in inputs.items():
        statistics = statistics_of(cells)
        for kind in KINDS:
            asked = question(cells, kind)
            work[size, f"package, {kind}"] = lambda asked=asked: process_experiment_results(asked)
            work[size, f"classes, {kind}"] = lambda of=statistics, kind=kind: with_classes(of, kind)
    times = {}
    for _ in range(options.rounds):
        for size, seconds in ours(options.program)["seconds"].items():
            times.setdefault((size, "muriel, all at once"), []).append(seconds)
        for of, do in work.items():
            times.setdefault(of, []).extend(took(do) for _ in range(options.reps))
    least = {of: {clock: min(run[clock] for run in runs) for clock in ("cpu", "wall")} for of, runs in times.items()}
    show(inputs, least)


def show(sizes, least):
    smallest = math.inf
    for size in sizes:
        us = least[size, "muriel, all at once"]
        print(f"{size:28}  {'CPU ms':>10}  {'wall ms':>10}  {'x CPU':>8}  {'x wall':>8}")
        for (of, who), seconds in least.items():
            if of != size:
                continue
            ratio = {clock: seconds[clock] / us[clock] for clock in seconds}
            if who.startswith("package"):
                smallest = min(smallest, *ratio.values())
            print(
                f"{who:28}  {seconds['cpu'] * 1e3:10.4f}  {seconds['wall'] * 1e3:10.4f}"
                f"  {ratio['cpu']:8,.0f}  {ratio['wall']:8,.0f}"
            )
        print()
    met = "met" if smallest >= GOAL else "not met"
    print(f"goal: at most 1/{GOAL} of the package; seen: 1/{smallest:,.0f} where they are closest, {met}")


main()
