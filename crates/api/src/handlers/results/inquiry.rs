//! Query parameters of results and time series.

use crate::error::ApiError;
use crate::json::Json;
use crate::wire::fields::{Fields, ProblemCollector, text};
use crate::wire::query::Query;
use muriel_domain::Flaw;
use muriel_results::{Inquiry, Phase, Zone, parse_breakdown, parse_day, parse_filter};
use utoipa::IntoParams;
use utoipa::openapi::Required;
use utoipa::openapi::path::{Parameter as Published, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, SchemaFormat, Type};

/// Query parameter with its description in the contract.
#[derive(Clone, Copy)]
struct Parameter {
    name: &'static str,
    is_day: bool,
    description: &'static str,
}

impl Parameter {
    const fn day(name: &'static str, description: &'static str) -> Self {
        Self { name, is_day: true, description }
    }

    const fn text(name: &'static str, description: &'static str) -> Self {
        Self { name, is_day: false, description }
    }

    fn published(self) -> Published {
        let format = self.is_day.then_some(SchemaFormat::KnownFormat(KnownFormat::Date));
        ParameterBuilder::new()
            .name(self.name)
            .parameter_in(ParameterIn::Query)
            .required(Required::False)
            .description(Some(self.description))
            .schema(Some(ObjectBuilder::new().schema_type(Type::String).format(format)))
            .build()
    }
}

/// Parameters that select the visitors and the goal of a result.
const PARAMETERS: [Parameter; 8] = [
    Parameter::day("start_date", "Visitors who entered on this day or later."),
    Parameter::day("end_date", "Visitors who entered, and their events, until the end of this day."),
    Parameter::text("tz", "Where days begin: an IANA name (`Europe/Berlin`) or an hour offset (`2`). UTC by default."),
    Parameter::text("goal_key", "The goal to report; the primary one by default."),
    Parameter::text(
        "filter_by",
        "Filters from `mobile desktop tablet new returning paid search direct country-XX`, separated by commas. All \
         must match at entry; of several countries, one.",
    ),
    Parameter::text(
        "breakdown_by",
        "One of `device browser os country user_type landing_page referrer utm_source utm_medium utm_campaign`.",
    ),
    Parameter::text("epoch", "Visitors who entered in this epoch, or `all`."),
    Parameter::text(
        "report_phase",
        "`pre_deploy` (default): until a winner was served; `post_deploy`: from then on; `all_time`.",
    ),
];

/// Parameters that time series do not accept.
const RESULT_ONLY: [&str; 1] = ["breakdown_by"];

/// Parameters of a result.
pub(super) struct ResultQuery;

impl IntoParams for ResultQuery {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Published> {
        PARAMETERS.map(Parameter::published).into()
    }
}

/// Parameters of a time series. The contract describes them at the result.
pub(super) struct TimeseriesQuery;

impl IntoParams for TimeseriesQuery {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Published> {
        let shared = PARAMETERS.into_iter().filter(|parameter| !RESULT_ONLY.contains(&parameter.name));
        let described = shared.enumerate().map(|(at, parameter)| Parameter {
            description: if at == 0 { "As in the result, like the other parameters." } else { "As in the result." },
            ..parameter
        });
        described.map(Parameter::published).collect()
    }
}

/// Parameters that a holdout's result accepts.
const OF_HOLDOUTS: [&str; 4] = ["start_date", "end_date", "tz", "goal_key"];

/// Parameters of a holdout's result.
pub(super) struct HoldoutQuery;

impl IntoParams for HoldoutQuery {
    fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Published> {
        let taken = PARAMETERS.into_iter().filter(|parameter| OF_HOLDOUTS.contains(&parameter.name));
        let described = taken.map(|parameter| match parameter.name {
            "goal_key" => Parameter {
                description: "The goal to report; by default, the primary goal of most of its experiments.",
                ..parameter
            },
            _ => parameter,
        });
        described.map(Parameter::published).collect()
    }
}

/// Parses the query of a result.
pub(super) fn result_inquiry(query: Option<&str>) -> Result<Inquiry, ApiError> {
    read(Query::read(query, &PARAMETERS.map(|parameter| parameter.name)))
}

/// Parses the inquiry of a share: the parameters of a result as members of an object. The parser is the same; null
/// equals a missing member.
pub(in crate::handlers) fn shared_inquiry(query: &Json, place: String, found: &ProblemCollector) -> Option<Inquiry> {
    let names = PARAMETERS.map(|parameter| parameter.name);
    let fields = Fields::new(query, &*place, found)?;
    fields.only(&names, &[]);
    let values: Vec<(&str, String)> = names
        .iter()
        .filter_map(|name| {
            let value = match fields.get(name)? {
                Json::Null => return None,
                Json::Int(number) if *name == "epoch" => number.to_string(),
                value => text(value).map_err(|flaw| fields.add(name, flaw.to_string())).ok()?.to_owned(),
            };
            Some((*name, value))
        })
        .collect();
    match read(Query::of(values.into_iter())) {
        Ok(inquiry) => Some(inquiry),
        Err(error) => {
            for problem in error.problems() {
                fields.add(&problem.field, &*problem.message);
            }
            None
        }
    }
}

