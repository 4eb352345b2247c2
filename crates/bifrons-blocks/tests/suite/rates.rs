//! Signals between clocks: what is reported and what is not.

use bifrons_blocks::{
    Constant, DiscreteIntegrator, Gain, Integrator, Rate, Sum, UnitDelay, ZeroOrderHold,
};
use bifrons_hybrid::{Block, Diagram, DiagramBuilder};

/// A sum every 0.1, then a block in the middle, then a sum at another rate.
fn two_rates(middle: impl Block, slow: Rate) -> Diagram {
    let mut inner = DiagramBuilder::new("sensor");
    let source = inner.add("source", Constant::new(1.0)).expect("new");
    let fast = DiscreteIntegrator::new(Rate::every(0.1), 0.0);
    let fast = inner.add("sum", fast).expect("new");
    inner
        .connect(source.output("y"), fast.input("u"))
        .expect("open");
    inner.export_output("y", fast.output("y")).expect("new");
    let mut diagram = DiagramBuilder::new("model");
    let sensor = inner.build().expect("complete");
    let sensor = diagram.add("sensor", sensor).expect("new");
    let middle = diagram.add("middle", middle).expect("new");
    let slow = diagram
        .add("slow", DiscreteIntegrator::new(slow, 0.0))
        .expect("new");
    diagram
        .connect(sensor.output("y"), middle.input("u"))
        .expect("open");
    diagram
        .connect(middle.output("y"), slow.input("u"))
        .expect("open");
    diagram.export_output("y", slow.output("y")).expect("new");
    diagram.build().expect("complete")
}

fn found(diagram: &Diagram) -> Vec<String> {
    let found = diagram.check_rates().expect("causal");
    found.iter().map(ToString::to_string).collect()
}

#[test]
fn a_signal_of_a_faster_clock_is_reported_by_paths_and_periods() {
    let diagram = two_rates(Gain::new(2.0), Rate::every(1.0));
    let all = diagram.check_rates().expect("causal");
    assert_eq!(all.len(), 1, "{all:?}");
    let one = &all[0];
    assert_eq!(one.signal.name(), "sensor.sum.held");
    assert_eq!(one.reader.name(), "slow.x");
    assert_eq!(one.through.name(), "middle.y");
    let rational = |numerator, denominator| {
        bifrons_hybrid::Rational::new(numerator, denominator).expect("a fraction")
    };
    assert_eq!(one.from.period, rational(1, 10));
    assert_eq!(one.to.period, rational(1, 1));
    assert_eq!(
        one.to_string(),
        "`sensor.sum.held`, written every 1/10 by the clock `sensor.sum.tick`, is read by \
         `slow.x`, every 1 by the clock `slow.tick`, through `middle.y`; put a hold at the clock \
         of the reader between"
    );
}

#[test]
fn the_slower_clock_may_be_the_first_and_offsets_count() {
    let faster = two_rates(Gain::new(2.0), Rate::every(0.01));
    assert_eq!(found(&faster).len(), 1, "slow to fast");
    let shifted = two_rates(Gain::new(2.0), Rate::with_offset(0.1, 0.05));
    let texts = found(&shifted);
    assert_eq!(texts.len(), 1, "{texts:?}");
    assert!(texts[0].contains("every 1/10 from 1/20"), "{texts:?}");
    let equal = two_rates(Gain::new(2.0), Rate::every(0.1));
    assert_eq!(found(&equal), [""; 0], "one rate");
}

#[test]
fn a_hold_or_a_delay_between_is_an_explicit_transition() {
    for rate in [Rate::every(1.0), Rate::every(0.01)] {
        let held = two_rates(ZeroOrderHold::new(rate), rate);
        assert_eq!(found(&held), [""; 0], "a hold at the rate of the reader");
        let delayed = two_rates(UnitDelay::new(rate, 0.0), rate);
        assert_eq!(
            found(&delayed),
            [""; 0],
            "a delay at the rate of the reader"
        );
    }
    let third = two_rates(ZeroOrderHold::new(Rate::every(0.5)), Rate::every(1.0));
    let texts = found(&third);
    assert_eq!(texts.len(), 1, "the hold has a third rate: {texts:?}");
    assert!(texts[0].starts_with("`middle.held`"), "{texts:?}");
}

#[test]
fn continuous_signals_pass_and_every_reader_is_listed() {
    let smooth = two_rates(Integrator::new(0.0), Rate::every(1.0));
    assert_eq!(found(&smooth), [""; 0], "an integral has no rate");

    let mut diagram = DiagramBuilder::new("model");
    let source = diagram.add("source", Constant::new(1.0)).expect("new");
    let sum = diagram.add("sum", Sum::new("+-")).expect("new");
    let ids = [("a", 0.2), ("b", 0.3), ("c", 1.0)].map(|(name, period)| {
        let block = DiscreteIntegrator::new(Rate::every(period), 0.0);
        diagram.add(name, block).expect("new")
    });
    for id in &ids[..2] {
        diagram
            .connect(source.output("y"), id.input("u"))
            .expect("open");
    }
    for (id, port) in ids.iter().zip(["u1", "u2"]) {
        diagram
            .connect(id.output("y"), sum.input(port))
            .expect("open");
    }
    diagram
        .connect(sum.output("y"), ids[2].input("u"))
        .expect("open");
    diagram.export_output("y", ids[2].output("y")).expect("new");
    let all = diagram.build().expect("complete").check_rates();
    let pairs: Vec<(String, String, String)> = all
        .expect("causal")
        .iter()
        .map(|own| {
            let name = |symbol: &bifrons_expr::Symbol| symbol.name().to_owned();
            (name(&own.signal), name(&own.reader), name(&own.through))
        })
        .collect();
    let row = |signal: &str| (signal.to_owned(), "c.x".to_owned(), "sum.y".to_owned());
    assert_eq!(pairs, [row("a.held"), row("b.held")]);
}
