//! All problems, each with its type.

use super::{
    AkzoNobel, Andrews, AndrewsMultipliers, Arenstorf, Brusselator, Brusselator1d, Decay, E5,
    Heat1d, Heat2d, Hires, Kepler, Lorenz, LotkaVolterra, Orego, Oscillator, Pendulum,
    PendulumIndex, Pleiades, Pollu, ReferenceProblem, RingModulator, Robertson, RobertsonDae,
    ThreeBody, TransistorAmplifier, VanDerPol,
};

/// Something that is done with every problem.
pub trait Visit {
    /// Does it with one problem.
    fn visit<M: ReferenceProblem>(&mut self, model: &M);
}

/// Visits all problems with known states, in a fixed order: not stiff, stiff, algebraic, lines.
pub fn visit_all(visitor: &mut impl Visit) {
    visitor.visit(&Decay);
    visitor.visit(&Oscillator);
    visitor.visit(&LotkaVolterra);
    visitor.visit(&Lorenz);
    visitor.visit(&Brusselator);
    visitor.visit(&VanDerPol::one());
    visitor.visit(&Arenstorf);
    visitor.visit(&Kepler);
    visitor.visit(&ThreeBody);
    visitor.visit(&Pleiades);
    visitor.visit(&Andrews);
    visitor.visit(&VanDerPol::thousand());
    visitor.visit(&Robertson);
    visitor.visit(&Hires);
    visitor.visit(&Orego);
    visitor.visit(&Pollu);
    visitor.visit(&E5);
    visitor.visit(&RingModulator);
    visitor.visit(&RobertsonDae);
    visitor.visit(&AkzoNobel);
    visitor.visit(&TransistorAmplifier);
    for index in [PendulumIndex::One, PendulumIndex::Two, PendulumIndex::Three] {
        visitor.visit(&Pendulum::new(index));
    }
    visitor.visit(&AndrewsMultipliers);
    visitor.visit(&Heat1d);
    visitor.visit(&Heat2d::new());
    for points in Brusselator1d::SIZES {
        visitor.visit(&Brusselator1d::new(points));
    }
}
