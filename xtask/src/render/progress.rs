//! A progress line on standard error.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The progress of a long command: `[ 7/42] dae/rc-ladder?n=200 sample 3/7`.
///
/// Nothing is drawn without a terminal, below continuous integration (`CI` is set), or when the
/// user wants quiet.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A progress of `length` steps.
    #[must_use]
    pub fn new(length: usize, quiet: bool) -> Self {
        let hidden = quiet || std::env::var_os("CI").is_some();
        // Standard error draws nothing when it is no terminal.
        let target = if hidden {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr()
        };
        let bar = ProgressBar::with_draw_target(Some(length as u64), target);
        // The template is a constant; should it ever be wrong, the default one is good enough.
        if let Ok(style) = ProgressStyle::with_template("[{pos:>3}/{len}] {msg}") {
            bar.set_style(style);
        }
        Self { bar }
    }

    /// Begins the next step.
    pub fn step(&self, message: impl Into<String>) {
        self.bar.set_message(message.into());
        self.bar.inc(1);
    }

    /// Takes the line away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
