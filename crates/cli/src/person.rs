//! `muriel person`: people with accounts.

use crate::config::{Common, StorageSettings};
use crate::open::{open, open_existing};
use crate::say::say;
use crate::server_address::ServerAddress;
use crate::{Error, Result};
use clap::{Args, Subcommand};
use muriel_context::clock::Clock;
use muriel_domain::person::{self, Role};
use muriel_domain::text::one_line;
use muriel_people::{self as people, InvitationLink, PeopleSettings, PublicUrl};
use muriel_service::App;
use muriel_service::Traffic;
use serde_json::json;
use std::io::Read;
use std::path::Path;

/// Maximum number of bytes read as a password.
const PASSWORD_BYTES: u64 = 4_096;

/// `muriel person …`
#[derive(Debug, Subcommand)]
pub enum PersonCommand {
    /// Add a person: with a password, or with a link that sets one.
    Add {
        /// Data directory, database and settings file.
        #[command(flatten)]
        common: Common,
        /// Properties of the person.
        #[command(flatten)]
        wanted: WantedPerson,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// List everybody who can sign in.
    List {
        /// Data directory, database and settings file.
        #[command(flatten)]
        common: Common,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Set a person's new password, or print a link that sets one, and end their sessions.
    Reset {
        /// Data directory, database and settings file.
        #[command(flatten)]
        common: Common,
        /// E-mail address of the person.
        #[arg(long, value_name = "EMAIL")]
        email: String,
        /// Read the new password from standard input instead of printing a link.
        #[arg(long)]
        password_stdin: bool,
        /// Also remove the authenticator and passkeys.
        #[arg(long)]
        remove_second_factor: bool,
        /// URL at which people reach the server, for the link [default: that of the settings file, else of the
        /// server that uses the data directory].
        #[arg(long, env = "MURIEL_PUBLIC_URL", value_name = "URL")]
        public_url: Option<String>,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
}

/// Properties of a new person.
#[derive(Debug, Clone, Args)]
pub struct WantedPerson {
    /// E-mail address for signing in.
    #[arg(long, value_name = "EMAIL")]
    pub email: String,
    /// Role in every project of the company: viewer, editor, admin or owner.
    #[arg(long, value_name = "ROLE")]
    pub role: String,
    /// Name [default: the part of the address before the at sign].
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Name of the company; created if it is new [default: the only one].
    #[arg(long, value_name = "COMPANY")]
    pub company: Option<String>,
    /// Read the password from standard input instead of printing a link that sets one.
    #[arg(long)]
    pub password_stdin: bool,
    /// URL at which people reach the server, for the link [default: that of the settings file, else of the server
    /// that uses the data directory].
    #[arg(long, env = "MURIEL_PUBLIC_URL", value_name = "URL")]
    pub public_url: Option<String>,
}

/// Runs a command about people.
///
/// # Errors
/// An error that says what prevents it.
pub async fn run(command: PersonCommand) -> Result<()> {
    match command {
        PersonCommand::Add { common, wanted, json } => {
            let password = if wanted.password_stdin { Some(password_from_stdin()?) } else { None };
            let place = StorageSettings::load(&common)?;
            let opened = open(&place).await?;
            let app = app(&opened, &common, &place.data_dir, wanted.public_url.as_deref())?;
            let added = add(&app, &wanted, password).await;
            opened.db.close().await?;
            print_access(&wanted.email, added?, json, "is added, and can sign in")
        }
        PersonCommand::List { common, json } => {
            let opened = open_existing(&StorageSettings::load(&common)?).await?;
            let all = people::all(&opened.app(Clock::System).people).await;
            opened.db.close().await?;
            print(&all?, json)
        }
        PersonCommand::Reset { common, email, password_stdin, remove_second_factor, public_url, json } => {
            let password = if password_stdin { Some(password_from_stdin()?) } else { None };
            let address = address(&email)?;
            let place = StorageSettings::load(&common)?;
            let opened = open_existing(&place).await?;
            let app = app(&opened, &common, &place.data_dir, public_url.as_deref())?;
            let link = people::reset(&app.people, address, password, remove_second_factor).await;
            opened.db.close().await?;
            let link = link.map_err(|error| match error {
                muriel_context::Error::NotFound(_) => {
                    Error::Refused(format!("nobody signs in with {email}; muriel person list shows all addresses"))
                }
                other => refused(other),
            })?;
            print_access(&email, link, json, "has a new password")
        }
    }
}

/// URL at which people reach the server of the data directory, or the default one.
fn of_server(data_dir: &Path) -> Option<PublicUrl> {
    let noted = ServerAddress::read(data_dir).and_then(|server| server.people().parse().ok());
    noted.or_else(|| "http://127.0.0.1:4170".parse().ok())
}

/// State for calling the service, with the URL at which people reach the server.
fn app(opened: &crate::open::Opened, common: &Common, data_dir: &Path, public_url: Option<&str>) -> Result<App> {
    let public_url = match public_url {
        Some(text) => Some(text.parse().map_err(|error| Error::Setting(format!("--public-url: {error}")))?),
        None => crate::config::public_url(common)?,
    };
    let traffic = Traffic {
        people: PeopleSettings { public_url: public_url.or_else(|| of_server(data_dir)), oidc: None },
        ..Traffic::default()
    };
    Ok(App::new(opened.db.clone(), opened.pepper.clone(), Clock::System, traffic))
}

/// Adds a person. Returns a link that sets the password if none is given.
///
/// # Errors
/// Invalid properties of the person.
pub async fn add(app: &App, wanted: &WantedPerson, password: Option<String>) -> Result<Option<InvitationLink>> {
    let email = address(&wanted.email)?;
    let role = Role::parse(&wanted.role).map_err(|flaw| Error::Refused(format!("--role {flaw}")))?;
    let name = match &wanted.name {
        Some(name) => person::name(name).map_err(|flaw| Error::Refused(format!("--name {flaw}")))?,
        None => email.split('@').next().unwrap_or_default().to_owned(),
    };
    people::add(&app.people, wanted.company.clone(), (email, name), role, password).await.map_err(refused)
}

fn address(email: &str) -> Result<String> {
    person::email(email).map_err(|flaw| Error::Refused(format!("--email {flaw}")))
}

/// Converts an error so that it names flags instead of fields.
fn refused(error: muriel_context::Error) -> Error {
    match error {
        muriel_context::Error::Invalid(problems) => {
            let first = problems.first().map(|problem| format!("--{} {}", problem.field, problem.message));
            Error::Refused(first.unwrap_or_default())
        }
        muriel_context::Error::Conflict { message, .. } => Error::Refused(message),
        other => other.into(),
    }
}

/// Reads the first line of standard input.
fn password_from_stdin() -> Result<String> {
    let mut text = String::new();
    let read = std::io::stdin().take(PASSWORD_BYTES).read_to_string(&mut text);
    read.map_err(|error| Error::Refused(format!("no password can be read from standard input: {error}")))?;
    Ok(text.lines().next().unwrap_or_default().to_owned())
}

fn print_access(email: &str, link: Option<InvitationLink>, as_json: bool, done: &str) -> Result<()> {
    if as_json {
        let link = link.as_ref();
        let access = json!({
            "email": email,
            "link": link.map(|link| &link.link),
            "expires_at": link.map(|link| link.expires_at),
        });
        return say!("{access}");
    }
    match link {
        None => say!("{email} {done}"),
        Some(link) => say!("{email} can set a password with {} (it works once, until {})", link.link, link.expires_at),
    }
}

fn print(all: &[(String, people::ShownPerson)], as_json: bool) -> Result<()> {
    if as_json {
        let people: Vec<_> = all
            .iter()
            .map(|(company, shown)| {
                let person = &shown.person;
                json!({
                    "person_id": person.id,
                    "company": company,
                    "email": person.email,
                    "name": person.name,
                    "role": person.access.role.word(),
                    "projects": shown.projects,
                    "has_password": person.password.is_some(),
                    "has_totp": person.totp.is_some(),
                    "passkeys": shown.passkeys,
                    "created_at": person.created_at,
                    "last_seen_at": person.last_seen_at,
                })
            })
            .collect();
        return say!("{}", json!({ "people": people }));
    }
    // Names created by earlier versions can contain any characters.
    let wide = |text: &str| one_line(text).chars().count();
    let company = all.iter().map(|(company, _)| wide(company)).fold(7, usize::max);
    let email = all.iter().map(|(_, known)| wide(&known.person.email)).fold(6, usize::max);
    let name = all.iter().map(|(_, known)| wide(&known.person.name)).fold(4, usize::max);
    say!("{:<company$}  {:<email$}  {:<name$}  {:<6}  LAST SEEN", "COMPANY", "E-MAIL", "NAME", "ROLE")?;
    for (of, known) in all {
        let person = &known.person;
        let seen = person.last_seen_at.map_or_else(|| "never".to_owned(), |at| at.to_string());
        let role = person.access.role.word();
        let (of, address, called) = (one_line(of), one_line(&person.email), one_line(&person.name));
        say!("{of:<company$}  {address:<email$}  {called:<name$}  {role:<6}  {seen}")?;
    }
    Ok(())
}
