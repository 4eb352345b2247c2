//! Blocks that differ in numbers only, recognised before their equations are written.

use std::any::TypeId;
use std::cmp::Ordering;
use std::sync::Arc;

use super::{BlockSpec, Form, Numbers, Role};
use crate::range::ParameterRange;

/// What a block is, up to the default values of its parameters.
///
/// Equal templates stand for equal ports, equations and texts of errors. A
/// [`DiagramBuilder`](crate::DiagramBuilder) writes the equations of the first block of a template
/// only; the following ones are a list of numbers.
///
/// # Examples
///
/// ```
/// use bifrons_expr::Expr;
/// use bifrons_hybrid::{Block, BlockError, BlockSpec, Component, Template};
///
/// /// y = k u
/// struct Factor(f64);
/// impl Block for Factor {
///     fn into_component(self) -> Result<Component, BlockError> {
///         let [k, u] = ["k", "u"].map(|name| Expr::symbol(name));
///         let block = BlockSpec::builder("Factor").input("u").parameter("k", self.0);
///         Ok(block.output("y", k * u).build()?.into())
///     }
///
///     fn template(&self) -> Option<Template<'_>> {
///         Some(Template::of::<Self>([self.0]))
///     }
/// }
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct Template<'a> {
    block: TypeId,
    count: usize,
    text: &'a str,
    defaults: Numbers,
}

impl<'a> Template<'a> {
    /// Blocks of type `B` with these default values, in the order in which the block declares its
    /// parameters.
    pub fn of<B: 'static>(defaults: impl AsRef<[f64]>) -> Self {
        Self {
            block: TypeId::of::<B>(),
            count: 0,
            text: "",
            defaults: Numbers::from(defaults.as_ref()),
        }
    }

    /// A count on which the equations depend, such as that of the inputs.
    pub fn with_count(self, count: usize) -> Self {
        Self { count, ..self }
    }

    /// A text on which the equations depend, such as the signs of a sum.
    pub fn with_text(self, text: &'a str) -> Self {
        Self { text, ..self }
    }
}

/// The templates that a diagram has met, sorted.
#[derive(Debug, Clone, Default)]
pub(crate) struct Templates(Vec<Known>);

#[derive(Debug, Clone)]
struct Known {
    block: TypeId,
    count: usize,
    text: Box<str>,
    form: Arc<Form>,
}

/// The place of a template that the diagram has not met, for its first block.
pub(crate) struct Place {
    index: usize,
    block: TypeId,
    count: usize,
    text: Box<str>,
    defaults: Numbers,
}

impl Templates {
    /// The block, if it is like an earlier one; otherwise where to note it, if it is new.
    pub(crate) fn find(&self, template: Template<'_>) -> Result<BlockSpec, Option<Place>> {
        let found = self.0.binary_search_by(|known| known.order(&template));
        let Template {
            block,
            count,
            text,
            defaults,
        } = template;
        match found {
            // Numbers that the block refuses are left to the block.
            Ok(index) => self.0[index].instance(defaults).ok_or(None),
            Err(index) => Err(Some(Place {
                index,
                block,
                count,
                text: text.into(),
                defaults,
            })),
        }
    }

    /// Notes the first block of a template, unless its numbers are not those of the template.
    pub(crate) fn note(&mut self, place: Place, spec: &BlockSpec) {
        let bits = |values: &[f64]| -> Vec<u64> { values.iter().map(|v| v.to_bits()).collect() };
        if bits(&place.defaults) == bits(&spec.defaults) {
            let known = Known {
                block: place.block,
                count: place.count,
                text: place.text,
                form: Arc::clone(&spec.form),
            };
            self.0.insert(place.index, known);
        }
    }
}

impl Known {
    fn order(&self, template: &Template<'_>) -> Ordering {
        let own = (self.block, self.count, self.text.len());
        let other = (template.block, template.count, template.text.len());
        own.cmp(&other).then_with(|| match own.2 {
            0 => Ordering::Equal,
            _ => (*self.text).cmp(template.text),
        })
    }

    /// A block with these numbers, if they are as many as the parameters and in their ranges.
    fn instance(&self, defaults: Numbers) -> Option<BlockSpec> {
        let mut parameters = 0;
        for local in &self.form.locals {
            if let Role::Parameter { default, range } = local.role {
                parameters += 1;
                let fits = |value: &&f64| is_default(**value, range);
                defaults.get(default).filter(fits)?;
            }
        }
        (parameters == defaults.len()).then(|| BlockSpec {
            form: Arc::clone(&self.form),
            defaults,
        })
    }
}

/// Whether a parameter of this range may have the default value.
pub(super) fn is_default(value: f64, range: ParameterRange) -> bool {
    !value.is_nan() && (range == ParameterRange::FINITE || range.contains(value))
}
