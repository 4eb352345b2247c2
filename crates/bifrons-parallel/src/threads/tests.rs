//! The environment variable, without touching the environment.

use std::ffi::OsStr;

use super::{Threads, ThreadsError};

#[test]
fn the_variable_holds_a_count_or_is_absent() {
    let count = |value: &str| Threads::from_value(Some(OsStr::new(value))).map(|t| t.count());
    assert_eq!(count(" 3 ").unwrap(), 3, "a number");
    for value in ["", "many", "-1", "2.5", "99999999999999999999999"] {
        let error = count(value).unwrap_err();
        let ThreadsError::Variable { name, value: found } = error else {
            panic!("{error}")
        };
        assert_eq!(
            (name, found.as_str()),
            ("BIFRONS_THREADS", value),
            "names both"
        );
    }
    assert!(
        matches!(count("0"), Err(ThreadsError::Count { count: 0, .. })),
        "zero"
    );
    assert_eq!(
        Threads::from_value(None).unwrap().count(),
        Threads::available().count(),
        "absent"
    );
}
