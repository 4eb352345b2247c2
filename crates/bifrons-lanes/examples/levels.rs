//! The same loop at every instruction set of this machine: the same bits.
#![expect(clippy::print_stdout, reason = "an example prints what it found")]

use bifrons_lanes::{Kernel, LANES, Level, math};

struct SquareRoots<'a>(&'a mut [f64; LANES]);

impl Kernel for SquareRoots<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for x in self.0 {
            *x = math::exp2_fast(0.5 * math::log2_fast(*x));
        }
    }
}

fn main() {
    for level in Level::available() {
        let mut x = core::array::from_fn(|lane| (lane + 1) as f64);
        level.dispatch(SquareRoots(&mut x));
        println!("{:8} {:.6?} {:016x}", level.name(), &x[..4], x[1].to_bits());
    }
}
