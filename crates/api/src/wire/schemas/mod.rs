//! Published types that only describe the contract: bodies that are parsed field
//! by field, and parts of responses that the domain serialises itself.

#![expect(dead_code, reason = "these types describe shapes to the contract and are never made")]

mod conclusion;
mod configuration;
mod dashboard;
mod delivery;
mod error;
mod evaluation;
mod event;
mod exclusion;
mod experiment;
mod goal;
mod group;
mod hypothesis;
mod key;
mod person;
mod project;
mod rates;
mod share;
mod targeting;
mod webhook;
mod words;

pub(crate) use conclusion::*;
pub(crate) use configuration::*;
pub(crate) use dashboard::*;
pub(crate) use delivery::*;
pub(crate) use error::*;
pub(crate) use evaluation::*;
pub(crate) use event::*;
pub(crate) use exclusion::*;
pub(crate) use experiment::*;
pub(crate) use goal::*;
pub(crate) use group::*;
pub(crate) use hypothesis::*;
pub(crate) use key::*;
pub(crate) use person::*;
pub(crate) use project::*;
pub(crate) use rates::*;
pub(crate) use share::*;
pub(crate) use targeting::*;
pub(crate) use webhook::*;
pub(crate) use words::*;
