//! Lookup of experiments that a command line names.

use crate::{Error, Result};
use muriel_domain::ids::{ExperimentId, ProjectId};
use muriel_sql::Tx;
use muriel_store::{experiments, tenants};

/// Finds the project with this key, and the experiment in it whose key or else id
/// is `wanted`. Does not check that an experiment with the id exists.
///
/// # Errors
/// An unknown project, and text that is neither a key of one of its experiments
/// nor an id.
pub(crate) async fn experiment(tx: &mut dyn Tx, project: &str, wanted: &str) -> Result<(ProjectId, ExperimentId)> {
    let Some(project) = tenants::project_by_key(tx, project).await? else {
        return Err(no_project(project));
    };
    let id = match experiments::id_of(tx, project.id, wanted).await? {
        Some(id) => id,
        None => ExperimentId(wanted.parse().map_err(|_| no_experiment(wanted))?),
    };
    Ok((project.id, id))
}

/// Error for an experiment that the project does not have.
pub(crate) fn no_experiment(wanted: &str) -> Error {
    Error::Refused(format!("the project has no experiment {wanted}"))
}

/// Error for a project that the database does not have.
pub(crate) fn no_project(wanted: &str) -> Error {
    Error::Refused(format!("there is no project with the key {wanted}; muriel project list shows all projects"))
}
