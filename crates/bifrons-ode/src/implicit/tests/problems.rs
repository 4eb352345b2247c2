//! The stiff reference problems.

use super::case::{Case, reference};
use crate::problem::{Mass, Pattern, Structure};

macro_rules! data {
    ($name:literal) => {
        include_str!(concat!("../../../tests/data/", $name, ".json"))
    };
}

/// Every problem of this module.
pub(super) const ALL: [fn() -> Case; 11] = [
    vdp,
    robertson,
    hires,
    orego,
    pollu,
    e5,
    robertson_dae,
    akzo,
    transistor,
    brusselator,
    heat,
];

fn plain(name: &'static str, rhs: super::case::Rhs, y0: &[f64]) -> Case {
    Case {
        name,
        rhs,
        jacobian: None,
        structure: Structure::Dense,
        mass: Mass::Identity,
        index: Vec::new(),
        y0: y0.to_vec(),
        scale: 1.0,
        t_end: 1.0,
        wanted: Vec::new(),
    }
}

pub(super) fn robertson() -> Case {
    Case {
        scale: 1e-8,
        t_end: 4e5,
        wanted: reference(data!("robertson_ode"), 4e5),
        ..plain(
            "robertson",
            |_, y, dy| {
                dy[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
                dy[2] = 3e7 * y[1] * y[1];
                dy[1] = -dy[0] - dy[2];
            },
            &[1.0, 0.0, 0.0],
        )
    }
}

pub(super) fn robertson_dae() -> Case {
    Case {
        scale: 1e-8,
        t_end: 4e5,
        mass: Mass::Diagonal(vec![1.0, 1.0, 0.0]),
        wanted: reference(data!("robertson_dae"), 4e5),
        ..plain(
            "robertson_dae",
            |_, y, dy| {
                dy[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
                dy[1] = -dy[0] - 3e7 * y[1] * y[1];
                dy[2] = y[0] + y[1] + y[2] - 1.0;
            },
            &[1.0, 0.0, 0.0],
        )
    }
}

pub(super) fn vdp() -> Case {
    Case {
        scale: 1e-3,
        t_end: 2000.0,
        wanted: reference(data!("vdp1000"), 2000.0),
        ..plain(
            "vdp1000",
            |_, y, dy| {
                dy[0] = y[1];
                dy[1] = 1000.0 * (1.0 - y[0] * y[0]) * y[1] - y[0];
            },
            &[2.0, 0.0],
        )
    }
}

pub(super) fn hires() -> Case {
    Case {
        scale: 1e-4,
        t_end: 321.8122,
        wanted: reference(data!("hires"), 321.8122),
        ..plain(
            "hires",
            |_, y, dy| {
                let r = 280.0 * y[5] * y[7];
                dy[0] = -1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007;
                dy[1] = 1.71 * y[0] - 8.75 * y[1];
                dy[2] = -10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4];
                dy[3] = 8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3];
                dy[4] = -1.745 * y[4] + 0.43 * y[5] + 0.43 * y[6];
                dy[5] = -r + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6];
                dy[6] = r - 1.81 * y[6];
                dy[7] = -dy[6];
            },
            &[1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0057],
        )
    }
}

pub(super) fn orego() -> Case {
    Case {
        t_end: 360.0,
        wanted: reference(data!("orego"), 360.0),
        ..plain(
            "orego",
            |_, y, dy| {
                dy[0] = 77.27 * (y[1] + y[0] * (1.0 - 8.375e-6 * y[0] - y[1]));
                dy[1] = (y[2] - (1.0 + y[0]) * y[1]) / 77.27;
                dy[2] = 0.161 * (y[0] - y[2]);
            },
            &[1.0, 2.0, 3.0],
        )
    }
}

pub(super) fn pollu() -> Case {
    let mut y0 = vec![0.0; 20];
    for (i, v) in [
        (1, 0.2),
        (3, 0.04),
        (6, 0.1),
        (7, 0.3),
        (8, 0.01),
        (16, 0.007),
    ] {
        y0[i] = v;
    }
    Case {
        scale: 1e-6,
        t_end: 60.0,
        wanted: reference(data!("pollu"), 60.0),
        ..plain("pollu", pollu_rhs, &y0)
    }
}

