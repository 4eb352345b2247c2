//! Physical domains: what a connector carries.

use std::fmt;

/// One pair of a potential, which is equal at a node, and a flow, which sums to zero there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pair {
    /// Name of the potential within its connector.
    pub potential: &'static str,
    /// SI unit of the potential.
    pub potential_unit: &'static str,
    /// Name of the flow within its connector; positive into the component.
    pub flow: &'static str,
    /// SI unit of the flow.
    pub flow_unit: &'static str,
}

/// What a connector carries; only connectors of one domain can be connected.
///
/// | domain | potential | flow |
/// |---|---|---|
/// | electrical | `v`, voltage in V | `i`, current in A |
/// | translational | `s`, position in m | `f`, force in N |
/// | rotational | `phi`, angle in rad | `tau`, torque in N m |
/// | planar | `x`, `y`, position in m | `fx`, `fy`, force in N |
/// | thermal | `t`, temperature in K | `q`, heat flow in W |
/// | hydraulic | `p`, pressure in Pa | `m`, mass flow in kg/s |
/// | fluid | `p`, pressure in Pa | `m`, mass flow in kg/s |
///
/// Flows are positive into the component. A fluid connector also carries specific enthalpies in
/// J/kg: `h`, of what would flow out of the component, which the component says, and `h_in`, of
/// what would flow into it, which the other components at the node decide:
///
/// ```text
/// h_in of i = Σ w_j h_j / Σ w_j  over j ≠ i,   w = ε + (sqrt(m² + ε²) - m)/2,   ε = 1e-8 kg/s
/// ```
///
/// That is the mixture of all that flows out of the others, kept smooth where flows turn round
/// (Franke and others, 2009, *Stream connectors: an extension of Modelica for device-oriented
/// modeling of convective transport phenomena*). Between two connectors `h_in` is the other `h`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Domain {
    /// Voltage and current.
    Electrical,
    /// Position and force along a line.
    Translational,
    /// Angle and torque about an axis.
    Rotational,
    /// Position and force in a plane.
    Planar,
    /// Temperature and heat flow.
    Thermal,
    /// Pressure and mass flow of an incompressible medium.
    Hydraulic,
    /// Pressure, mass flow and the enthalpy that it carries.
    Fluid,
}

const fn pair(
    potential: &'static str,
    potential_unit: &'static str,
    flow: &'static str,
    flow_unit: &'static str,
) -> Pair {
    Pair {
        potential,
        potential_unit,
        flow,
        flow_unit,
    }
}

const ELECTRICAL: [Pair; 1] = [pair("v", "V", "i", "A")];
const TRANSLATIONAL: [Pair; 1] = [pair("s", "m", "f", "N")];
const ROTATIONAL: [Pair; 1] = [pair("phi", "rad", "tau", "N m")];
const PLANAR: [Pair; 2] = [pair("x", "m", "fx", "N"), pair("y", "m", "fy", "N")];
const THERMAL: [Pair; 1] = [pair("t", "K", "q", "W")];
const HYDRAULIC: [Pair; 1] = [pair("p", "Pa", "m", "kg/s")];

impl Domain {
    /// The pairs that a connector of this domain carries.
    #[must_use]
    pub fn pairs(self) -> &'static [Pair] {
        match self {
            Self::Electrical => &ELECTRICAL,
            Self::Translational => &TRANSLATIONAL,
            Self::Rotational => &ROTATIONAL,
            Self::Planar => &PLANAR,
            Self::Thermal => &THERMAL,
            Self::Hydraulic | Self::Fluid => &HYDRAULIC,
        }
    }

    /// Whether a connector carries specific enthalpies `h` and `h_in` in J/kg.
    #[must_use]
    pub fn has_stream(self) -> bool {
        self == Self::Fluid
    }

    /// Name of the domain.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Electrical => "electrical",
            Self::Translational => "translational",
            Self::Rotational => "rotational",
            Self::Planar => "planar",
            Self::Thermal => "thermal",
            Self::Hydraulic => "hydraulic",
            Self::Fluid => "fluid",
        }
    }

    /// Whether an island without a given potential has no solution, and what gives it one.
    ///
    /// Positions and temperatures may be free, since masses and heat capacities carry their own.
    #[must_use]
    pub fn reference(self) -> Option<&'static str> {
        match self {
            Self::Electrical => Some("Ground"),
            Self::Hydraulic => Some("PressureSource or Tank"),
            Self::Fluid => Some("Boundary or Tank"),
            _ => None,
        }
    }
}

impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
