//! Builder and validation of a [`Diagram`].

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use bifrons_expr::{NameIndex, Unit};

use super::port::{BlockId, BlockReference, InputPort, OutputPort, Port};
use super::{
    Content, Diagram, ExportedInput, ExportedOutput, Member, Source, drop_members, narrow,
    sources_of,
};
use crate::block::{Block, Form, Part, Templates};
use crate::error::{BlockError, DiagramError, UnitMismatch, UnknownPort};
use crate::name::{NameProblem, check_name, nearest};

/// Collects blocks and connections; [`build`](Self::build) makes the [`Diagram`].
///
/// Every call checks what it can, so that an error points to the line that caused it; a call that
/// fails changes nothing. Ports are named by [`BlockId::input`] and [`BlockId::output`] or by the
/// text `block.port`.
#[derive(Clone)]
pub struct DiagramBuilder {
    name: Arc<str>,
    members: Vec<Member>,
    sources: Vec<Source>,
    /// Positions in `members`.
    by_name: NameIndex,
    /// The last block of each kind.
    forms: BTreeMap<Arc<str>, Arc<Form>>,
    templates: Templates,
    inputs: Vec<ExportedInput>,
    outputs: Vec<ExportedOutput>,
    exports_by_name: BTreeMap<Arc<str>, Export>,
}

#[derive(Debug, Clone, Copy)]
enum Export {
    Input(usize),
    Output(usize),
}

impl DiagramBuilder {
    /// Starts an empty diagram. The name is free text: it only appears in messages and headings.
    #[must_use]
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        Self {
            name: name.into(),
            members: Vec::new(),
            sources: Vec::new(),
            by_name: NameIndex::with_capacity(0),
            forms: BTreeMap::new(),
            templates: Templates::default(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            exports_by_name: BTreeMap::new(),
        }
    }

    /// Adds a block or a nested diagram under a name: letters, digits and `_`.
    ///
    /// # Errors
    ///
    /// [`DiagramError::Name`] if the name is malformed or taken, [`DiagramError::Block`] if the
    /// block's settings are not valid.
    pub fn add(
        &mut self,
        name: impl Into<Arc<str>>,
        block: impl Block,
    ) -> Result<BlockId, DiagramError> {
        let name = name.into();
        check_name(&name).map_err(|problem| self.refuse_name(&name, problem))?;
        let part = match self.part(block) {
            Ok(part) => part,
            Err(_) if self.find_name(&name).is_some() => {
                return Err(self.refuse_name(&name, NameProblem::Duplicate));
            }
            Err(source) => {
                let (diagram, block) = (self.name.to_string(), name.to_string());
                let source = Box::new(source);
                return Err(DiagramError::Block {
                    diagram,
                    block,
                    source,
                });
            }
        };
        let index = self.members.len();
        let names = |at: usize| &*self.members[at].name;
        if self.by_name.add(&name, names).is_some() {
            return Err(self.refuse_name(&name, NameProblem::Duplicate));
        }
        let first_source = self.sources.len();
        self.sources
            .resize(first_source + part.input_count(), Source::Open);
        self.members.push(Member {
            name: Arc::clone(&name),
            part,
            first_source: narrow(first_source),
        });
        Ok(BlockId { index, name })
    }

    /// The block as a part; its equations are written if it is the first of its template.
    fn part(&mut self, block: impl Block) -> Result<Part, BlockError> {
        let place = match block.template().map(|own| self.templates.find(own)) {
            Some(Ok(spec)) => return Ok(Part::Block(spec)),
            Some(Err(place)) => place,
            None => None,
        };
        let part = self.share(block.into_component()?.0);
        if let (Some(place), Part::Block(spec)) = (place, &part) {
            self.templates.note(place, spec);
        }
        Ok(part)
    }

    /// Lets a block that differs from an earlier one in numbers only share everything else.
    fn share(&mut self, part: Part) -> Part {
        let Part::Block(mut block) = part else {
            return part;
        };
        match self.forms.get(&block.form.kind) {
            Some(known) if known.is_same(&block.form) => block.form = Arc::clone(known),
            _ => {
                let kind = Arc::clone(&block.form.kind);
                self.forms.insert(kind, Arc::clone(&block.form));
            }
        }
        Part::Block(block)
    }

