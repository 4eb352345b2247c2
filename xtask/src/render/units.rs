//! Numbers for people: three digits and a unit.

use crate::baseline::compare::Delta;

/// A value in its unit: `12.4 MiB`, `3.2 ms`, `1234`.
#[must_use]
pub fn human(value: u64, unit: &str) -> String {
    match unit {
        "byte" => bytes(value),
        "nanosecond" => time(value),
        _ => value.to_string(),
    }
}

/// Bytes with a binary prefix.
#[must_use]
pub fn bytes(value: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    scaled(value, 1024, &UNITS)
}

/// Nanoseconds as ns, us, ms or s.
#[must_use]
pub fn time(value: u64) -> String {
    scaled(value, 1000, &["ns", "us", "ms", "s"])
}

fn scaled(value: u64, base: u64, units: &[&str]) -> String {
    let mut divisor = 1;
    let mut unit = 0;
    while unit + 1 < units.len() && value / divisor >= base {
        divisor *= base;
        unit += 1;
    }
    let name = units[unit];
    // One digit after the point below 100, none above; rounded to nearest.
    let tenths = (u128::from(value) * 10 + u128::from(divisor / 2)) / u128::from(divisor);
    if divisor == 1 {
        format!("{value} {name}")
    } else if tenths < 1000 {
        format!("{}.{} {name}", tenths / 10, tenths % 10)
    } else {
        format!("{} {name}", (tenths + 5) / 10)
    }
}

/// A change: `+3.1 %`, `x1.08`, `from zero`.
#[must_use]
pub fn delta(delta: Delta) -> String {
    match delta {
        // Minus zero would be printed with its sign.
        Delta::Percent(percent) if percent.abs() < 0.05 => "0.0 %".to_owned(),
        Delta::Percent(percent) => format!("{percent:+.1} %"),
        Delta::Permille(permille) => {
            let hundredths = (permille + 5) / 10;
            format!("x{}.{:02}", hundredths / 100, hundredths % 100)
        }
        Delta::FromZero => "from zero".to_owned(),
        Delta::None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_and_a_unit() {
        for (value, expected) in [
            (0, "0 B"),
            (1023, "1023 B"),
            (1024, "1.0 KiB"),
            (812_344, "793 KiB"),
            (4_308_992, "4.1 MiB"),
            (13_002_342, "12.4 MiB"),
            (u64::MAX, "16777216 TiB"),
        ] {
            assert_eq!(bytes(value), expected, "{value}");
        }
        for (value, expected) in [
            (999, "999 ns"),
            (1_500, "1.5 us"),
            (12_345_678, "12.3 ms"),
            (8_000_000_000, "8.0 s"),
        ] {
            assert_eq!(time(value), expected, "{value}");
        }
        assert_eq!(human(1234, "count"), "1234", "counts are exact");
    }

    #[test]
    fn changes_have_a_sign() {
        assert_eq!(delta(Delta::Percent(3.07)), "+3.1 %", "up");
        assert_eq!(delta(Delta::Percent(-12.9)), "-12.9 %", "down");
        assert_eq!(delta(Delta::Percent(-0.01)), "0.0 %", "no minus zero");
        assert_eq!(delta(Delta::Permille(1084)), "x1.08", "ratio");
        assert_eq!(delta(Delta::FromZero), "from zero", "no percentage");
    }
}
