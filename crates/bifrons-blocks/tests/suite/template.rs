//! Blocks that are made of a template are the blocks that are written out.

use bifrons_blocks::{
    Abs, Bias, Constant, Divide, Gain, Integrator, Maximum, Minimum, Product, SecondOrder, Sign,
    Step, Sum,
};
use bifrons_hybrid::{
    Block, BlockError, Component, DiagramBuilder, DiagramError, EquationSystem, Template,
};

/// The equations of one diagram with these blocks, all inputs constant and all outputs exported.
fn equations<B: Block>(blocks: Vec<B>) -> EquationSystem {
    let mut diagram = DiagramBuilder::new("model");
    for (index, block) in blocks.into_iter().enumerate() {
        let component = block_ports(&mut diagram, &format!("b{index}"), block);
        for (input, number) in component.0.iter().zip(1_u8..) {
            diagram
                .constant(&*format!("b{index}.{input}"), f64::from(number))
                .expect("open");
        }
        for output in &component.1 {
            diagram
                .export_output(format!("{output}_{index}"), &*format!("b{index}.{output}"))
                .expect("new");
        }
    }
    let diagram = diagram.build().expect("complete");
    diagram.flatten().expect("causal")
}

/// Adds a block and finds its ports by the message about one that it does not have.
fn block_ports(
    diagram: &mut DiagramBuilder,
    name: &str,
    block: impl Block,
) -> (Vec<String>, Vec<String>) {
    let id = diagram.add(name, block).expect("valid");
    let known = |error: DiagramError| match error {
        DiagramError::UnknownPort(port) => port.known,
        other => panic!("{other}"),
    };
    let inputs = diagram.constant(id.input("none"), 0.0).expect_err("none");
    let outputs = diagram.export_output("none", id.output("none"));
    (known(inputs), known(outputs.expect_err("none")))
}

fn same<B: Block + Clone>(blocks: &[B]) {
    for block in blocks {
        assert!(block.template().is_some(), "has a template");
    }
    let by_template = equations(blocks.to_vec());
    let components = blocks.iter().cloned().map(Block::into_component);
    let written: Result<Vec<Component>, BlockError> = components.collect();
    let written = equations(written.expect("valid"));
    assert_eq!(by_template.to_string(), written.to_string(), "equations");
    let numbers = |system: &EquationSystem| -> Vec<(String, u64)> {
        let parameters = system.parameters().iter();
        let pair =
            |own: &bifrons_hybrid::Parameter| (own.symbol.name().to_owned(), own.default.to_bits());
        parameters.map(pair).collect()
    };
    assert_eq!(numbers(&by_template), numbers(&written), "parameters");
    let ranges = |system: &EquationSystem| -> Vec<_> {
        system.parameters().iter().map(|own| own.range).collect()
    };
    assert_eq!(ranges(&by_template), ranges(&written), "ranges");
}

#[test]
fn blocks_of_templates_are_those_that_are_written_out() {
    same(&[2.0, -0.0, 3.5].map(Gain::new));
    same(&["+-", "--", "+-", "-", "+-+"].map(Sum::new));
    same(&[2, 3, 2, 1].map(Product::new));
    same(&[2, 3, 2].map(Minimum::new));
    same(&[3, 3, 2].map(Maximum::new));
    same(&[Divide, Divide]);
    same(&[Abs, Abs]);
    same(&[Sign, Sign]);
    same(&[1.0, 2.0].map(Constant::new));
    same(&[1.0, 2.0].map(Bias::new));
    same(&[1.0, 2.0].map(Integrator::new));
    same(&[Step::new(1.0), Step::new(2.0).before(3.0).after(4.0)]);
    let oscillator = SecondOrder::new(1.0, 0.5);
    same(&[oscillator, oscillator.gain(2.0).start(0.25, 0.75)]);
}

#[test]
fn what_a_block_refuses_is_refused_after_a_valid_one_of_its_template() {
    let mut diagram = DiagramBuilder::new("model");
    diagram.add("first", Gain::new(1.0)).expect("valid");
    for k in [f64::NAN, f64::INFINITY] {
        let error = diagram.add("second", Gain::new(k)).expect_err("not finite");
        let DiagramError::Block { block, source, .. } = &error else {
            panic!("{error}");
        };
        assert_eq!(block, "second");
        assert!(
            matches!(&**source, BlockError::Value { setting, .. } if setting == "k"),
            "{source}"
        );
        let taken = diagram.add("first", Gain::new(k)).expect_err("taken");
        assert!(matches!(taken, DiagramError::Name { .. }), "{taken}");
    }
    for _ in 0..2 {
        let error = diagram.add("sum", Sum::new("+*")).expect_err("a sign");
        assert!(matches!(error, DiagramError::Block { .. }), "{error}");
    }
    let taken = diagram.add("first", Gain::new(2.0)).expect_err("taken");
    assert!(matches!(taken, DiagramError::Name { .. }), "{taken}");
    diagram.add("second", Gain::new(2.0)).expect("still free");
}

/// Says that it is like every other, and is not.
#[derive(Clone)]
struct Odd(f64, usize);

impl Block for Odd {
    fn into_component(self) -> Result<Component, BlockError> {
        Gain::new(self.0).into_component()
    }

    fn template(&self) -> Option<Template<'_>> {
        Some(Template::of::<Self>(vec![self.0 + 1.0; self.1]))
    }
}

#[test]
fn a_template_with_other_numbers_than_its_block_is_not_used() {
    let system = equations(vec![Odd(2.0, 1), Odd(3.0, 1), Odd(5.0, 2)]);
    let defaults: Vec<f64> = system.parameters().iter().map(|own| own.default).collect();
    assert_eq!(defaults, [1.0, 2.0, 1.0, 3.0, 1.0, 5.0]);
}
