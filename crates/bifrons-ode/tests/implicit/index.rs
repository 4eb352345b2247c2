//! The pendulum in coordinates, with constraints of index 1, 2 and 3, by Radau.

use bifrons_ode::{Initialisation, Mass, Method, Problem, Save, closure, solve};

use super::options;

const G: f64 = 9.81;

/// Index of the constraint, index of each component, last equation.
type Form = (usize, [u8; 5], fn(&[f64]) -> f64);

const FORMS: [Form; 3] = [
    (1, [1, 1, 1, 1, 1], |y| {
        y[2] * y[2] + y[3] * y[3] - y[4] * (y[0] * y[0] + y[1] * y[1]) - G * y[1]
    }),
    (2, [1, 1, 1, 1, 2], |y| y[0] * y[2] + y[1] * y[3]),
    (3, [1, 1, 2, 2, 3], |y| y[0] * y[0] + y[1] * y[1] - 1.0),
];

fn swing(form: Form, relative: f64) -> Vec<f64> {
    let (_, index, constraint) = form;
    let mut problem = closure(5, move |_t, y, f: &mut [f64]| {
        f[0] = y[2];
        f[1] = y[3];
        f[2] = -y[4] * y[0];
        f[3] = -y[4] * y[1] - G;
        f[4] = constraint(y);
    })
    .with_mass(Mass::Diagonal(vec![1.0, 1.0, 1.0, 1.0, 0.0]))
    .with_index(index.to_vec());
    let mut settings = options(Method::Radau, relative, relative);
    settings.initialisation = Initialisation::Unchecked;
    let y0 = [1.0, 0.0, 0.0, 0.0, 0.0];
    let found = solve(&mut problem, 0.0, &y0, 1.0, &Save::Final, &settings).unwrap();
    found.last_state
}

#[test]
fn constraints_of_every_index() {
    // At t = 1, from an integration of the angle with 113 bits.
    let wanted = [
        -0.986_291_751_131_875_3,
        -0.165_010_853_125_541_15,
        -0.296_905_515_916_315_8,
        1.774_643_641_112_655,
        4.856_269_407_484_677,
    ];
    for form in FORMS {
        for relative in [1e-4, 1e-7] {
            let y = swing(form, relative);
            // Velocities and the multiplier lose orders with the index.
            for (i, loss) in [1.0, 1.0, 10.0, 10.0, 1e3].into_iter().enumerate() {
                let error = (y[i] - wanted[i]).abs();
                let loss = if form.0 == 1 { 1.0 } else { loss };
                assert!(
                    error < 100.0 * loss * relative,
                    "index {} {i}: {error:e}",
                    form.0
                );
            }
            if form.0 == 3 {
                let drift = (y[0] * y[0] + y[1] * y[1] - 1.0).abs();
                assert!(drift < 10.0 * relative, "drift {drift:e}");
            }
        }
    }
}
