//! The units of all equations of the library fit.

use super::electrical;
use super::{fluid, hydraulic, planar, rotational, thermal, translational};
use crate::component::{Component, Kind};

fn fits(component: impl Component) {
    let part = component.into_part().unwrap();
    let Kind::Spec(spec) = part.0 else {
        panic!("a component with equations");
    };
    if let Err(error) = spec.check_units() {
        let source = std::error::Error::source(&error).map(ToString::to_string);
        panic!("{}: {error}: {}", spec.kind(), source.unwrap_or_default());
    }
}

macro_rules! all {
    ($($module:ident::$name:ident($($value:expr),*)),* $(,)?) => {
        $(fits($module::$name::new($($value),*));)*
    };
}

#[test]
fn electrical_equations_have_fitting_units() {
    all!(
        electrical::Ground(),
        electrical::Resistor(1.0),
        electrical::HeatingResistor(1.0),
        electrical::Capacitor(1.0),
        electrical::Inductor(1.0),
        electrical::CoupledInductors(1.0, 1.0, 0.5),
        electrical::IdealTransformer(2.0),
        electrical::VoltageSource(1.0),
        electrical::SineVoltage(1.0, 1.0, 0.0, 0.0),
        electrical::SignalVoltage(),
        electrical::CurrentSource(1.0),
        electrical::SignalCurrent(),
        electrical::VoltageSensor(),
        electrical::CurrentSensor(),
        electrical::VoltageControlledVoltage(1.0),
        electrical::VoltageControlledCurrent(1.0),
        electrical::CurrentControlledVoltage(1.0),
        electrical::CurrentControlledCurrent(1.0),
        electrical::IdealOpAmp(),
        electrical::OpAmp(1.0),
        electrical::Emf(1.0),
        electrical::DcMotor(1.0, 1.0, 1.0, 1.0),
        electrical::Diode(1.0, 1.0, 1.0),
        electrical::IdealDiode(0.0, 0.0, 0.0),
        electrical::IdealSwitch(0.0, 0.0, 0.0),
    );
}

#[test]
fn mechanical_equations_have_fitting_units() {
    all!(
        translational::Mass(1.0),
        translational::Spring(1.0, 0.0),
        translational::Damper(1.0),
        translational::SpringDamper(1.0, 1.0, 0.0),
        translational::HardStop(1.0, 1.0, 0.0),
        translational::Fixed(0.0),
        translational::Friction(1.0, 1.0, 1.0, 1.0),
        translational::StickSlip(1.0, 1.0),
        translational::ForceSource(1.0),
        translational::SignalForce(),
        translational::SpeedSource(1.0),
        translational::SignalPosition(),
        translational::MotionSensor(),
        translational::ForceSensor(),
        rotational::Inertia(1.0),
        rotational::Spring(1.0),
        rotational::Damper(1.0),
        rotational::SpringDamperGap(1.0, 1.0, 0.0),
        rotational::Fixed(0.0),
        rotational::Gear(2.0),
        rotational::PlanetaryGear(2.0),
        rotational::RackAndPinion(1.0),
        rotational::LeadScrew(1.0),
        rotational::Clutch(1.0),
        rotational::Friction(1.0, 1.0, 1.0, 1.0),
        rotational::StickSlip(1.0, 1.0),
        rotational::TorqueSource(1.0),
        rotational::SignalTorque(),
        rotational::SpeedSource(1.0),
        rotational::MotionSensor(),
        rotational::TorqueSensor(),
        planar::PointMass(1.0, 1.0),
        planar::RigidRod(1.0),
        planar::Pivot(0.0, 0.0),
        planar::Slider(0.0),
        planar::Crank(1.0),
    );
}

#[test]
fn thermal_and_hydraulic_equations_have_fitting_units() {
    all!(
        thermal::HeatCapacitor(1.0),
        thermal::Conductor(1.0),
        thermal::Convection(1.0),
        thermal::Radiation(1.0),
        thermal::TemperatureSource(1.0),
        thermal::SignalTemperature(),
        thermal::HeatFlowSource(1.0),
        thermal::SignalHeatFlow(),
        thermal::TemperatureSensor(),
        thermal::HeatFlowSensor(),
        hydraulic::PressureSource(1.0),
        hydraulic::MassFlowSource(1.0),
        hydraulic::LaminarPipe(1.0),
        hydraulic::DarcyPipe(1.0, 1.0, 0.0, 1.0, 1.0),
        hydraulic::Orifice(1.0, 1.0, 1.0, 1.0),
        hydraulic::Valve(1.0, 1.0, 1.0, 1.0),
        hydraulic::Tank(1.0, 1.0, 1.0, 0.0),
        hydraulic::Accumulator(1.0, 1.0, 1.0),
        hydraulic::Pump(1.0, 1.0),
        hydraulic::Cylinder(1.0, 1.0, 0.0),
        fluid::Boundary(1.0, 1.0),
        fluid::MassFlowBoundary(1.0, 1.0),
        fluid::Pipe(1.0),
        fluid::Orifice(1.0, 1.0, 1.0, 1.0),
        fluid::Volume(1.0, 1.0),
        fluid::HeatedPipe(1.0, 1.0, 1.0),
        fluid::Tank(1.0, 1.0, 1.0, 0.0),
        fluid::GasVolume(1.0, 287.0, 1005.0),
        hydraulic::PressureSensor(),
        hydraulic::MassFlowSensor(),
    );
}
