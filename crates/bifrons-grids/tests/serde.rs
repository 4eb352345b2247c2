//! Serialised axes and policies (feature `serde`).

use bifrons_grids::{
    Axis, Breakpoint, Categorical, Extrapolation, Irregular, Linear, Logarithmic, PiecewiseLinear,
    PiecewiseLogarithmic,
};

#[test]
fn axes_come_back_as_they_were() {
    let points = [Breakpoint::left(2.0), Breakpoint::right(4.0)];
    let axes: Vec<Axis> = vec![
        Linear::new(0.0, 0.5, 4).unwrap().into(),
        Linear::new(2.0, 3.0, 1).unwrap().into(),
        Logarithmic::new(1.0, 64.0, 7).unwrap().into(),
        Irregular::new([0.0, 0.25, 4.0]).unwrap().into(),
        PiecewiseLinear::new([1.0, 8.0], &points, &[2, 3, 4])
            .unwrap()
            .into(),
        PiecewiseLogarithmic::new([1.0, 8.0], &points, &[4, 3, 2])
            .unwrap()
            .into(),
        Categorical::ordered(["bad", "good"]).unwrap().into(),
        Categorical::unordered(["a", "b"]).unwrap().into(),
    ];
    let text = serde_json::to_string(&axes).unwrap();
    let again: Vec<Axis> = serde_json::from_str(&text).unwrap();
    assert_eq!(again, axes, "{text}");
}

#[test]
fn the_schema_is_stable() {
    let points = [Breakpoint::left(2.0)];
    let axis: Axis = PiecewiseLinear::new([1.0, 8.0], &points, &[2, 3])
        .unwrap()
        .into();
    let text = serde_json::to_string(&axis).unwrap();
    let expected = r#"{"kind":"piecewise-linear","domain":[1.0,8.0],"breakpoints":[{"at":2.0,"owner":"left"}],"counts":[2,3]}"#;
    assert_eq!(text, expected, "piecewise");
    let text = serde_json::to_string(&Extrapolation::Clamp).unwrap();
    assert_eq!(text, r#""clamp""#, "policy");
}

#[test]
fn what_is_no_axis_is_refused() {
    let read = |text: &str| serde_json::from_str::<Axis>(text).unwrap_err().to_string();
    let error = read(r#"{"kind":"irregular","nodes":[0.0,2.0,1.0]}"#);
    assert!(error.contains("nodes must increase"), "{error}");
    let error = read(r#"{"kind":"linear","start":0.0,"stop":1.0,"count":3,"step":1.0}"#);
    assert!(error.contains("unknown field `step`"), "{error}");
}
