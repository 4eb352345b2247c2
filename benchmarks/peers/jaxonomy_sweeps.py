"""Parameter sweeps by Jaxonomy, one line of JSON per case.

Each case is run by a process of its own: model, first call of `simulate_batch` (which compiles),
then further calls (which compile again, as the library is written). Printed are seconds of the
wall clock and of the processor, the largest resident set, and the worst error at the end of the
span against SciPy's DOP853 at a relative tolerance of 1e-12 for every fiftieth member.

    python3 jaxonomy_sweeps.py                     # needs jaxonomy and scipy
    python3 jaxonomy_sweeps.py quadruped 1000      # one case, number of members
"""

import json
import resource
import subprocess
import sys
import time

SPAN = 5.0
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

    return {"x": math.exp(k * SPAN)}


def quadruped(members):
    """Four damped pendulums that do not touch each other: eight states, four of them varied."""
    import jaxonomy
    from jaxonomy.models import Pendulum

    builder = jaxonomy.DiagramBuilder()
    starts = [1.0, 0.8, 0.6, 0.4]
    signals = {}
    for leg, angle in enumerate(starts):
        pendulum = builder.add(
            Pendulum(x0=[angle, 0.0], b=0.1, full_state_output=True, name=f"leg{leg}")
        )
        signals[f"leg{leg}"] = pendulum.output_ports[0]
    values = linspace(0.1, 0.5, members)
    batches = {f"leg{leg}.b": values for leg in range(4)}
    return builder.build(), batches, signals, lambda i: legs(starts, values[i])


def legs(starts, damping):
    import numpy
    from scipy.integrate import solve_ivp

    def rhs(_t, y):
        return [y[1], -9.81 * numpy.sin(y[0]) - damping * y[1]]

    ends = {}
    for leg, angle in enumerate(starts):
        run = solve_ivp(rhs, (0.0, SPAN), [angle, 0.0], "DOP853", rtol=1e-12, atol=1e-14)
        ends[f"leg{leg}"] = run.y[:, -1]
    return ends


def bouncing_ball(members):
    """A ball dropped from 2 m; the coefficient of restitution is varied."""
    import jax.numpy as jnp
    import jaxonomy
    from jaxonomy.framework import LeafSystem

    class Ball(LeafSystem):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.declare_dynamic_parameter("e", 0.8)
            self.declare_continuous_state(
                default_value=jnp.array([2.0, 0.0]),
                ode=lambda _t, state, **_p: jnp.array([state.continuous_state[1], -9.81]),
            )
            self.declare_continuous_state_output(name="state")
            self.declare_zero_crossing(
                guard=lambda _t, state, **_p: state.continuous_state[0],
                reset_map=self.bounce,
                name="impact",
                direction="positive_then_non_positive",
            )

        def bounce(self, _time, state, **parameters):
            height, speed = state.continuous_state
            after = jnp.array([jnp.abs(height), -parameters["e"] * speed])
            return state.with_continuous_state(after)

    builder = jaxonomy.DiagramBuilder()
    ball = builder.add(Ball(name="ball"))
    signals = {"ball": ball.output_ports[0]}
    values = linspace(0.8, 0.9, members)
    return builder.build(), {"ball.e": values}, signals, lambda i: bounces(values[i])


def bounces(restitution):
    """Closed form: parabolas between impacts."""
    import math

    height, gravity = 2.0, 9.81
    t, speed = math.sqrt(2.0 * height / gravity), math.sqrt(2.0 * height * gravity)
    while True:
        speed *= restitution
        flight = 2.0 * speed / gravity
        if t + flight > SPAN:
            s = SPAN - t
            return {"ball": [speed * s - 0.5 * gravity * s * s, speed - gravity * s]}
        t += flight


def run(case, members):
    started = time.perf_counter()
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
            diagram, (0.0, SPAN), batches, options=options, recorded_signals=signals
        )
        outputs = {name: numpy.asarray(values) for name, values in result.outputs.items()}
        walls.append(time.perf_counter() - wall)
        processors.append(time.process_time() - processor)
    error = 0.0
    for i in range(0, members, 50):
        for name, value in exact(i).items():
            error = max(error, float(numpy.max(numpy.abs(outputs[name][i, -1] - value))))
    print(json.dumps({
        "peer": "jaxonomy", "version": jaxonomy.__version__, "case": case, "members": members,
        "rtol": 1e-6, "atol": 1e-8, "error": error,
        "first_s": walls[0], "warm_s": sorted(walls[1:])[(CALLS - 1) // 2],
        "warm_cpu_s": sorted(processors[1:])[(CALLS - 1) // 2],
        "process_s": time.perf_counter() - started,
        "rss_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }), flush=True)


def main():
    if len(sys.argv) == 3:
        return run(sys.argv[1], int(sys.argv[2]))
    for case, members in CASES:
        subprocess.run([sys.executable, __file__, case, str(members)], check=False)


if __name__ == "__main__":
    main()
