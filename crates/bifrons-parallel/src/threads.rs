//! The handle of a pool of threads.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;

use bifrons_memory::Footprint;
use rayon::{Scope, ThreadPool, ThreadPoolBuilder};

/// Stack of each thread of a pool in bytes of address space: as large as a main thread usually
/// has. Pages of it count only once they are touched.
pub const STACK_BYTES: usize = 8 << 20;

/// Bytes that [`Threads::footprint`] assumes for each thread of a pool: touched pages of its
/// stack, its thread-local data and its queue.
///
/// Measured: 35 KiB of resident memory per thread after small reductions (64 threads, Linux 6.18
/// with glibc, unoptimised). Work that puts large arrays on the stack or recurses deeply takes
/// more, and says so in its own footprint.
pub const TOUCHED_BYTES: u64 = 64 << 10;

/// Name of the environment variable that [`Threads::from_env`] reads.
pub const THREADS_VARIABLE: &str = "BIFRONS_THREADS";

/// More threads than any machine has use for; catches a count that was meant to be something
/// else before the system runs out of threads.
const MOST: usize = 4_096;

/// How many threads work, and the pool that they live in.
///
/// Cheap to clone; all clones share the pool, which ends with the last of them. One thread needs
/// no pool: work runs on the caller's thread. Results never depend on the count.
///
/// ```
/// use bifrons_parallel::Threads;
///
/// assert_eq!(Threads::one().count(), 1);
/// assert_eq!(Threads::new(3)?.count(), 3);
/// assert!(Threads::new(0).is_err());
/// # Ok::<(), bifrons_parallel::ThreadsError>(())
/// ```
#[derive(Clone, Default)]
pub struct Threads {
    /// `None` for one thread.
    pool: Option<Arc<ThreadPool>>,
}

/// Why there are no threads.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ThreadsError {
    /// A count outside the allowed range.
    #[error("number of threads must be at least 1 and at most {most}, got {count}")]
    Count {
        /// The count.
        count: usize,
        /// The largest count that is allowed.
        most: usize,
    },
    /// The environment variable is not a number.
    #[error("environment variable {name} must hold a number of threads, got `{value}`")]
    Variable {
        /// Name of the variable.
        name: &'static str,
        /// Its value; parts that are no Unicode are replaced.
        value: String,
    },
    /// The system refused to start the threads.
    #[error("system cannot start {count} threads; ask for fewer")]
    Start {
        /// The count.
        count: usize,
        /// What the system said.
        source: std::io::Error,
    },
}

impl Threads {
    /// One thread: the caller's own.
    #[must_use]
    pub const fn one() -> Self {
        Self { pool: None }
    }

    /// A pool of `count` threads of its own, or the caller's thread for one.
    ///
    /// # Errors
    /// [`ThreadsError::Count`] for zero or more than 4096, [`ThreadsError::Start`] if the system
    /// refuses.
    pub fn new(count: usize) -> Result<Self, ThreadsError> {
        match count {
            0 => Err(ThreadsError::Count { count, most: MOST }),
            1 => Ok(Self::one()),
            2..=MOST => Self::start(count),
            _ => Err(ThreadsError::Count { count, most: MOST }),
        }
    }

    /// As many threads as the system lets this process use at the same time (processors, affinity
    /// and control groups are respected); one if the system does not tell or cannot start them.
    #[must_use]
    pub fn available() -> Self {
        let count = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Self::new(count.min(MOST)).unwrap_or_default()
    }

    /// The count in the environment variable `BIFRONS_THREADS`, or [`Threads::available`] if it is
    /// not set.
    ///
    /// The only place where this project reads the environment.
    ///
    /// # Errors
    /// [`ThreadsError::Variable`] if it holds no number, and the errors of [`Threads::new`].
    pub fn from_env() -> Result<Self, ThreadsError> {
        Self::from_value(std::env::var_os(THREADS_VARIABLE).as_deref())
    }

    fn from_value(value: Option<&std::ffi::OsStr>) -> Result<Self, ThreadsError> {
        let Some(value) = value else {
            return Ok(Self::available());
        };
        let value = value.to_string_lossy();
        match value.trim().parse() {
            Ok(count) => Self::new(count),
            Err(_) => Err(ThreadsError::Variable {
                name: THREADS_VARIABLE,
                value: value.into_owned(),
            }),
        }
    }

    fn start(count: usize) -> Result<Self, ThreadsError> {
        ThreadPoolBuilder::new()
            .num_threads(count)
            .stack_size(STACK_BYTES)
            .thread_name(|index| format!("bifrons-{index}"))
            .build()
            .map(|pool| Self {
                pool: Some(Arc::new(pool)),
            })
            .map_err(|error| ThreadsError::Start {
                count,
                source: std::io::Error::other(error.to_string()),
            })
    }

    /// Number of threads, at least 1.
    #[must_use]
    pub fn count(&self) -> usize {
        self.pool
            .as_ref()
            .map_or(1, |pool| pool.current_num_threads())
    }

    /// What the pool itself holds while it lives: [`TOUCHED_BYTES`] per thread, nothing for one
    /// thread. An estimate, since stacks are touched by what runs on them.
    #[must_use]
    pub fn footprint(&self) -> Footprint {
        match &self.pool {
            None => Footprint::ZERO,
            Some(pool) => {
                Footprint::persistent(TOUCHED_BYTES).times(pool.current_num_threads() as u64)
            }
        }
    }

    /// Runs `work` in the pool, with a scope in which it can start more; `None` for one thread.
    pub(crate) fn scope<'scope, R: Send>(
        &self,
        work: impl FnOnce(&Scope<'scope>) -> R + Send,
    ) -> Option<R> {
        self.pool.as_ref().map(|pool| pool.scope(work))
    }

    /// Whether work runs on the caller's thread.
    pub(crate) fn is_one(&self) -> bool {
        self.pool.is_none()
    }
}

impl fmt::Debug for Threads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Threads")
            .field("count", &self.count())
            .finish()
    }
}

#[cfg(test)]
mod tests;