    /// Connects an output to an input. An output may feed any number of inputs.
    ///
    /// # Errors
    ///
    /// [`DiagramError::UnknownBlock`], [`DiagramError::UnknownPort`] or
    /// [`DiagramError::ForeignBlock`] if an end does not exist; [`DiagramError::SecondSource`] if
    /// the input already has a source; [`DiagramError::Units`] if both ends have units that are
    /// not the same.
    pub fn connect(
        &mut self,
        from: impl Into<OutputPort>,
        to: impl Into<InputPort>,
    ) -> Result<(), DiagramError> {
        let (member, output) = self.find_output(&from.into().0)?;
        let to = self.find_input(&to.into().0)?;
        let source = Source::Wire {
            member: narrow(member),
            output: narrow(output),
        };
        self.check_units(self.members[member].part.output_unit(output), source, to)?;
        self.feed(to, source)
    }

    /// Refuses to feed an input with another unit.
    fn check_units(
        &self,
        found: Option<&Unit>,
        source: Source,
        (member, input): (usize, usize),
    ) -> Result<(), DiagramError> {
        let expected = self.members[member].part.input_unit(input);
        let Some((found, expected)) = found.zip(expected) else {
            return Ok(());
        };
        if found.is_same(expected) {
            return Ok(());
        }
        let fix = match found.factor_to(expected) {
            Some(factor) => format!("put a `UnitConversion` between, of the factor {factor}"),
            None if found.dimension() == expected.dimension() => {
                "put a `UnitConversion` between".to_owned()
            }
            None => "they measure different things".to_owned(),
        };
        Err(DiagramError::Units(Box::new(UnitMismatch {
            diagram: self.name.to_string(),
            from: self.source_text(source),
            from_unit: found.to_string(),
            to: self.input_path(member, input),
            to_unit: expected.to_string(),
            fix,
        })))
    }

    /// Gives an input a constant. It becomes a parameter with the path of the input.
    ///
    /// # Errors
    ///
    /// As [`connect`](Self::connect); [`DiagramError::Constant`] if the value is NaN.
    pub fn constant(&mut self, to: impl Into<InputPort>, value: f64) -> Result<(), DiagramError> {
        let (member, input) = self.find_input(&to.into().0)?;
        if value.is_nan() {
            return Err(self.refuse_constant(self.input_path(member, input), value));
        }
        self.feed((member, input), Source::Constant(value))
    }

    /// Makes an input of a block an input of the diagram. Repeat it with the same name to feed
    /// several inputs from one exported input.
    ///
    /// # Errors
    ///
    /// As [`connect`](Self::connect); [`DiagramError::Name`] if the name is malformed or an
    /// exported output has it.
    pub fn export_input(
        &mut self,
        name: impl Into<Arc<str>>,
        to: impl Into<InputPort>,
    ) -> Result<(), DiagramError> {
        let name = name.into();
        check_name(&name).map_err(|problem| self.refuse_name(&name, problem))?;
        let input = match self.exports_by_name.get(&name) {
            None => self.inputs.len(),
            Some(Export::Input(input)) => *input,
            Some(Export::Output(_)) => {
                return Err(self.refuse_name(&name, NameProblem::Duplicate));
            }
        };
        let (member, position) = self.find_input(&to.into().0)?;
        let (to, source) = (
            (member, position),
            Source::Exported {
                input: narrow(input),
            },
        );
        let known = self.inputs.get(input).and_then(|own| own.unit.as_ref());
        self.check_units(known, source, to)?;
        self.feed(to, source)?;
        let unit = self.members[member].part.input_unit(position).cloned();
        if let Some(own) = self.inputs.get_mut(input) {
            own.unit = own.unit.take().or(unit.clone());
        }
        if input == self.inputs.len() {
            self.exports_by_name
                .insert(Arc::clone(&name), Export::Input(input));
            self.inputs.push(ExportedInput {
                name,
                default: None,
                unit,
            });
        }
        Ok(())
    }

