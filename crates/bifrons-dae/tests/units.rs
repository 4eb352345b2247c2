//! Units of equations, signals and values.
#![allow(clippy::expect_used, clippy::panic, reason = "tests panic")]

mod support;

use bifrons_dae::library::electrical::{Capacitor, Ground, Resistor, SignalVoltage, VoltageSource};
use bifrons_dae::library::thermal::{HeatCapacitor, TemperatureSensor};
use bifrons_dae::{
    ComponentError, ComponentSpec, Domain, FlatModel, FlattenError, NetworkBuilder, Range, der,
};
use bifrons_expr::Expr;
use support::Result;

fn s(name: &str) -> Expr {
    Expr::symbol(name)
}

/// A resistor whose `r` is said to be in this unit.
fn resistor(unit: &'static str) -> std::result::Result<ComponentSpec, ComponentError> {
    ComponentSpec::builder("MyResistor")
        .pin("p", Domain::Electrical)
        .pin("n", Domain::Electrical)
        .parameter("r", 1.0, Range::POSITIVE)
        .unit("r", unit)
        .equation(s("p.v") - s("n.v"), s("r") * s("p.i"))
        .equation(s("p.i") + s("n.i"), 0.0)
        .build()
}

#[test]
fn equations_in_fitting_units_pass_and_others_are_named() {
    let spec = resistor("Ohm").expect("ohms fit");
    assert_eq!(spec.unit("r"), Some("Ohm"));
    assert_eq!(spec.unit("p.i"), Some("A"), "connectors have SI units");
    let error = resistor("F").expect_err("farads do not");
    let ComponentError::Unit {
        kind,
        place,
        source,
    } = &error
    else {
        panic!("{error}");
    };
    assert_eq!(kind, "MyResistor");
    assert_eq!(place, "p.v - n.v = r * p.i");
    let text = source.to_string();
    assert!(text.contains('V'), "{text}");
    let error = resistor("kOhm").expect_err("a scale counts");
    assert!(matches!(error, ComponentError::Unit { .. }), "{error}");
    let error = resistor("Ohmm").expect_err("no such unit");
    assert!(
        matches!(&error, ComponentError::UnitName { name, .. } if name == "r"),
        "{error}"
    );
}

fn rc(value: f64, unit: &str) -> Result<std::result::Result<f64, FlattenError>> {
    let mut net = NetworkBuilder::new("rc");
    let source = net.add("source", VoltageSource::new(1.0))?;
    let r = net.add("r", Resistor::new(1.0))?;
    let c = net.add("c", Capacitor::new(1.0).voltage(0.0))?;
    let ground = net.add("ground", Ground::new())?;
    net.connect(source.pin("p"), r.pin("p"))?;
    net.connect(r.pin("n"), c.pin("p"))?;
    net.join([c.pin("n"), source.pin("n"), ground.pin("p")])?;
    net.set_in("r.r", value, unit);
    Ok(net.build().flatten().map(|flat| {
        let mut parameters = flat.parameters().iter();
        let found = parameters.find(|p| p.symbol.name() == "r.r");
        found.map_or(f64::NAN, |p| p.default)
    }))
}

#[test]
fn values_are_converted_or_refused() -> Result<()> {
    let ohms = rc(4.7, "kOhm")??;
    assert!((ohms - 4700.0).abs() < 1e-9, "{ohms}");
    let error = rc(1.0, "V")?.expect_err("volts are no ohms");
    assert!(
        matches!(
            &error,
            FlattenError::Unit { parameter, given, expected }
                if parameter == "r.r" && given == "V" && expected == "Ohm"
        ),
        "{error}"
    );
    let error = rc(1.0, "Ohmm")?.expect_err("no such unit");
    assert!(matches!(error, FlattenError::UnitName { .. }), "{error}");
    let error = rc(-1.0, "kOhm")?.expect_err("a range counts after the conversion");
    assert!(
        matches!(&error, FlattenError::Parameter { value, .. } if *value < -999.0),
        "{error}"
    );
    Ok(())
}