pub(super) fn akzo() -> Case {
    Case {
        scale: 1e-4,
        t_end: 180.0,
        mass: Mass::Diagonal(vec![1.0, 1.0, 1.0, 1.0, 1.0, 0.0]),
        wanted: reference(data!("akzo_nobel"), 180.0),
        ..plain(
            "akzo_nobel",
            |_, y, dy| {
                let root = y[1].abs().sqrt();
                let r1 = 18.7 * y[0].powi(4) * root;
                let r2 = 0.58 * y[2] * y[3];
                let r3 = 0.58 / 34.4 * y[0] * y[4];
                let r4 = 0.09 * y[0] * y[3] * y[3];
                let r5 = 0.42 * y[5] * y[5] * root;
                let inflow = 3.3 * (0.9 / 737.0 - y[1]);
                dy[0] = -2.0 * r1 + r2 - r3 - r4;
                dy[1] = -0.5 * r1 - r4 - 0.5 * r5 + inflow;
                dy[2] = r1 - r2 + r3;
                dy[3] = -r2 + r3 - 2.0 * r4;
                dy[4] = r2 - r3 + r5;
                dy[5] = 115.83 * y[0] * y[3] - y[5];
            },
            &[0.444, 0.00123, 0.0, 0.007, 0.0, 0.359_999_64],
        )
    }
}

pub(super) fn transistor() -> Case {
    let mut places = Vec::new();
    let mut values = vec![0.0; 64];
    let mut add = |i: usize, j: usize, v: f64| {
        places.push((i, j));
        values[j * 8 + i] = v;
    };
    for (k, c) in [(0, 1e-6), (3, 3e-6), (6, 5e-6)] {
        for (i, j, sign) in [(0, 0, -1.0), (0, 1, 1.0), (1, 0, 1.0), (1, 1, -1.0)] {
            add(k + i, k + j, sign * c);
        }
    }
    add(2, 2, -2e-6);
    add(5, 5, -4e-6);
    Case {
        scale: 0.1,
        t_end: 0.2,
        mass: Mass::Matrix(Structure::Dense, values),
        wanted: reference(data!("transistor_amplifier"), 0.2),
        ..plain(
            "transistor",
            |t, y, f| {
                let g = |x: f64| 1e-6 * ((x / 0.026).exp() - 1.0);
                let ue = 0.1 * (200.0 * core::f64::consts::PI * t).sin();
                let (r, ub) = (9000.0, 6.0);
                f[0] = (y[0] - ue) / 1000.0;
                f[1] = -ub / r + 2.0 * y[1] / r + 0.01 * g(y[1] - y[2]);
                f[2] = -g(y[1] - y[2]) + y[2] / r;
                f[3] = -ub / r + y[3] / r + 0.99 * g(y[1] - y[2]);
                f[4] = -ub / r + 2.0 * y[4] / r + 0.01 * g(y[4] - y[5]);
                f[5] = -g(y[4] - y[5]) + y[5] / r;
                f[6] = -ub / r + y[6] / r + 0.99 * g(y[4] - y[5]);
                f[7] = y[7] / r;
            },
            &[0.0, 3.0, 3.0, 6.0, 3.0, 3.0, 6.0, 0.0],
        )
    }
}

pub(super) fn e5() -> Case {
    Case {
        scale: 1e-20,
        t_end: 1e5,
        wanted: reference(data!("e5"), 1e5),
        ..plain(
            "e5",
            |_, y, dy| {
                let (p1, p2) = (7.89e-10 * y[0], 1.1e7 * y[0] * y[2]);
                let (p3, p4) = (1.13e9 * y[1] * y[2], 1.13e3 * y[3]);
                dy[0] = -p1 - p2;
                dy[1] = p1 - p3;
                dy[3] = p2 - p4;
                dy[2] = dy[1] - dy[3];
            },
            &[1.76e-3, 0.0, 0.0, 0.0],
        )
    }
}

pub(super) fn brusselator() -> Case {
    let n = 50;
    let mut y0 = vec![3.0; 2 * n];
    for i in 0..n {
        let x = (i + 1) as f64 / (n + 1) as f64;
        y0[2 * i] = 1.0 + (2.0 * core::f64::consts::PI * x).sin();
    }
    Case {
        structure: Structure::Banded { lower: 2, upper: 2 },
        t_end: 10.0,
        wanted: reference(data!("brusselator1d_50"), 10.0),
        ..plain(
            "brusselator_50",
            |_, y, dy| {
                let n = y.len() / 2;
                let c = 0.02 * ((n + 1) * (n + 1)) as f64;
                for i in 0..n {
                    let (u, v) = (y[2 * i], y[2 * i + 1]);
                    let (ul, vl) = if i > 0 {
                        (y[2 * i - 2], y[2 * i - 1])
                    } else {
                        (1.0, 3.0)
                    };
                    let last = i + 1 == n;
                    let (ur, vr) = if last {
                        (1.0, 3.0)
                    } else {
                        (y[2 * i + 2], y[2 * i + 3])
                    };
                    dy[2 * i] = 1.0 + u * u * v - 4.0 * u + c * (ul - 2.0 * u + ur);
                    dy[2 * i + 1] = 3.0 * u - u * u * v + c * (vl - 2.0 * v + vr);
                }
            },
            &y0,
        )
    }
}