    /// Gives an exported input a value for the case that nobody connects it.
    ///
    /// It then becomes a parameter with the path of the input.
    ///
    /// # Errors
    ///
    /// [`DiagramError::UnknownPort`] if no such input is exported; [`DiagramError::Constant`] if
    /// the value is NaN.
    pub fn default_input(&mut self, name: &str, value: f64) -> Result<(), DiagramError> {
        let Some(Export::Input(input)) = self.exports_by_name.get(name) else {
            let known = self.inputs.iter().map(|input| &*input.name);
            return Err(self.refuse_port((&self.name, "Diagram"), "input", name, known));
        };
        if value.is_nan() {
            return Err(self.refuse_constant(name.to_owned(), value));
        }
        self.inputs[*input].default = Some(value);
        Ok(())
    }

    /// Makes an output of a block an output of the diagram: what a run records by this name.
    ///
    /// # Errors
    ///
    /// [`DiagramError::Name`] if the name is malformed or already exported; otherwise as
    /// [`connect`](Self::connect).
    pub fn export_output(
        &mut self,
        name: impl Into<Arc<str>>,
        from: impl Into<OutputPort>,
    ) -> Result<(), DiagramError> {
        let name = name.into();
        check_name(&name).map_err(|problem| self.refuse_name(&name, problem))?;
        if self.exports_by_name.contains_key(&name) {
            return Err(self.refuse_name(&name, NameProblem::Duplicate));
        }
        let (member, output) = self.find_output(&from.into().0)?;
        self.exports_by_name
            .insert(Arc::clone(&name), Export::Output(self.outputs.len()));
        self.outputs.push(ExportedOutput {
            unit: self.members[member].part.output_unit(output).cloned(),
            name,
            member,
            output,
        });
        Ok(())
    }

    /// Checks that every input has a source and finishes the diagram.
    ///
    /// Algebraic loops are found by [`Diagram::flatten`], where the equations of all levels meet.
    /// Cost: linear in blocks and ports.
    ///
    /// # Errors
    ///
    /// [`DiagramError::Unconnected`] with every input that has neither source nor constant.
    pub fn build(mut self) -> Result<Diagram, DiagramError> {
        let mut inputs = Vec::new();
        for (index, member) in self.members.iter().enumerate() {
            for (input, source) in sources_of(&self.sources, member).iter().enumerate() {
                if *source == Source::Open && !has_default(&member.part, input) {
                    inputs.push(self.input_path(index, input));
                }
            }
        }
        if !inputs.is_empty() {
            return Err(DiagramError::Unconnected {
                diagram: self.name.to_string(),
                inputs,
            });
        }
        let mut inputs_by_name = Vec::with_capacity(self.inputs.len());
        let mut outputs_by_name = Vec::with_capacity(self.outputs.len());
        for export in self.exports_by_name.values() {
            match *export {
                Export::Input(input) => inputs_by_name.push(input),
                Export::Output(output) => outputs_by_name.push(output),
            }
        }
        let nested = |member: &Member| match &member.part {
            Part::Block(_) => (1, 0),
            Part::Diagram(diagram) => (diagram.block_count(), diagram.depth()),
        };
        let block_count = self.members.iter().map(|member| nested(member).0).sum();
        let depth = 1 + self
            .members
            .iter()
            .map(|member| nested(member).1)
            .max()
            .unwrap_or(0);
        Ok(Diagram(Arc::new(Content {
            name: Arc::clone(&self.name),
            members: std::mem::take(&mut self.members),
            sources: std::mem::take(&mut self.sources),
            inputs: std::mem::take(&mut self.inputs),
            outputs: std::mem::take(&mut self.outputs),
            inputs_by_name,
            outputs_by_name,
            block_count,
            depth,
        })))
    }

    fn feed(
        &mut self,
        (member, input): (usize, usize),
        source: Source,
    ) -> Result<(), DiagramError> {
        let place = self.members[member].first_source as usize + input;
        let first = self.sources[place];
        if first != Source::Open {
            return Err(DiagramError::SecondSource {
                diagram: self.name.to_string(),
                input: self.input_path(member, input),
                first: self.source_text(first),
                second: self.source_text(source),
            });
        }
        self.sources[place] = source;
        Ok(())
    }

