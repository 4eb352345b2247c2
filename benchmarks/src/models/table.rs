//! Reference numbers of models, kept as text beside them.

use anyhow::Context as _;

/// The rows of a table that begin with `key`, which ends with a comma or is empty; the first line
/// names the columns.
pub(super) fn rows<const N: usize>(text: &str, key: &str) -> anyhow::Result<Vec<[f64; N]>> {
    let mut all = Vec::new();
    for line in text.lines().skip(1) {
        let Some(numbers) = line.strip_prefix(key) else {
            continue;
        };
        let mut row = [0.0; N];
        let mut fields = numbers.split(',');
        for slot in &mut row {
            let field = fields.next().context("a column is missing")?;
            *slot = field.parse().with_context(|| line.to_owned())?;
        }
        all.push(row);
    }
    anyhow::ensure!(!all.is_empty(), "no row begins with `{key}`");
    Ok(all)
}
