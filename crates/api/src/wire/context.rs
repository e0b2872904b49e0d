//! Evaluation context of a visitor, as OpenFeature clients send it.

use crate::json::Json;
use muriel_assign::{ContextValue, Fact, Scalar, Visitor};
use muriel_delivery::visitor::{Origin, Visitors};
use muriel_domain::Problems;

/// Borrows the values of a context.
impl<'a> From<&'a Json> for ContextValue<'a> {
    fn from(json: &'a Json) -> Self {
        match json {
            Json::Null => ContextValue::Null,
            Json::Bool(flag) => ContextValue::Scalar(Scalar::Flag(*flag)),
            // Every integer up to 2⁵³ is exact as a double.
            Json::Int(number) => ContextValue::Scalar(Scalar::Number(*number as f64)),
            Json::Float(number) => ContextValue::Scalar(Scalar::Number(*number)),
            Json::Text(text) | Json::Beyond(text) => ContextValue::Scalar(Scalar::Text(text)),
            Json::Array(items) => ContextValue::List(items.iter().map(ContextValue::from).collect()),
            Json::Object(members) => {
                ContextValue::Object(members.iter().map(|(key, value)| (key.as_str(), value.into())).collect())
            }
        }
    }
}

/// Origin of the visitor, from the attributes `ip` and `user_agent` of the context. `None`
/// if both are missing.
pub(crate) fn origin(members: &[(String, Json)], visitors: &Visitors) -> Option<Origin> {
    let text = |name: &str| members.iter().find(|(key, _)| key == name).and_then(|(_, value)| value.as_str());
    let (ip, user_agent) = (text("ip").and_then(|ip| ip.parse().ok()), text("user_agent"));
    (ip.is_some() || user_agent.is_some()).then(|| visitors.origin_of(ip, user_agent))
}

/// Visitor that a context describes. Missing facts are filled in from the origin.
///
/// # Errors
/// As [`Visitor::read`].
pub(crate) fn visitor<'a>(
    members: &'a [(String, Json)],
    origin: Option<&'a Origin>,
    now_ms: i64,
) -> Result<Visitor<'a>, Problems> {
    let mut visitor = Visitor::read(members.iter().map(|(key, value)| (key.as_str(), ContextValue::from(value))))?;
    visitor.now_ms = now_ms;
    if let Some(origin) = origin {
        complete(&mut visitor, origin);
    }
    Ok(visitor)
}

fn complete<'a>(visitor: &mut Visitor<'a>, origin: &'a Origin) {
    fn fill<'a>(fact: &mut Fact<&'a str>, known: Option<&'a str>) {
        if let (Fact::Unknown, Some(known)) = (*fact, known) {
            *fact = Fact::Is(known);
        }
    }
    fill(&mut visitor.device, origin.agent.device);
    fill(&mut visitor.browser, origin.agent.browser);
    fill(&mut visitor.os, origin.agent.os);
    if let Some(location) = origin.location() {
        fill(&mut visitor.country, location.country.as_deref());
        fill(&mut visitor.region, location.region.as_deref());
        fill(&mut visitor.city, location.city.as_deref());
    }
}