/// Heat equation on 32 × 32 points, a pattern of five diagonals.
pub(super) fn heat() -> Case {
    let m = 32;
    let pi = core::f64::consts::PI;
    let sine = |k: f64, i: usize| (k * pi * (i + 1) as f64 / (m + 1) as f64).sin();
    let lambda = |k: f64| {
        let m1 = (m + 1) as f64;
        4.0 * m1 * m1 * (k * pi / (2.0 * m1)).sin().powi(2)
    };
    let (mut y0, mut wanted, mut entries) = (Vec::new(), Vec::new(), Vec::new());
    for j in 0..m {
        for i in 0..m {
            let (a, b) = (
                sine(1.0, i) * sine(1.0, j),
                0.5 * sine(3.0, i) * sine(2.0, j),
            );
            y0.push(a + b);
            let rates = (2.0 * lambda(1.0), lambda(3.0) + lambda(2.0));
            wanted.push((-rates.0 * 0.1).exp() * a + (-rates.1 * 0.1).exp() * b);
            let k = j * m + i;
            entries.push((k, k));
            if i > 0 {
                entries.extend([(k, k - 1), (k - 1, k)]);
            }
            if j > 0 {
                entries.extend([(k, k - m), (k - m, k)]);
            }
        }
    }
    Case {
        structure: Structure::Sparse(Pattern::from_entries(m * m, &entries).unwrap()),
        scale: 1e-3,
        t_end: 0.1,
        wanted,
        ..plain(
            "heat2d_32",
            |_, y, dy| {
                let m = 32;
                let c = (m as f64 + 1.0).powi(2);
                for j in 0..m {
                    for i in 0..m {
                        let k = j * m + i;
                        let left = if i > 0 { y[k - 1] } else { 0.0 };
                        let right = if i + 1 < m { y[k + 1] } else { 0.0 };
                        let below = if j > 0 { y[k - m] } else { 0.0 };
                        let above = if j + 1 < m { y[k + m] } else { 0.0 };
                        dy[k] = c * (left + right + below + above - 4.0 * y[k]);
                    }
                }
            },
            &y0,
        )
    }
}

fn pollu_rhs(_t: f64, y: &[f64], dy: &mut [f64]) {
    let r = [
        0.35 * y[0],
        26.6 * y[1] * y[3],
        12300.0 * y[4] * y[1],
        0.00086 * y[6],
        0.00082 * y[6],
        15000.0 * y[6] * y[5],
        0.00013 * y[8],
        24000.0 * y[8] * y[5],
        16500.0 * y[10] * y[1],
        9000.0 * y[10] * y[0],
        0.022 * y[12],
        12000.0 * y[9] * y[1],
        1.88 * y[13],
        16300.0 * y[0] * y[5],
        4800000.0 * y[2],
        0.00035 * y[3],
        0.0175 * y[3],
        100000000.0 * y[15],
        444000000000.0 * y[15],
        1240.0 * y[16] * y[5],
        2.1 * y[18],
        5.78 * y[18],
        0.0474 * y[0] * y[3],
        1780.0 * y[18] * y[0],
        3.12 * y[19],
    ];
    dy[0] =
        -r[0] - r[9] - r[13] - r[22] - r[23] + r[1] + r[2] + r[8] + r[10] + r[11] + r[21] + r[24];
    dy[1] = -r[1] - r[2] - r[8] - r[11] + r[0] + r[20];
    dy[2] = -r[14] + r[0] + r[16] + r[18] + r[21];
    dy[3] = -r[1] - r[15] - r[16] - r[22] + r[14];
    dy[4] = -r[2] + 2.0 * r[3] + r[5] + r[6] + r[12] + r[19];
    dy[5] = -r[5] - r[7] - r[13] - r[19] + r[2] + 2.0 * r[17];
    dy[6] = -r[3] - r[4] - r[5] + r[12];
    dy[7] = r[3] + r[4] + r[5] + r[6];
    dy[8] = -r[6] - r[7];
    dy[9] = -r[11] + r[6] + r[8];
    dy[10] = -r[8] - r[9] + r[7] + r[10];
    dy[11] = r[8];
    dy[12] = -r[10] + r[9];
    dy[13] = -r[12] + r[11];
    dy[14] = r[13];
    dy[15] = -r[17] - r[18] + r[15];
    dy[16] = -r[19];
    dy[17] = r[19];
    dy[18] = -r[20] - r[21] - r[23] + r[22] + r[24];
    dy[19] = -r[24] + r[23];
}
