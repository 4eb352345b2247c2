"""Times numpy.interp on the arrays of the Rust benchmark `interp` (bifrons-grids).

The same generator makes the same nodes, values and queries. numpy.interp gives values only
(no slopes) of the linear interpolant. Every round runs all query vectors; the median and the
minimum over the rounds are printed in nanoseconds per query.

    python3 numpy_interp.py            # needs numpy
"""

import math
import statistics
import time

import numpy

NODES = QUERIES = 500
VECTORS = 16
ROUNDS = 401
MASK = (1 << 64) - 1


class Random:
    """Linear congruential generator, the one of the Rust benchmark."""

    def __init__(self, state):
        self.state = state

    def next(self):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) & MASK
        return (self.state >> 11) / float(1 << 53)


def place(share):
    return 0.1 + 40.0 * share * share


def data():
    random = Random(20)
    nodes = [place((i + 0.8 * random.next()) / NODES) for i in range(NODES)]
    values = [math.sqrt(x) + 0.3 * math.sin(0.5 * x) for x in nodes]
    queries = [[place(random.next()) for _ in range(QUERIES)] for _ in range(VECTORS)]
    return numpy.array(nodes), numpy.array(values), [numpy.array(q) for q in queries]


def measure(run, vectors):
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for vector in vectors:
            run(vector)
        times.append((time.perf_counter() - start) * 1e9 / (VECTORS * QUERIES))
    return statistics.median(times), min(times)


def main():
    nodes, values, shuffled = data()
    ascending = [numpy.sort(vector) for vector in shuffled]
    check = sum(float(numpy.interp(vector, nodes, values).sum()) for vector in ascending)
    print(f"numpy {numpy.__version__}, sum of the values {check:.12f}, ns per query:")
    for name, vectors in [("sorted", ascending), ("shuffled", shuffled)]:
        median, minimum = measure(lambda vector: numpy.interp(vector, nodes, values), vectors)
        print(f"numpy.interp {name:<9} median {median:8.2f}  minimum {minimum:8.2f}")
        median, minimum = measure(lambda vector: numpy.searchsorted(nodes, vector), vectors)
        print(f"searchsorted {name:<9} median {median:8.2f}  minimum {minimum:8.2f}")


if __name__ == "__main__":
    main()
