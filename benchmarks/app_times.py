"""Seconds from dropping a file to the graph, and from "forbid" to the next graph, in a browser.

    python benchmarks/app_times.py [--sizes 11 100 400] [--rows 500]

Starts ``arcs app`` in a process of its own and drives it in headless Chromium. The clock runs in
this process, from the moment the file (or the click) is handed over until nodes are drawn, with the
time of the browser and of its driver. Random DAGs with as many edges as nodes. Kernels are loaded
before the first file, as in a server that has been up for a few seconds. On a machine that others
use, too, the server's CPU seconds say more than the clock; they are printed beside it (Linux).
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from arcs.simulate import random_dag, random_weights, sample

FLAGS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--disable-quic"),
    *("--window-size=1400,900", "--disable-dev-shm-usage"),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[11, 100, 400])
    parser.add_argument("--rows", type=int, default=500)
    given = parser.parse_args()
    server, address = start()
    page = browser()
    heads = ("variables", "edges", "looked at", "CPU", "graph", "CPU", "forbid", "CPU")
    print(" ".join(f"{head:>9}" for head in heads))
    try:
        with tempfile.TemporaryDirectory() as folder:
            measure(page, address, server.pid, table(Path(folder), 5, 100))  # loaded once
            for p in given.sizes:
                edges, figures = measure(
                    page, address, server.pid, table(Path(folder), p, given.rows)
                )
                print(" ".join([f"{p:>9}", f"{edges:>9}", *(f"{x:>9.2f}" for x in figures)]))
    finally:
        page.quit()
        server.send_signal(signal.SIGINT)
        server.wait()


def start() -> tuple[subprocess.Popen[str], str]:
    """The server and its address."""
    command = [sys.executable, "-m", "arcs", "app", "--no-browser"]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert server.stderr is not None
    found = re.search(r"http://\S+", server.stderr.readline())
    assert found is not None
    return server, found.group(0)


def browser():  # type: ignore[no-untyped-def]
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or shutil.which("chromium-browser") or ""
    for flag in (*FLAGS, f"--user-data-dir={tempfile.mkdtemp()}"):
        options.add_argument(flag)
    service = webdriver.ChromeService(shutil.which("chromedriver"))
    return webdriver.Chrome(options=options, service=service)


def table(folder: Path, p: int, n: int) -> Path:
    """Rows of a random DAG with as many edges as nodes."""
    data = sample(random_weights(random_dag(p, p, 1000), 1000), n, 1000).data
    path = folder / f"random-{p}.csv"
    np.savetxt(
        path, data.values, delimiter=",", header=",".join(data.names), comments="", fmt="%.6g"
    )
    return path


def cpu_seconds(pid: int) -> float:
    """User and system seconds of a process so far."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return float("nan")
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(page, address: str, pid: int, path: Path) -> tuple[int, list[float]]:  # type: ignore[no-untyped-def]
    """Edges; clock and CPU until the audit, until the graph, and from "forbid" to the next one."""
    figures: list[float] = []

    def now() -> tuple[float, float]:
        return time.perf_counter(), cpu_seconds(pid)

    def until(condition: str) -> None:
        while not page.execute_script(f"return {condition}"):
            time.sleep(0.01)

    def passed(since: tuple[float, float]) -> None:
        figures.extend(after - before for before, after in zip(since, now(), strict=True))

    page.get(address)
    page.execute_script("sessionStorage.clear()")
    page.refresh()
    until("document.querySelector('#file')")
    dropped = now()
    page.find_element("id", "file").send_keys(str(path))
    until("document.querySelector('.size')?.textContent")
    passed(dropped)
    page.find_element("id", "learn").click()
    until("document.body.dataset.fitted === '1'")
    passed(dropped)
    edges = int(page.execute_script("return document.querySelector('.facts dd').textContent"))
    page.execute_script(
        "document.querySelector('#page-graph .edge').dispatchEvent(new Event('click'))"
    )
    until("document.querySelector('#forbid')")
    clicked = now()
    page.find_element("id", "forbid").click()
    until("document.body.dataset.fitted === '2'")
    passed(clicked)
    return edges, figures


if __name__ == "__main__":
    main()
