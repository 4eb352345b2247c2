//! All problems, each with its type.

use super::{
    AkzoNobel, Andrews, AndrewsMultipliers, Arenstorf, Brusselator, Brusselator1d, Decay, E5,
    Heat1d, Heat2d, Hires, Kepler, Lorenz, LotkaVolterra, Orego, Oscillator, Pendulum,
    PendulumIndex, Pleiades, Pollu, ReferenceProblem, RingModulator, Robertson, RobertsonDae,
    ThreeBody, TransistorAmplifier, VanDerPol,
};

/// Something that is done with every problem.
pub trait Visit {
    /// Does it with one problem of `N` components; 0 stands for a dimension that is not known at
    /// compile time.
    fn visit<M: ReferenceProblem, const N: usize>(&mut self, model: &M);
}

/// Visits all problems with known states, in a fixed order: not stiff, stiff, algebraic, lines.
pub fn visit_all(visitor: &mut impl Visit) {
    visitor.visit::<_, 1>(&Decay);
    visitor.visit::<_, 2>(&Oscillator);
    visitor.visit::<_, 2>(&LotkaVolterra);
    visitor.visit::<_, 3>(&Lorenz);
    visitor.visit::<_, 2>(&Brusselator);
    visitor.visit::<_, 2>(&VanDerPol::one());
    visitor.visit::<_, 4>(&Arenstorf);
    visitor.visit::<_, 4>(&Kepler);
    visitor.visit::<_, 12>(&ThreeBody);
    visitor.visit::<_, 28>(&Pleiades);
    visitor.visit::<_, 14>(&Andrews);
    visitor.visit::<_, 2>(&VanDerPol::thousand());
    visitor.visit::<_, 3>(&Robertson);
    visitor.visit::<_, 8>(&Hires);
    visitor.visit::<_, 3>(&Orego);
    visitor.visit::<_, 20>(&Pollu);
    visitor.visit::<_, 4>(&E5);
    visitor.visit::<_, 15>(&RingModulator);
    visitor.visit::<_, 3>(&RobertsonDae);
    visitor.visit::<_, 6>(&AkzoNobel);
    visitor.visit::<_, 8>(&TransistorAmplifier);
    for index in [PendulumIndex::One, PendulumIndex::Two, PendulumIndex::Three] {
        visitor.visit::<_, 5>(&Pendulum::new(index));
    }
    visitor.visit::<_, 27>(&AndrewsMultipliers);
    visitor.visit::<_, 0>(&Heat1d);
    visitor.visit::<_, 0>(&Heat2d::new());
    for points in Brusselator1d::SIZES {
        visitor.visit::<_, 0>(&Brusselator1d::new(points));
    }
}
