"""Parameter sweeps by Jaxonomy, one line of JSON per case.

Each case is run by a process of its own: model, first call of `simulate_batch` (which compiles),
then further calls (which compile again, as the library is written). Printed are seconds of the
wall clock and of the processor, the largest resident set, and the worst error at the end of the
span for every fiftieth member: against closed forms, or SciPy's DOP853 at a tolerance of 1e-12.

    python3 jaxonomy_sweeps.py                     # needs jaxonomy and scipy
    python3 jaxonomy_sweeps.py quadruped 1000      # one case, number of members
"""

import json
import os
import resource
import subprocess
import sys
import time

SPANS = {"decay": 5.0, "quadruped": 5.0, "bouncing-ball": 3.0}
CALLS = 4
CASES = [("decay", 1000), ("quadruped", 1000), ("bouncing-ball", 1000)]


def linspace(start, stop, count):
    return [start + (stop - start) * i / max(count - 1, 1) for i in range(count)]


def decay(members):
    """x' = k x by a gain and an integrator."""
    import jaxonomy
    from jaxonomy.library import Gain, Integrator

    builder = jaxonomy.DiagramBuilder()
    gain = builder.add(Gain(-1.0, name="gain"))
    integrator = builder.add(Integrator(1.0, name="integrator"))
    builder.connect(integrator.output_ports[0], gain.input_ports[0])
    builder.connect(gain.output_ports[0], integrator.input_ports[0])
    values = linspace(-0.5, -2.5, members)
    signals = {"x": integrator.output_ports[0]}
    return builder.build(), {"gain.gain": values}, signals, lambda i: exact_decay(values[i])


def exact_decay(k):
    import math

    return {"x": math.exp(5.0 * k)}


def quadruped(members):
    """Four damped pendulums that do not touch each other; the angle from which they start is varied.

    Initial states cannot be varied, so angles are counted in units of the first one's start.
    """
    import jax.numpy as jnp
    import jaxonomy
    from jaxonomy.framework import LeafSystem

    class Leg(LeafSystem):
        def __init__(self, share, **kwargs):
            super().__init__(**kwargs)
            self.declare_dynamic_parameter("q0", 1.0)
            self.declare_continuous_state(default_value=jnp.array([share, 0.0]), ode=self.swing)
            self.declare_continuous_state_output(name="state")

        def swing(self, _time, state, **parameters):
            angle, speed = state.continuous_state
            start = parameters["q0"]
            return jnp.array([speed, -9.81 * jnp.sin(start * angle) / start - 0.2 * speed])

    builder = jaxonomy.DiagramBuilder()
    shares = [1.0, 0.9, 0.8, 0.7]
    signals = {}
    for leg, share in enumerate(shares):
        signals[f"leg{leg}"] = builder.add(Leg(share, name=f"leg{leg}")).output_ports[0]
    values = linspace(0.5, 1.5, members)
    batches = {f"leg{leg}.q0": values for leg in range(4)}
    return builder.build(), batches, signals, lambda i: legs(shares, values[i])


def legs(shares, start):
    import numpy
    from scipy.integrate import solve_ivp

    def rhs(_t, y):
        return [y[1], -9.81 * numpy.sin(y[0]) - 0.2 * y[1]]

    ends = {}
    for leg, share in enumerate(shares):
        run = solve_ivp(rhs, (0.0, 5.0), [start * share, 0.0], "DOP853", rtol=1e-12, atol=1e-14)
        ends[f"leg{leg}"] = run.y[:, -1] / start
    return ends


def bouncing_ball(members):
    """A ball that loses half of its speed at the floor; the height of the drop is varied.

    Initial states cannot be varied, so heights are counted in units of the drop.
    """
    import jax.numpy as jnp
    import jaxonomy
    from jaxonomy.framework import LeafSystem

    class Ball(LeafSystem):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.declare_dynamic_parameter("y0", 5.0)
            self.declare_continuous_state(default_value=jnp.array([1.0, 0.0]), ode=self.fall)
            self.declare_continuous_state_output(name="state")
            self.declare_zero_crossing(
                guard=lambda _t, state, **_p: state.continuous_state[0],
                reset_map=self.bounce,
                name="impact",
                direction="positive_then_non_positive",
            )

        def fall(self, _time, state, **parameters):
            return jnp.array([state.continuous_state[1], -9.8 / parameters["y0"]])

        def bounce(self, _time, state, **_parameters):
            height, speed = state.continuous_state
            return state.with_continuous_state(jnp.array([jnp.abs(height), -0.5 * speed]))

    builder = jaxonomy.DiagramBuilder()
    ball = builder.add(Ball(name="ball"))
    signals = {"ball": ball.output_ports[0]}
    values = linspace(5.0, 10.0, members)
    return builder.build(), {"ball.y0": values}, signals, lambda i: bounces(values[i])


def bounces(drop):
    """Closed form: parabolas between impacts; height and speed at 3 s in units of the drop."""
    import math

    gravity = 9.8
    t, speed = math.sqrt(2.0 * drop / gravity), math.sqrt(2.0 * drop * gravity)
    while True:
        speed *= 0.5
        flight = 2.0 * speed / gravity
        if t + flight > 3.0:
            s = 3.0 - t
            height = speed * s - 0.5 * gravity * s * s
            return {"ball": [height / drop, (speed - gravity * s) / drop]}
        t += flight


def run(case, members):
    # One core: threads that wait for each other would be counted otherwise.
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    import jax.numpy as jnp
    import jaxonomy
    import numpy
    from jaxonomy.simulation.batch import simulate_batch

    make = {"decay": decay, "quadruped": quadruped, "bouncing-ball": bouncing_ball}[case]
    diagram, batches, signals, exact = make(members)
    batches = {name: jnp.array(values) for name, values in batches.items()}
    options = jaxonomy.SimulatorOptions(
        math_backend="jax", max_major_steps=200, rtol=1e-6, atol=1e-8
    )
    walls, processors = [], []
    for _ in range(CALLS):
        wall, processor = time.perf_counter(), time.process_time()
        result = simulate_batch(
            diagram, (0.0, SPANS[case]), batches, options=options, recorded_signals=signals
        )
        outputs = {name: numpy.asarray(values) for name, values in result.outputs.items()}
        walls.append(time.perf_counter() - wall)
        processors.append(time.process_time() - processor)
        if len(walls) == 1:
            cold = time.process_time()
    error = 0.0
    for i in range(0, members, 50):
        for name, value in exact(i).items():
            error = max(error, float(numpy.max(numpy.abs(outputs[name][i, -1] - value))))
    print(json.dumps({
        "peer": "jaxonomy", "version": jaxonomy.__version__, "case": case, "members": members,
        "rtol": 1e-6, "atol": 1e-8, "error": error,
        "first_s": walls[0], "warm_s": sorted(walls[1:])[(CALLS - 1) // 2],
        "warm_cpu_s": sorted(processors[1:])[(CALLS - 1) // 2],
        "cold_cpu_s": cold,
        "rss_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }), flush=True)


def main():
    if len(sys.argv) == 3:
        return run(sys.argv[1], int(sys.argv[2]))
    for case, members in CASES:
        subprocess.run([sys.executable, __file__, case, str(members)], check=False)


if __name__ == "__main__":
    main()
