//! Runs whose memory is known before they start.

use bifrons_memory::Part;

use super::Simulation;
use super::engine::{Engine, Snapshot};
use super::result::Run;
use crate::error::RunError;
use crate::reduced::Meaning;

/// A simulation that is compiled and knows its initial values; made by [`Simulation::prepare`].
///
/// ```
/// # use bifrons_dae::NetworkBuilder;
/// # use bifrons_dae::library::electrical::{Capacitor, Ground, Resistor, VoltageSource};
/// # let mut net = NetworkBuilder::new("rc");
/// # let source = net.add("source", VoltageSource::new(1.0))?;
/// # let r = net.add("r", Resistor::new(1.0))?;
/// # let c = net.add("c", Capacitor::new(1.0).voltage(0.0))?;
/// # let ground = net.add("ground", Ground::new())?;
/// # net.connect(source.pin("p"), r.pin("p"))?;
/// # net.connect(r.pin("n"), c.pin("p"))?;
/// # net.join([c.pin("n"), source.pin("n"), ground.pin("p")])?;
/// let model = net.build().flatten()?.reduce()?;
/// let mut prepared = model.simulation().span(0.0, 1.0).record(["c.v"]).prepare()?;
/// assert!(prepared.footprint(0).total().peak() > 0);
/// let (first, again) = (prepared.run()?, prepared.run()?);
/// assert_eq!(first.last, again.last);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Prepared<'m> {
    pub(super) simulation: Simulation<'m>,
    pub(super) engine: Engine<'m>,
    pub(super) columns: Vec<Meaning>,
    pub(super) start: Snapshot,
}

impl std::fmt::Debug for Prepared<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Prepared")
            .field("simulation", &self.simulation)
            .finish_non_exhaustive()
    }
}

impl Prepared<'_> {
    /// Bytes that [`run`](Self::run) allocates, part by part, if at most `events` events happen.
    ///
    /// The states are taken to stay those of the start.
    pub fn footprint(&mut self, events: usize) -> Part {
        self.engine.restore(&self.start);
        self.engine
            .footprint(&self.simulation, self.columns.len(), events)
    }

    /// Runs; running twice gives the same bits.
    ///
    /// # Errors
    ///
    /// [`RunError`] with what was recorded before.
    pub fn run(&mut self) -> Result<Run, RunError> {
        self.engine.restore(&self.start);
        self.engine.run(&self.simulation, &self.columns)
    }
}
