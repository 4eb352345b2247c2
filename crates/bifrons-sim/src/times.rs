//! Grids of recording times.

/// `count` equally spaced times from `start` to `end`, both ends exact.
///
/// ```text
/// t_k = start + (end - start) k / (count - 1)
/// ```
///
/// One time is `start`; zero times are an empty grid. Time is never accumulated, so the grid
/// does not drift however long it is.
#[must_use]
pub fn uniform_times(start: f64, end: f64, count: usize) -> Vec<f64> {
    let last = count.saturating_sub(1);
    (0..count)
        .map(|k| {
            if k == last && last > 0 {
                end
            } else if k == 0 {
                start
            } else {
                start + (end - start) * (k as f64 / last as f64)
            }
        })
        .collect()
}

/// The end of the run of indices from `next` on whose times are not beyond `t`.
pub(crate) fn due(times: &[f64], next: usize, t: f64, direction: f64) -> usize {
    let mut end = next;
    while let Some(&time) = times.get(end)
        && (t - time) * direction >= 0.0
    {
        end += 1;
    }
    end
}