/// Parses the query of a time series. Parameters that only a result accepts are refused, because ignoring them would
/// answer another question.
pub(super) fn timeseries_inquiry(query: Option<&str>) -> Result<Inquiry, ApiError> {
    let mut query = Query::read(query, &PARAMETERS.map(|parameter| parameter.name));
    for name in RESULT_ONLY {
        query.refuse_given(name, "is a parameter of the result, but not of the time series");
    }
    read(query)
}

/// Parses the query of a holdout's result. Parameters that only results of experiments accept are refused too.
pub(super) fn holdout_inquiry(query: Option<&str>) -> Result<Inquiry, ApiError> {
    let names = PARAMETERS.map(|parameter| parameter.name);
    let mut query = Query::read(query, &names);
    for name in names.into_iter().filter(|name| !OF_HOLDOUTS.contains(name)) {
        query.refuse_given(name, "is a parameter of an experiment's result only, not of a holdout's");
    }
    read(query)
}

fn read(mut query: Query) -> Result<Inquiry, ApiError> {
    let inquiry = Inquiry {
        start_date: query.parsed("start_date", parse_day),
        end_date: query.parsed("end_date", parse_day),
        tz: query.parsed("tz", Zone::parse).unwrap_or_default(),
        goal_key: query.parsed("goal_key", |text| muriel_domain::text::title(text, 128)),
        filter_by: query.parsed("filter_by", parse_filter).unwrap_or_default(),
        breakdown_by: query.parsed("breakdown_by", parse_breakdown),
        epoch: query.parsed("epoch", epoch).flatten(),
        report_phase: query.parsed("report_phase", phase).unwrap_or_default(),
        ..Inquiry::default()
    };
    if inquiry.start_date.zip(inquiry.end_date).is_some_and(|(start, end)| end < start) {
        query.refuse("end_date", "must not be before start_date");
    }
    query.finish().map(|()| inquiry)
}

fn epoch(text: &str) -> Result<Option<i64>, Flaw> {
    if text == "all" {
        return Ok(None);
    }
    let digits = !text.is_empty() && text.len() <= 15 && text.bytes().all(|byte| byte.is_ascii_digit());
    match text.parse::<i64>() {
        Ok(number) if digits && number > 0 => Ok(Some(number)),
        _ => Err(Flaw::new("must be the number of an epoch, or all")),
    }
}

fn phase(text: &str) -> Result<Phase, Flaw> {
    let known = Phase::WORDS.iter().find(|(word, _)| *word == text);
    known.map(|(_, phase)| *phase).ok_or_else(|| Flaw::new("must be pre_deploy, post_deploy or all_time"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    fn check(query: &str, expect: Result<&str, &[&str]>) {
        let (body, found) = (json::parse(query.as_bytes()).unwrap(), ProblemCollector::default());
        let read = shared_inquiry(&body, "query".to_owned(), &found);
        let problems = found.into_problems();
        match expect {
            Ok(parameters) => {
                let of_result = result_inquiry(Some(parameters)).unwrap();
                assert!(problems.is_empty() && read == Some(of_result), "{query}: {problems:?}");
            }
            Err(fields) => {
                let named: Vec<_> = problems.iter().map(|problem| problem.field.as_str()).collect();
                assert_eq!(named, fields, "{query}");
            }
        }
    }

    #[test]
    fn a_fixed_query_is_read_as_that_of_a_result() {
        check("{}", Ok(""));
        check(r#"{"tz":null,"epoch":null}"#, Ok(""));
        check(
            r#"{"start_date":"2026-03-01","end_date":"2026-03-04","tz":"+05:30","goal_key":"bought","filter_by":"mobile,new",
            "breakdown_by":"device","epoch":2,"report_phase":"all_time"}"#,
            Ok(
                "start_date=2026-03-01&end_date=2026-03-04&tz=%2B05:30&goal_key=bought&filter_by=mobile,new&breakdown_by=device&\
                epoch=2&report_phase=all_time",
            ),
        );
        check(r#"{"epoch":"all"}"#, Ok("epoch=all"));
        check(r#"{"format":"csv"}"#, Err(&["query.format"]));
        check(r#"{"tz":7,"epoch":0,"filter_by":["new"]}"#, Err(&["query.tz", "query.filter_by", "query.epoch"]));
        check(r#"{"start_date":"2026-03-02","end_date":"2026-03-01"}"#, Err(&["query.end_date"]));
        check("[]", Err(&["query"]));
    }
}
