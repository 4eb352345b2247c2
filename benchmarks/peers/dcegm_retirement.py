"""The retirement model of Iskhakov, Jørgensen, Rust and Schjerning (2017) by dcegm.

Eight decision periods or as many as asked for, logarithmic utility, discount factor 0.95, interest 0.05, wage 10,
disutility of work 0.5, taste shocks of scale 0.1; savings nodes are cubes of equal steps up to
400. One line of JSON per number of savings nodes: seconds of import and setup, of the first
solution (which compiles) and of further ones, the largest resident set, and with eight periods the
largest distance of a worker's value in the first period from a dense solution at fifteen points.

    python3 dcegm_retirement.py            # needs dcegm
    python3 dcegm_retirement.py 500 1 8    # one case: savings nodes, income nodes, periods
"""

import json
import os
import resource
import subprocess
import sys
import time
from importlib.metadata import version

CASES = [(500, 1), (500, 5), (2000, 1)]
REPEATS = 5
WEALTH = [1.0, 2.0, 5.0, 10.0, 15.0, 20.0, 25.0, 30.0, 40.0, 50.0, 60.0, 80.0, 100.0, 150.0, 200.0]
# Dense solutions with one income node and with five Gauss-Hermite nodes.
VALUES = {
    1: [
        10.181342163169736, 10.874489343729682, 11.790780075603836, 12.483927256163781,
        12.962628210349925, 13.409527557787166, 13.82876082404676, 14.223694594626616,
        14.951745207482881, 15.612636724264366, 16.222070883840125, 17.344882491957897,
        18.42199571029867, 20.88620876421207, 22.792026857152738,
    ],
    5: [
        10.164687754361971, 10.857834934921916, 11.77412566679607, 12.467978912833406,
        12.953225388052523, 13.401629844219558, 13.821893616671128, 14.217715846761427,
        14.947288779073146, 15.609480347168995, 16.220005370950325, 17.34418797940175,
        18.421625368397088, 20.886144561278414, 22.79201323113845,
    ],
}


def run(nodes, income_nodes, periods=8):
    # One core: threads that wait for each other would be counted otherwise.
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    started = time.process_time()
    import dcegm
    import jax
    import jax.numpy as jnp
    import numpy
    from dcegm.toy_models.cons_ret_model_dcegm_paper import (
        budget_constraint,
        create_final_period_utility_function_dict,
        create_state_space_function_dict,
        create_utility_function_dict,
    )

    jax.config.update("jax_enable_x64", True)
    params = {
        "discount_factor": 0.95, "delta": 0.5, "rho": 1, "constant": float(numpy.log(10.0)),
        "exp": 0.0, "exp_squared": 0.0, "income_shock_std": 0.1 if income_nodes > 1 else 0.0,
        "income_shock_mean": -0.005 if income_nodes > 1 else 0.0, "taste_shock_scale": 0.1,
        "interest_rate": 0.05, "consumption_floor": 0.0,
    }
    config = {
        "n_periods": periods, "choices": [0, 1], "n_quad_points": income_nodes,
        "continuous_states": {
            "assets_end_of_period": jnp.array(400.0 * numpy.linspace(0.0, 1.0, nodes) ** 3)
        },
    }
    model = dcegm.setup_model(
        model_config=config,
        model_specs={"min_age": 20, "n_choices": 2},
        state_space_functions=create_state_space_function_dict(),
        utility_functions=create_utility_function_dict(),
        utility_functions_final_period=create_final_period_utility_function_dict(),
        budget_constraint=budget_constraint,
    )
    setup = time.process_time() - started
    walls, processors = [], []
    for _ in range(REPEATS + 1):
        wall, processor = time.perf_counter(), time.process_time()
        solution = model.solve(params)
        jax.block_until_ready(solution.value)
        walls.append(time.perf_counter() - wall)
        processors.append(time.process_time() - processor)
        if len(walls) == 1:
            cold = time.process_time()
    states = {
        "period": jnp.zeros(len(WEALTH), dtype=int),
        "lagged_choice": jnp.zeros(len(WEALTH), dtype=int),
        "assets_begin_of_period": jnp.array(WEALTH),
    }
    values = numpy.asarray(solution.choice_values_for_states(states))
    value = 0.1 * numpy.logaddexp(values[:, 0] / 0.1, values[:, 1] / 0.1)
    error = float(numpy.max(numpy.abs(value - numpy.array(VALUES[income_nodes]))))
    print(json.dumps({
        "peer": "dcegm", "version": version("dcegm"), "case": "dcegm/retirement",
        "points": nodes, "shocks": income_nodes, "periods": periods,
        "setup_cpu_s": setup,
        "first_s": walls[0], "cold_cpu_s": cold,
        "warm_s": sorted(walls[1:])[REPEATS // 2],
        "warm_cpu_s": sorted(processors[1:])[REPEATS // 2],
        "rss_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "error": error if periods == 8 else None,
    }), flush=True)


def main():
    if len(sys.argv) >= 3:
        return run(*map(int, sys.argv[1:]))
    for nodes, income_nodes in CASES:
        arguments = [sys.executable, __file__, str(nodes), str(income_nodes)]
        subprocess.run(arguments, check=False)


if __name__ == "__main__":
    main()
