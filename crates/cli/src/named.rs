//! Experiments as a command line names them.

use crate::{Error, Result};
use muriel_domain::ids::{ExperimentId, ProjectId};
use muriel_sql::Tx;
use muriel_store::{experiments, tenants};

/// The project with this key, and the experiment in it that `wanted` is the key
/// or else the id of. Whether an experiment with this id exists is not checked.
///
/// # Errors
/// No such project, and what is neither a key of one of its experiments nor an id.
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

/// The error for an experiment that the project does not have.
pub(crate) fn no_experiment(wanted: &str) -> Error {
    Error::Refused(format!("the project has no experiment {wanted}"))
}

/// The error for a project that the database does not have.
pub(crate) fn no_project(wanted: &str) -> Error {
    Error::Refused(format!("there is no project with the key {wanted}; muriel project list shows them"))
}
