"""Reads the metrics of a running server with Prometheus' own programs."""

import json
import subprocess
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
FORMATS = {
    "text/plain": "text/plain; version=0.0.4; charset=utf-8",
    "application/openmetrics-text": "application/openmetrics-text; version=1.0.0; charset=utf-8",
}


def fetch(address, accept):
    """Returns the content type and the text of the metrics."""
    request = urllib.request.Request(f"http://{address}/metrics", headers={"Accept": accept})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return answer.headers["Content-Type"], answer.read().decode()


def series(families):
    """The names of all series with their labels."""
    return {(sample.name, *sorted(sample.labels.items())) for family in families for sample in family.samples}


def parsed(report, what, parse, text):
    """Returns the families that a parser finds. Counts a text that it cannot read as a failure."""
    try:
        found, problem = list(parse(text)), ""
    except ValueError as error:
        found, problem = [], str(error)
    report.check(f"metrics: {what} reads them", found, problem)
    return found


def check(report, data):
    """Checks the metrics of the server whose data directory this is."""
    from prometheus_client.openmetrics.parser import text_string_to_metric_families as read_open
    from prometheus_client.parser import text_string_to_metric_families as read_plain

    address = json.loads((Path(data) / "address.json").read_text())["metrics_listen"]
    texts = {}
    for accept, expect in FORMATS.items():
        kind, texts[accept] = fetch(address, accept)
        report.check(f"metrics: {accept} is answered", kind == expect, kind)
    plain, openmetrics = texts.values()
    promtool = subprocess.run(
        [ROOT / "scripts/in-tools", "promtool", "check", "metrics"], input=plain, capture_output=True, text=True, timeout=60
    )
    said = (promtool.stdout + promtool.stderr).strip()
    is_good = promtool.returncode == 0 and not said
    report.check("metrics: promtool finds no problem", is_good, f"{promtool.returncode}: {said[:2000]}")
    of_plain = series(parsed(report, "the parser of the older format", read_plain, plain))
    of_open = series(parsed(report, "the parser of OpenMetrics", read_open, openmetrics))
    # Requests between the two add series, but none disappears.
    report.check("metrics: both formats have the same series", of_plain <= of_open, sorted(of_plain - of_open)[:5])
    route = ("route", "/v2/project/{project_key}/goals")
    counted = any(name == "muriel_http_requests_total" and route in labels for name, *labels in of_plain)
    report.check("metrics: the calls of the clients are counted", counted)
