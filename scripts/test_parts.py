"""The parts of the test suite, which `scripts/test` runs."""

import dataclasses
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# A file whose tests take longer has to be split, or needs a reason here.
SLOW_S = 60
SLOW_FILES = {
    "backup": "cases that wait for backups on a schedule, and kill a server in the middle of one",
    "contract postgres": "schemathesis walks through the whole document in one run",
    "contract sqlite": "schemathesis walks through the whole document in one run",
    "dashboard: areas/charts.mjs": "5 states in four looks and with hostile texts, with visitors of twelve days",
    "dashboard: areas/launch.mjs": "19 states in four looks and with hostile texts; a second file would create their experiments again",
    "dashboard: areas/results.mjs": "14 states in four looks and with hostile texts; a second file would send their visitors again",
    "dashboard: pages.test.mjs": "30 states in four looks",
    "dashboard: stories/main.test.mjs": "the way from the first start to a live experiment, in two engines",
    "tests/stories::clock": "a month of experiments",
    "tests/stories::demo": "a month of visitors of the demo, whose results are then read",
    "tests/stories::recompute": "`muriel verify` computes results again from the log, each in a process of its own",
    "tests/stories::webhooks": "receivers that hang until the server gives up",
}


@dataclasses.dataclass
class Part:
    """A command that runs tests."""

    name: str
    command: list
    # `json`: writes its report to the file that `--report` names. `libtest`: prints one JSON object per line. `exit`:
    # is one test, which passes with status 0. `cargo`: is replaced with a part for each of cargo's test programs.
    report: str = "json"
    # Number of processors that it keeps busy; 0.5 for a part that mostly waits.
    cores: float = 1
    # True when it measures, so that no other part may run meanwhile.
    alone: bool = False
    # True when only `--full` runs it.
    nightly: bool = False
    # Further arguments in the long form.
    full: list = dataclasses.field(default_factory=list)
    env: dict = dataclasses.field(default_factory=dict)
    cwd: Path = ROOT
    # Parts of scripts/tools that it needs.
    tools: tuple = ()
    # The folder or file that its tests are in, for the table of seconds.
    place: str = ""


def released(name, package, kind, target, *arguments, within=()):
    """A program of the workspace that runs at night, in its release build.

    It is one test, and runs alone, as it uses all processors.
    """
    command = [*within, "scripts/cargo", "run", "--quiet", "--release", "--locked", "-p", package, kind, target, "--", *arguments]
    return Part(name, command, "exit", alone=True, nightly=True)


# A separate PostgreSQL server with durable settings.
DURABLE_POSTGRES = ["env", "-u", "MURIEL_TEST_POSTGRES", "PG_FSYNC=on", "scripts/with-postgres"]


def crash(name, *arguments, within=()):
    return released(f"crash {name}", "muriel-tests", "--bin", "crash", *arguments, within=within)


WEB = ("web", "browsers")
PAGE_HEALTH = ["scripts/cargo", "test", "--quiet", "--release", "--locked", "-p", "muriel-analysis", "--test", "page_health"]

# The longest parts start first, and short parts that never wait start last: if a long part started last, other
# processors would be idle.
PARTS = [
    Part("rust stories", [], "cargo", tools=("npm",)),
    Part("dashboard", ["web/dashboard/tests/run"], full=["--full"], tools=WEB),
    Part("browsers chromium", ["web/tests/run", "--engine", "chromium"], cores=0.5, full=["--full"], tools=WEB),
    Part("browsers webkit", ["web/tests/run", "--engine", "webkit"], cores=0.5, full=["--full"], tools=WEB),
    Part("browsers firefox", ["web/tests/run", "--engine", "firefox"], cores=0.5, full=["--full"], tools=WEB),
    Part("contract sqlite", ["tests/contract/run", "sqlite"], full=["--full"], tools=("python", "npm")),
    Part("contract postgres", ["tests/contract/run", "postgres"], full=["--full"], tools=("python", "npm")),
    Part("backup", ["tests/backup/run"], cores=0.5, full=["--full"], tools=("backup",)),
    Part("openfeature", ["tests/openfeature/run"], cores=0.5, tools=("openfeature",)),
    Part("webhooks", ["tests/webhooks/run"], cores=0.5, tools=("webhooks",)),
    Part("oidc", ["tests/oidc/run"], cores=0.5, tools=("oidc",)),
    Part("mcp", ["tests/mcp/run"], cores=0.5, tools=("mcp",)),
    Part("clients", ["tests/clients/run"], full=["--full"], tools=("python", "clients", "promtool")),
    Part("pgbouncer", ["tests/pgbouncer/run"], cores=0.5, tools=("pgbouncer",)),
    Part("runtime", ["node", "web/runtime/tests/assign/run.mjs"], tools=("web",)),
    Part("rust", [], "cargo", tools=("npm",)),
    # At night only: tests for rare failures, in release builds and with long runs.
    crash("experiments", "--cycles", "500", within=DURABLE_POSTGRES),
    crash("clock", "--what", "clock", "--cycles", "200", within=DURABLE_POSTGRES),
    crash("control", "--what", "events", "--control"),
    crash("events", "--what", "events", "--cycles", "200"),
    crash("power flushed late", "--what", "power", "--cycles", "10", "--relaxed"),
    crash("power", "--what", "power", "--cycles", "50"),
    crash("slow clients", "--what", "slow"),
    Part("clock", ["tests/clock/run"], tools=("faketime",), alone=True, nightly=True),
    Part("foreign", ["web/foreign/run"], tools=(*WEB, "foreign"), alone=True, nightly=True),
    released("simulate experiments", "muriel-stats", "--example", "simulate", "--full"),
    released("simulate programmes", "muriel-analysis", "--example", "programmes", "--full"),
    Part("page-health", [*PAGE_HEALTH, "--", "--ignored", "--nocapture"], "exit", alone=True, nightly=True),
]
