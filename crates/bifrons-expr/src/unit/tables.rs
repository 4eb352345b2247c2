//! Names of units and prefixes.
//!
//! Bureau international des poids et mesures (2019): The International System of Units, 9th
//! edition, tables 2, 4, 7 and 8; the inch, pound and pound-force by the international yard and
//! pound agreement of 1959.

/// Exponents of m, kg, s, A, K, mol, cd and money.
type Powers = [i8; 8];

pub(super) struct Named {
    pub(super) name: &'static str,
    pub(super) powers: Powers,
    pub(super) scale: f64,
    /// Whether prefixes may stand before it.
    pub(super) prefixed: bool,
}

const fn unit(name: &'static str, powers: Powers, scale: f64) -> Named {
    Named {
        name,
        powers,
        scale,
        prefixed: false,
    }
}

const fn si(name: &'static str, powers: Powers, scale: f64) -> Named {
    Named {
        prefixed: true,
        ..unit(name, powers, scale)
    }
}

const NUMBER: Powers = [0; 8];
const LENGTH: Powers = [1, 0, 0, 0, 0, 0, 0, 0];
const MASS: Powers = [0, 1, 0, 0, 0, 0, 0, 0];
const TIME: Powers = [0, 0, 1, 0, 0, 0, 0, 0];
const RATE: Powers = [0, 0, -1, 0, 0, 0, 0, 0];
const FORCE: Powers = [1, 1, -2, 0, 0, 0, 0, 0];
const PRESSURE: Powers = [-1, 1, -2, 0, 0, 0, 0, 0];
const ENERGY: Powers = [2, 1, -2, 0, 0, 0, 0, 0];
const POWER: Powers = [2, 1, -3, 0, 0, 0, 0, 0];
const CHARGE: Powers = [0, 0, 1, 1, 0, 0, 0, 0];
const DOSE: Powers = [2, 0, -2, 0, 0, 0, 0, 0];
const TURN: f64 = std::f64::consts::TAU;

/// Every unit without offset.
pub(super) const UNITS: [Named; 61] = [
    si("m", LENGTH, 1.0),
    si("g", MASS, 1e-3),
    si("s", TIME, 1.0),
    si("A", [0, 0, 0, 1, 0, 0, 0, 0], 1.0),
    si("K", [0, 0, 0, 0, 1, 0, 0, 0], 1.0),
    si("mol", [0, 0, 0, 0, 0, 1, 0, 0], 1.0),
    si("cd", [0, 0, 0, 0, 0, 0, 1, 0], 1.0),
    si("money", [0, 0, 0, 0, 0, 0, 0, 1], 1.0),
    si("rad", NUMBER, 1.0),
    si("sr", NUMBER, 1.0),
    si("Hz", RATE, 1.0),
    si("N", FORCE, 1.0),
    si("Pa", PRESSURE, 1.0),
    si("J", ENERGY, 1.0),
    si("W", POWER, 1.0),
    si("C", CHARGE, 1.0),
    si("V", [2, 1, -3, -1, 0, 0, 0, 0], 1.0),
    si("F", [-2, -1, 4, 2, 0, 0, 0, 0], 1.0),
    si("Ohm", [2, 1, -3, -2, 0, 0, 0, 0], 1.0),
    si("ohm", [2, 1, -3, -2, 0, 0, 0, 0], 1.0),
    si("Ω", [2, 1, -3, -2, 0, 0, 0, 0], 1.0),
    si("S", [-2, -1, 3, 2, 0, 0, 0, 0], 1.0),
    si("Wb", [2, 1, -2, -1, 0, 0, 0, 0], 1.0),
    si("T", [0, 1, -2, -1, 0, 0, 0, 0], 1.0),
    si("H", [2, 1, -2, -2, 0, 0, 0, 0], 1.0),
    si("lm", [0, 0, 0, 0, 0, 0, 1, 0], 1.0),
    si("lx", [-2, 0, 0, 0, 0, 0, 1, 0], 1.0),
    si("Bq", RATE, 1.0),
    si("Gy", DOSE, 1.0),
    si("Sv", DOSE, 1.0),
    si("kat", [0, 0, -1, 0, 0, 1, 0, 0], 1.0),
    unit("min", TIME, 60.0),
    unit("h", TIME, 3600.0),
    unit("d", TIME, 86400.0),
    unit("wk", TIME, 604_800.0),
    unit("a", TIME, 31_557_600.0),
    unit("yr", TIME, 31_557_600.0),
    unit("deg", NUMBER, TURN / 360.0),
    unit("°", NUMBER, TURN / 360.0),
    unit("rev", NUMBER, TURN),
    unit("rpm", RATE, TURN / 60.0),
    unit("%", NUMBER, 0.01),
    unit("ppm", NUMBER, 1e-6),
    unit("ha", [2, 0, 0, 0, 0, 0, 0, 0], 1e4),
    si("l", [3, 0, 0, 0, 0, 0, 0, 0], 1e-3),
    si("L", [3, 0, 0, 0, 0, 0, 0, 0], 1e-3),
    si("t", MASS, 1e3),
    si("bar", PRESSURE, 1e5),
    unit("atm", PRESSURE, 101_325.0),
    si("eV", ENERGY, 1.602_176_634e-19),
    si("Wh", ENERGY, 3600.0),
    si("Ah", CHARGE, 3600.0),
    unit("u", MASS, 1.660_539_068_92e-27),
    si("cal", ENERGY, 4.184),
    unit("in", LENGTH, 0.0254),
    unit("ft", LENGTH, 0.3048),
    unit("mi", LENGTH, 1609.344),
    unit("lb", MASS, 0.453_592_37),
    unit("lbf", FORCE, 0.453_592_37 * 9.806_65),
    unit("degR", [0, 0, 0, 0, 1, 0, 0, 0], 5.0 / 9.0),
    unit("kn", [1, 0, -1, 0, 0, 0, 0, 0], 1852.0 / 3600.0),
];

/// Temperatures with an offset: name, name of the difference, zero in kelvin.
pub(super) const OFFSETS: [(&str, &str, f64); 3] = [
    ("degC", "K", 273.15),
    ("°C", "K", 273.15),
    ("degF", "degR", 459.67 * 5.0 / 9.0),
];

pub(super) const PREFIXES: [(&str, f64); 26] = [
    ("Q", 1e30),
    ("R", 1e27),
    ("Y", 1e24),
    ("Z", 1e21),
    ("E", 1e18),
    ("P", 1e15),
    ("T", 1e12),
    ("G", 1e9),
    ("M", 1e6),
    ("k", 1e3),
    ("h", 1e2),
    ("da", 1e1),
    ("d", 1e-1),
    ("c", 1e-2),
    ("m", 1e-3),
    ("u", 1e-6),
    ("µ", 1e-6),
    ("μ", 1e-6),
    ("n", 1e-9),
    ("p", 1e-12),
    ("f", 1e-15),
    ("a", 1e-18),
    ("z", 1e-21),
    ("y", 1e-24),
    ("r", 1e-27),
    ("q", 1e-30),
];
