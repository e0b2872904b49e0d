"""The CPU time and memory of process trees, from Linux's /proc."""

import os
import re
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


def processes():
    """All processes, each with its parent, and its CPU ticks including those of its ended children."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            found[int(entry.name)] = (int(fields[1]), sum(map(int, fields[11:15])))
    return found


def tree(roots, table):
    """The given processes and all their descendants."""
    children = {}
    for pid, (parent, _) in table.items():
        children.setdefault(parent, []).append(pid)
    found, todo = set(), [pid for pid in roots if pid in table]
    while todo:
        pid = todo.pop()
        if pid not in found:
            found.add(pid)
            todo += children.get(pid, [])
    return found


def cpu_us(roots):
    """User and system time of the process trees so far, in microseconds."""
    table = processes()
    return sum(table[pid][1] for pid in tree(roots, table)) / TICKS * 1e6


def memory_mib(roots):
    """Proportional memory of the process trees, in MiB: a page that several processes share counts once."""
    total = 0
    for pid in tree(roots, processes()):
        try:
            if match := re.search(r"^Pss:\s+(\d+)", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.M):
                total += int(match[1])
        except OSError:
            continue
    return total / 1024