    fn find_name(&self, name: &str) -> Option<usize> {
        (self.by_name).find(name, |at| &*self.members[at].name)
    }

    fn find_member(&self, reference: &BlockReference) -> Result<usize, DiagramError> {
        match reference {
            BlockReference::Id(id) => match self.members.get(id.index) {
                Some(member) if Arc::ptr_eq(&member.name, &id.name) => Ok(id.index),
                _ => Err(DiagramError::ForeignBlock {
                    diagram: self.name.to_string(),
                    block: id.name.to_string(),
                }),
            },
            BlockReference::Name(name) => self.find_name(name).ok_or_else(|| {
                let known = self.members.iter().map(|member| &*member.name);
                DiagramError::UnknownBlock {
                    diagram: self.name.to_string(),
                    block: name.clone(),
                    nearest: nearest(name, known).map(str::to_owned),
                }
            }),
        }
    }

    fn find_input(&self, port: &Port) -> Result<(usize, usize), DiagramError> {
        let index = self.find_member(&port.block)?;
        let Member { name, part, .. } = &self.members[index];
        let own = port.port.as_str();
        part.find_input(own)
            .map(|input| (index, input))
            .ok_or_else(|| {
                let known = (0..part.input_count()).map(|input| part.input_name(input));
                self.refuse_port((name, part.kind()), "input", own, known)
            })
    }

    fn find_output(&self, port: &Port) -> Result<(usize, usize), DiagramError> {
        let index = self.find_member(&port.block)?;
        let Member { name, part, .. } = &self.members[index];
        let own = port.port.as_str();
        part.find_output(own)
            .map(|output| (index, output))
            .ok_or_else(|| {
                let known = (0..part.output_count()).map(|output| part.output_name(output));
                self.refuse_port((name, part.kind()), "output", own, known)
            })
    }

    fn refuse_port<'a>(
        &self,
        (block, kind): (&str, &str),
        direction: &'static str,
        port: &str,
        known: impl Iterator<Item = &'a str>,
    ) -> DiagramError {
        let known: Vec<&str> = known.collect();
        DiagramError::UnknownPort(Box::new(UnknownPort {
            diagram: self.name.to_string(),
            block: block.to_owned(),
            kind: kind.to_owned(),
            direction,
            port: port.to_owned(),
            nearest: nearest(port, known.iter().copied()).map(str::to_owned),
            known: known.into_iter().map(str::to_owned).collect(),
        }))
    }

    fn refuse_name(&self, name: &str, problem: NameProblem) -> DiagramError {
        DiagramError::Name {
            diagram: self.name.to_string(),
            name: name.to_owned(),
            problem,
        }
    }

    fn refuse_constant(&self, input: String, value: f64) -> DiagramError {
        DiagramError::Constant {
            diagram: self.name.to_string(),
            input,
            value,
        }
    }

    fn input_path(&self, member: usize, input: usize) -> String {
        let member = &self.members[member];
        format!("{}.{}", member.name, member.part.input_name(input))
    }

    fn source_text(&self, source: Source) -> String {
        match source {
            Source::Open => "nothing".to_owned(),
            Source::Wire { member, output } => {
                let member = &self.members[member as usize];
                let output = member.part.output_name(output as usize);
                format!("{}.{output}", member.name)
            }
            Source::Exported { input } => match self.inputs.get(input as usize) {
                Some(input) => format!("exported input {}", input.name),
                None => "exported input".to_owned(),
            },
            Source::Constant(value) => format!("constant {value}"),
        }
    }
}

fn has_default(part: &Part, input: usize) -> bool {
    match part {
        Part::Block(_) => false,
        Part::Diagram(diagram) => diagram.0.inputs[input].default.is_some(),
    }
}

impl fmt::Debug for DiagramBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DiagramBuilder")
            .field("name", &self.name)
            .field("members", &self.members.len())
            .field("inputs", &self.inputs.len())
            .field("outputs", &self.outputs.len())
            .finish()
    }
}

impl Drop for DiagramBuilder {
    fn drop(&mut self) {
        drop_members(&mut self.members);
    }
}