#[test]
fn signals_of_other_units_are_refused() -> Result<()> {
    let mut net = NetworkBuilder::new("mixed");
    let body = net.add("body", HeatCapacitor::new(1.0).temperature(300.0))?;
    let sensor = net.add("sensor", TemperatureSensor::new())?;
    let source = net.add("source", SignalVoltage::new())?;
    let ground = net.add("ground", Ground::new())?;
    net.connect(body.pin("a"), sensor.pin("a"))?;
    net.connect(source.pin("n"), ground.pin("p"))?;
    net.connect_signal(sensor.signal("t"), source.signal("u"))?;
    let error = net.build().flatten().expect_err("kelvin are no volts");
    assert!(
        matches!(
            &error,
            FlattenError::SignalUnits { signal, input, units }
                if signal == "sensor.t" && input == "source.u" && units == &["K", "V"]
        ),
        "{error}"
    );
    Ok(())
}

/// `energy' = power - energy / tau` in SI units.
fn storage() -> std::result::Result<ComponentSpec, ComponentError> {
    ComponentSpec::builder("Storage")
        .parameter("power", 1.0, Range::ANY)
        .parameter("tau", 1.0, Range::POSITIVE)
        .parameter("angle", 0.0, Range::ANY)
        .variable("energy")
        .unit("power", "W")
        .unit("tau", "s")
        .unit("angle", "rad")
        .unit("energy", "J")
        .equation(der("energy"), s("power") - s("energy") / s("tau"))
        .fixed(s("energy"), 0.0)
        .build()
}

fn stored(power: (f64, &str)) -> Result<std::result::Result<FlatModel, FlattenError>> {
    let mut net = NetworkBuilder::new("storage");
    net.add("s", storage()?)?;
    net.set_in("s.power", power.0, power.1);
    net.set_in("s.tau", 2.0, "ms");
    net.set_in("s.angle", 180.0, "deg");
    Ok(net.build().flatten())
}

#[test]
fn dae_09_scales_are_converted_and_other_dimensions_refused() -> Result<()> {
    let flat = stored((500.0, "kW"))??;
    let angle = flat
        .parameters()
        .iter()
        .find(|p| p.symbol.name() == "s.angle");
    let angle = angle.expect("a parameter").default;
    assert!((angle - std::f64::consts::PI).abs() < 1e-12, "F: {angle}");
    let model = flat.reduce()?;
    let run = model
        .simulation()
        .span(0.0, 0.02)
        .times(vec![0.002, 0.02])
        .record(["s.energy"])
        .tolerance(support::tight())
        .run()?;
    for (found, expected) in run
        .rows
        .iter()
        .zip([0.6321205588285577, 0.9999546000702375])
    {
        let kilojoules = found / 1000.0;
        assert!(
            (kilojoules - expected).abs() < 1e-7 * expected,
            "A: {kilojoules}"
        );
    }
    let error = stored((500.0, "V"))?.expect_err("B: volts are no watts");
    assert!(
        matches!(&error, FlattenError::Unit { given, expected, .. } if given == "V" && expected == "W"),
        "{error}"
    );
    let mut net = NetworkBuilder::new("source");
    let source = net.add("source", VoltageSource::new(1.0))?;
    let ground = net.add("ground", Ground::new())?;
    net.connect(source.pin("n"), ground.pin("p"))?;
    net.set_in("source.v0", 5000.0, "mV");
    let flat = net.build().flatten()?;
    assert!((flat.parameters()[0].default - 5.0).abs() < 1e-12, "D: 5 V");
    let error = ComponentSpec::builder("Sum")
        .variable("x")
        .parameter("p", 1.0, Range::ANY)
        .parameter("e", 1.0, Range::ANY)
        .unit("p", "kW")
        .unit("e", "kJ")
        .equation(s("x"), s("p") + s("e"))
        .build()
        .expect_err("E: 1 kW + 1 kJ");
    let source = std::error::Error::source(&error).map(ToString::to_string);
    let text = source.unwrap_or_default();
    assert!(text.contains("kW") && text.contains("kJ"), "{text}");
    Ok(())
}
