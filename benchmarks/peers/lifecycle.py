"""Our life-cycle scenarios beside dcegm and HARK, as ratios, in one run.

    python3 lifecycle.py SCENARIO            # the binary `scenario` of benchmarks, built with --profile bench
    python3 lifecycle.py SCENARIO --quick    # 500 savings nodes and eight periods only

Needs dcegm and econ-ark. Every case is a fresh process on one core. `warm` is the median of further solutions
in one process, `first` everything from its start to the first result: for the peers importing,
setting up and compiling. Peers are counted in processor seconds, which other work on the machine
does not inflate, we in wall seconds. Errors are distances of a worker's value from a dense solution at 15 wealth
levels (dcegm, eight periods) and relative ones of consumption (HARK).

With income risk dcegm integrates by Gauss-Legendre nodes through the normal quantile, we by
Gauss-Hermite nodes: its distance from the reference is another model, not an error.
"""

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
DCEGM = [(n, k, t) for t in (8, 45) for n in (500, 2000) for k in (1, 5)]
HARK = [48, 500, 2000]


def peer(script, *arguments):
    """The JSON line of a peer, with the processor seconds of its process."""
    command = [sys.executable, str(HERE / script), *map(str, arguments)]
    before = processor_seconds()
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    spent = processor_seconds() - before
    lines = [line for line in found.stdout.splitlines() if line.startswith("{")]
    if not lines:
        return None
    result = json.loads(lines[-1])
    result["process_cpu_s"] = spent
    return result


def processor_seconds():
    """Of all children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def ours(binary, case, repeat):
    """Seconds to the first result and of further ones, MiB and accuracy of a scenario."""
    command = [binary, "run", case, "--warmup", "5", "--repeat", str(repeat)]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = [json.loads(line) for line in found.stdout.splitlines()]
    first = next(line["elapsed_ns"] for line in lines if line.get("phase") == "first")
    result = lines[-1]
    warm = sorted(result["warm_ns"])
    return {
        "first": first / 1e9,
        "warm": warm[len(warm) // 2] / 1e9,
        "mib": result["metrics"].get("rss_peak", 0) / 2**20,
        "errors": {own["name"]: own["value"] for own in result["accuracy"]},
    }


def row(label, own, theirs, cold):
    if theirs is None:
        print(f"{label:<44} {1e3 * own['warm']:>10.3f} {'(no result)':>12}", flush=True)
        return
    warm = theirs["warm_cpu_s"]
    errors = " ".join(f"{value:.1e}" for value in own["errors"].values())
    print(
        f"{label:<44} {1e3 * own['warm']:>10.3f} {1e3 * warm:>12.1f} {warm / own['warm']:>9.0f}"
        f" {cold / own['first']:>9.0f} {theirs['rss_mib'] / own['mib']:>8.0f}   {errors}",
        flush=True,
    )


def main():
    binary = sys.argv[1]
    # One core for everybody; threads that wait for each other would be counted otherwise.
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    quick = "--quick" in sys.argv
    head = ["case", "ours/ms", "theirs/ms", "warm x", "first x", "memory x"]
    print(f"{head[0]:<44} {head[1]:>10} {head[2]:>12} {head[3]:>9} {head[4]:>9} {head[5]:>8}   our errors")
    for nodes, income, periods in DCEGM:
        if quick and (nodes, periods) != (500, 8):
            continue
        case = f"dcegm/retirement?points={nodes}&shocks={income}&periods={periods}"
        own = ours(binary, case, 51)
        theirs = peer("dcegm_retirement.py", nodes, income, periods)
        cold = theirs["process_cpu_s"] - 5 * theirs["warm_cpu_s"] if theirs else 0.0
        row(f"dcegm: {nodes} nodes, {income} income, {periods} periods", own, theirs, cold)
    for nodes in HARK:
        if quick and nodes != 500:
            continue
        own = ours(binary, f"egm/buffer-stock?points={nodes}", 51)
        theirs = peer("hark_saving.py", nodes)
        cold = theirs["process_cpu_s"] - 7 * theirs["warm_cpu_s"] if theirs else 0.0
        row(f"HARK: {nodes} nodes, 56 income, 10 periods", own, theirs, cold)


if __name__ == "__main__":
    main()
