//! The instruction set that a lane loop is compiled for.

/// Work that [`Level::dispatch`] compiles once per instruction set.
///
/// Mark `run` (and the functions that it calls in its loops) `#[inline(always)]`: only inlined
/// code is compiled with the features of the level; a call that is not inlined still gives the
/// same bits, only slower.
pub trait Kernel {
    /// What the kernel returns.
    type Output;

    /// Does the work.
    fn run(self) -> Self::Output;
}

/// Instruction set of a lane loop. Results are bit-identical at every level.
///
/// Deliberately closed: a new level is a new major version, because callers may enumerate them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// What the compiler assumes for the target: SSE2 on x86-64, NEON on `aarch64`.
    Baseline,
    /// x86-64-v3: AVX2, FMA (never used by contraction), BMI.
    V3,
    /// x86-64-v4: AVX-512 F, BW, CD, DQ, VL.
    V4,
}

impl Level {
    /// The widest level that this machine runs.
    ///
    /// Cost: one relaxed atomic load after the first call.
    #[inline]
    #[must_use]
    pub fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            if pulp::x86::V4::is_available() {
                return Self::V4;
            }
            if pulp::x86::V3::is_available() {
                return Self::V3;
            }
        }
        Self::Baseline
    }

    /// Every level that this machine runs, narrowest first.
    #[must_use]
    pub fn available() -> Vec<Self> {
        let widest = Self::detect();
        [Self::Baseline, Self::V3, Self::V4]
            .into_iter()
            .filter(|level| *level <= widest)
            .collect()
    }

    /// Short name for reports: `baseline`, `v3` or `v4`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Baseline => "baseline",
            Self::V3 => "v3",
            Self::V4 => "v4",
        }
    }

    /// Runs the kernel compiled for this level.
    ///
    /// A level that the machine does not run falls back to the widest one below it, so the call
    /// is always safe. Cost of the dispatch itself: one predicted branch and one call.
    #[inline(always)]
    pub fn dispatch<K: Kernel>(self, kernel: K) -> K::Output {
        #[cfg(target_arch = "x86_64")]
        {
            if self == Self::V4
                && let Some(simd) = pulp::x86::V4::try_new()
            {
                return simd.vectorize(Call(kernel));
            }
            if self >= Self::V3
                && let Some(simd) = pulp::x86::V3::try_new()
            {
                return simd.vectorize(Call(kernel));
            }
        }
        kernel.run()
    }
}

#[cfg(target_arch = "x86_64")]
struct Call<K>(K);

#[cfg(target_arch = "x86_64")]
impl<K: Kernel> pulp::NullaryFnOnce for Call<K> {
    type Output = K::Output;

    #[inline(always)]
    fn call(self) -> K::Output {
        self.0.run()
    }
}
