//! Hand-written systems in plain scalar code.

use bifrons_lanes::Level;
use bifrons_memory::Footprint;

use crate::event::{EventTable, Instant};
use crate::schema::Schema;
use crate::system::HybridSystem;

/// A system written by hand for one member at a time; [`ScalarLanes`] makes it a
/// [`HybridSystem`].
///
/// ```text
/// dx/dt = f(t, x, p)      x(t0) = s(t0, p)      y = h(t, x, p)
/// ```
///
/// Where a system has discrete states, they follow the parameters in every slice called
/// `parameters`, except in that of [`Instant`].
///
/// Slices have the lengths that the schema says. The methods must be pure functions of their
/// arguments: a run repeated gives the same bits.
///
/// # Examples
///
/// ```
/// use bifrons_hybrid::{ScalarLanes, ScalarSystem, Schema};
///
/// /// dx/dt = -rate x
/// #[derive(Debug)]
/// struct Decay(Schema);
/// impl ScalarSystem for Decay {
///     fn schema(&self) -> &Schema {
///         &self.0
///     }
///     fn initial_state(&self, _t0: f64, p: &[f64], x: &mut [f64]) {
///         x[0] = p[1];
///     }
///     fn derivatives(&self, _t: f64, x: &[f64], p: &[f64], dx: &mut [f64]) {
///         dx[0] = -p[0] * x[0];
///     }
///     fn outputs(&self, _t: f64, x: &[f64], _p: &[f64], y: &mut [f64]) {
///         y[0] = x[0];
///     }
/// }
///
/// let schema = Schema::new("decay", ["x"], [("rate", 1.5), ("x0", 1.0)], ["x"])?;
/// let system = ScalarLanes(Decay(schema)); // a HybridSystem
/// # Ok::<(), bifrons_hybrid::SchemaError>(())
/// ```
pub trait ScalarSystem: Send + Sync {
    /// Names, counts and default parameters.
    fn schema(&self) -> &Schema;

    /// Writes the start values of the states.
    fn initial_state(&self, t0: f64, parameters: &[f64], state: &mut [f64]);

    /// Writes the derivatives of the states.
    fn derivatives(&self, t: f64, state: &[f64], parameters: &[f64], derivatives: &mut [f64]);

    /// Writes the outputs.
    fn outputs(&self, t: f64, state: &[f64], parameters: &[f64], outputs: &mut [f64]);

    /// `Some(i)` if the output is state `i` itself, so that a recorder can copy it.
    fn output_state(&self, _output: usize) -> Option<usize> {
        None
    }

    /// Discrete states, clocks and guards. Default: none.
    fn events(&self) -> &EventTable {
        EventTable::none()
    }

    /// Writes the discrete states before the first instant.
    fn initial_discrete(&self, _t0: f64, _parameters: &[f64], _discrete: &mut [f64]) {}

    /// Writes the values of the guards.
    fn guards(&self, _t: f64, _state: &[f64], _parameters: &[f64], _guards: &mut [f64]) {}

    /// Writes the time derivatives of the guards, where [`EventTable::has_rates`] says so.
    fn guard_rates(&self, _t: f64, _state: &[f64], _parameters: &[f64], _rates: &mut [f64]) {}

    /// What happens at an instant: `state` and `discrete` hold the values before it and get those
    /// after it.
    fn update(&self, _instant: &Instant<'_>, _state: &mut [f64], _discrete: &mut [f64]) {}
}

/// Evaluates a [`ScalarSystem`] lane by lane: the same bits for every number of lanes.
#[derive(Debug, Clone)]
pub struct ScalarLanes<S>(pub S);

/// Workspace of [`ScalarLanes`]: the members' parameters and one member's vectors.
#[derive(Debug, Clone)]
pub struct ScalarWorkspace<const W: usize> {
    /// `W × (parameter_count + discrete count)`, member by member.
    parameters: Vec<f64>,
    state: Vec<f64>,
    result: Vec<f64>,
}

impl<S: ScalarSystem> HybridSystem for ScalarLanes<S> {
    type Workspace<const W: usize> = ScalarWorkspace<W>;

    fn schema(&self) -> &Schema {
        self.0.schema()
    }

