"""The buffer-stock saver by HARK, one line of JSON per number of savings nodes.

Ten periods, relative risk aversion 2, interest 0.03, discount factor 0.96, survival 0.98, growth
0.01, 56 income atoms: the model of the scenario `egm/buffer-stock`. Savings nodes are HARK's own,
triple-exponential up to 20, plus a borrowing limit of zero.

    python3 hark_saving.py            # needs econ-ark
    python3 hark_saving.py 500        # one case: savings nodes
"""

import json
import os
import resource
import subprocess
import sys
import time
from importlib.metadata import version

CASES = [48, 500, 2000]
REPEATS = 7
PERIODS = 10
RESOURCES = [0.1, 0.3, 0.5, 0.8, 1.0, 1.25, 1.5, 2.0, 3.0, 5.0, 8.0, 12.0, 18.0]
DENSE = [
    0.1, 0.3, 0.5, 0.7788453234813062, 0.8680385944886192, 0.9570803097187981,
    1.0256287620954898, 1.1186263959071305, 1.262367109504455, 1.5091521603712146,
    1.8616421413878954, 2.3238731161481083, 3.010864106103494,
]


def run(nodes):
    # One core: threads that wait for each other would be counted otherwise.
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    started = time.process_time()
    import numpy
    from HARK.ConsumptionSaving.ConsIndShockModel import IndShockConsumerType

    agent = IndShockConsumerType(
        cycles=1, T_cycle=PERIODS, CRRA=2.0, Rfree=[1.03] * PERIODS, DiscFac=0.96,
        LivPrb=[0.98] * PERIODS, PermGroFac=[1.01] * PERIODS, PermShkStd=[0.1] * PERIODS,
        TranShkStd=[0.1] * PERIODS, UnempPrb=0.05, IncUnemp=0.3, PermShkCount=7, TranShkCount=7,
        aXtraCount=nodes, BoroCnstArt=0.0, T_retire=0, vFuncBool=False, CubicBool=False,
    )
    setup = time.process_time() - started
    walls, processors = [], []
    for _ in range(REPEATS + 1):
        wall, processor = time.perf_counter(), time.process_time()
        agent.solve()
        walls.append(time.perf_counter() - wall)
        processors.append(time.process_time() - processor)
        if len(walls) == 1:
            cold = time.process_time()
    consumption = agent.solution[0].cFunc(numpy.array(RESOURCES))
    error = float(numpy.max(numpy.abs(consumption / numpy.array(DENSE) - 1.0)))
    print(json.dumps({
        "peer": "HARK", "version": version("econ-ark"), "case": "egm/buffer-stock",
        "points": nodes, "setup_cpu_s": setup, "first_s": walls[0],
        "cold_cpu_s": cold,
        "warm_s": sorted(walls[1:])[REPEATS // 2],
        "warm_cpu_s": sorted(processors[1:])[REPEATS // 2], "error": error,
        "rss_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }), flush=True)


def main():
    if len(sys.argv) == 2:
        return run(int(sys.argv[1]))
    for nodes in CASES:
        subprocess.run([sys.executable, __file__, str(nodes)], check=False)


if __name__ == "__main__":
    main()
