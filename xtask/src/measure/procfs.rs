//! What `/proc` says about this and other processes, read as text.
//!
//! Every function returns `None` where `/proc` does not exist.

use std::fs;

/// A process as its id and the tick at which it started: an id alone may be given to another
/// process as soon as the first one has been waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watched {
    /// Process id.
    pub pid: u32,
    /// Start time in clock ticks since boot.
    pub start: u64,
}

/// What watching a process found.
///
/// Deliberately closed: callers must decide about each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observation {
    /// It runs; with the largest resident set up to now, in bytes.
    Alive(Option<u64>),
    /// It is gone, or a zombie that only waits to be waited for.
    Ended,
    /// The id belongs to another process now.
    Replaced,
}

impl Watched {
    /// Starts to watch the process that has this id now.
    #[must_use]
    pub fn new(pid: u32) -> Option<Self> {
        Some(Self {
            pid,
            start: stat(pid)?.start,
        })
    }

    /// Looks at the process.
    #[must_use]
    pub fn observe(self) -> Observation {
        let same = |stat: &Stat| stat.start == self.start;
        match stat(self.pid) {
            None => Observation::Ended,
            Some(stat) if !same(&stat) => Observation::Replaced,
            Some(stat) if stat.ended() => Observation::Ended,
            Some(_) => {
                let peak = peak_resident(self.pid);
                // The peak belongs to this process only if it is still there afterwards.
                match stat(self.pid) {
                    Some(stat) if same(&stat) => Observation::Alive(peak),
                    _ => Observation::Ended,
                }
            }
        }
    }
}

/// Fields of `/proc/PID/stat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// One letter; `Z` is a zombie, `X` dead.
    pub state: char,
    /// Process group.
    pub group: u32,
    /// Start time in clock ticks since boot.
    pub start: u64,
}

impl Stat {
    /// Whether the process has ended, waited for or not.
    #[must_use]
    pub fn ended(&self) -> bool {
        matches!(self.state, 'Z' | 'X' | 'x')
    }

    /// Reads the text of `/proc/PID/stat`.
    ///
    /// The second field is the program's name in parentheses, which may hold blanks and
    /// parentheses itself; so fields are counted from the last closing one.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let fields: Vec<&str> = text.rsplit_once(')')?.1.split_ascii_whitespace().collect();
        Some(Self {
            state: fields.first()?.chars().next()?,
            group: fields.get(2)?.parse().ok()?,
            start: fields.get(19)?.parse().ok()?,
        })
    }
}

/// `/proc/PID/stat` of a process.
#[must_use]
pub fn stat(pid: u32) -> Option<Stat> {
    Stat::parse(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// `VmHWM` of a process in bytes.
#[must_use]
pub fn peak_resident(pid: u32) -> Option<u64> {
    kibibytes(
        &fs::read_to_string(format!("/proc/{pid}/status")).ok()?,
        "VmHWM:",
    )
}

/// `VmHWM` of this process in bytes.
#[must_use]
pub fn own_peak() -> Option<u64> {
    peak_resident(std::process::id())
}

/// A field of `/proc/PID/status` or `/proc/meminfo` that is given in kB, in bytes.
#[must_use]
pub fn kibibytes(text: &str, name: &str) -> Option<u64> {
    let value = text.lines().find_map(|line| line.strip_prefix(name))?;
    let value: u64 = value.trim().strip_suffix("kB")?.trim().parse().ok()?;
    value.checked_mul(1024)
}

/// Living members of a process group; zombies do not count.
#[must_use]
pub fn group_members(group: u32) -> Vec<u32> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    let pids = entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let living = |pid: &u32| stat(*pid).is_some_and(|stat| stat.group == group && !stat.ended());
    pids.filter(living).collect()
}

/// The load average over the last minute, in hundredths.
#[must_use]
pub fn load_hundredths() -> Option<u64> {
    parse_load(&fs::read_to_string("/proc/loadavg").ok()?)
}

fn parse_load(text: &str) -> Option<u64> {
    let (whole, fraction) = text.split_ascii_whitespace().next()?.split_once('.')?;
    let hundredths: u64 = fraction.get(..2)?.parse().ok()?;
    whole
        .parse::<u64>()
        .ok()?
        .checked_mul(100)?
        .checked_add(hundredths)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAT: &str = "4242 (a (very) odd name) S 1 4240 4240 0 -1 4194560 98 0 0 0 0 0 0 0 20 \
        0 1 0 123456 2310144 512 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0";

    #[test]
    fn stat_is_counted_from_the_last_parenthesis() {
        let expected = Stat {
            state: 'S',
            group: 4240,
            start: 123_456,
        };
        assert_eq!(Stat::parse(STAT), Some(expected), "name with parentheses");
        assert_eq!(Stat::parse(""), None, "nothing");
        assert_eq!(Stat::parse("1 (x) Z 0 1"), None, "cut off");
        let zombie = STAT.replace(") S ", ") Z ");
        assert!(
            Stat::parse(&zombie).is_some_and(|stat| stat.ended()),
            "a zombie has ended"
        );
    }

    #[test]
    fn fields_and_load_are_read() {
        assert_eq!(
            kibibytes("VmHWM:\t  12 kB\n", "VmHWM:"),
            Some(12 * 1024),
            "VmHWM"
        );
        assert_eq!(
            kibibytes("VmHWM:\t  12\n", "VmHWM:"),
            None,
            "without a unit"
        );
        assert_eq!(parse_load("0.25 1.00 2.00 1/99 1234\n"), Some(25), "load");
        assert_eq!(parse_load("12.07 1.00"), Some(1207), "load");
        assert_eq!(parse_load("idle"), None, "no number");
    }

    #[test]
    fn recycled_id_is_not_taken_for_the_same_process() {
        let Some(own) = Watched::new(std::process::id()) else {
            return;
        };
        assert!(
            matches!(own.observe(), Observation::Alive(Some(peak)) if peak > 0),
            "{own:?}"
        );
        let other = Watched {
            start: own.start + 1,
            ..own
        };
        assert_eq!(
            other.observe(),
            Observation::Replaced,
            "same id, other start"
        );
        let gone = Watched {
            pid: u32::MAX,
            start: 1,
        };
        assert_eq!(gone.observe(), Observation::Ended, "no such process");
    }
}