    fn workspace<const W: usize>(&self, _level: Level) -> ScalarWorkspace<W> {
        let schema = self.schema();
        let mut member = schema.defaults().to_vec();
        member.resize(self.value_count(), 0.0);
        ScalarWorkspace {
            parameters: member.repeat(W),
            state: vec![0.0; schema.state_count()],
            result: vec![0.0; schema.state_count().max(schema.output_count())],
        }
    }

    fn set_parameters<const W: usize>(
        &self,
        workspace: &mut ScalarWorkspace<W>,
        lane: usize,
        parameters: &[f64],
    ) {
        let stride = self.value_count();
        workspace.parameters[lane * stride..][..parameters.len()].copy_from_slice(parameters);
    }

    fn initial_state<const W: usize>(
        &self,
        _workspace: &mut ScalarWorkspace<W>,
        t0: f64,
        parameters: &[f64],
        state: &mut [f64],
    ) {
        self.0.initial_state(t0, parameters, state);
    }

    fn derivatives<const W: usize>(
        &self,
        workspace: &mut ScalarWorkspace<W>,
        t: &[f64; W],
        x: &[[f64; W]],
        dx: &mut [[f64; W]],
    ) {
        workspace.each_lane(t, x, dx, |t, x, p, dx| self.0.derivatives(t, x, p, dx));
    }

    fn outputs<const W: usize>(
        &self,
        workspace: &mut ScalarWorkspace<W>,
        t: &[f64; W],
        x: &[[f64; W]],
        y: &mut [[f64; W]],
    ) {
        workspace.each_lane(t, x, y, |t, x, p, y| self.0.outputs(t, x, p, y));
    }

    fn output_state(&self, output: usize) -> Option<usize> {
        self.0.output_state(output)
    }

    fn events(&self) -> &EventTable {
        self.0.events()
    }

    fn set_values<const W: usize>(
        &self,
        workspace: &mut ScalarWorkspace<W>,
        lane: usize,
        parameters: &[f64],
        discrete: &[f64],
    ) {
        let stride = self.value_count();
        let own = &mut workspace.parameters[lane * stride..][..stride];
        own[..parameters.len()].copy_from_slice(parameters);
        own[parameters.len()..].copy_from_slice(discrete);
    }

    fn initial_discrete<const W: usize>(
        &self,
        _workspace: &mut ScalarWorkspace<W>,
        t0: f64,
        parameters: &[f64],
        discrete: &mut [f64],
    ) {
        self.0.initial_discrete(t0, parameters, discrete);
    }

    fn guards(&self, workspace: &mut ScalarWorkspace<1>, t: f64, x: &[f64], guards: &mut [f64]) {
        self.0.guards(t, x, &workspace.parameters, guards);
    }

    fn guard_rates(
        &self,
        workspace: &mut ScalarWorkspace<1>,
        t: f64,
        x: &[f64],
        rates: &mut [f64],
    ) {
        self.0.guard_rates(t, x, &workspace.parameters, rates);
    }

    fn update(
        &self,
        _workspace: &mut ScalarWorkspace<1>,
        instant: &Instant<'_>,
        state: &mut [f64],
        discrete: &mut [f64],
    ) {
        self.0.update(instant, state, discrete);
    }

    fn workspace_footprint(&self, lanes: usize) -> Footprint {
        let schema = self.schema();
        let (states, outputs) = (schema.state_count(), schema.output_count());
        Footprint::of::<f64>(self.value_count().saturating_mul(lanes))
            .beside(Footprint::of::<f64>(states + states.max(outputs)))
    }
}

impl<S: ScalarSystem> ScalarLanes<S> {
    /// Parameters and discrete states of a member.
    fn value_count(&self) -> usize {
        self.0.schema().parameter_count() + self.0.events().discretes().len()
    }
}

impl<const W: usize> ScalarWorkspace<W> {
    fn each_lane(
        &mut self,
        t: &[f64; W],
        x: &[[f64; W]],
        results: &mut [[f64; W]],
        evaluate: impl Fn(f64, &[f64], &[f64], &mut [f64]),
    ) {
        let count = self.parameters.len() / W.max(1);
        let result = &mut self.result[..results.len()];
        for (lane, &t) in t.iter().enumerate() {
            for (own, lanes) in self.state.iter_mut().zip(x) {
                *own = lanes[lane];
            }
            let parameters = &self.parameters[lane * count..][..count];
            evaluate(t, &self.state, parameters, result);
            for (own, lanes) in result.iter().zip(results.iter_mut()) {
                lanes[lane] = *own;
            }
        }
    }
}
