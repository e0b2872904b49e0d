//! Compiled targeting: the eligible visitors and pages.
//!
//! An [`Audience`] is a list of [`Rule`]s, one for each key of the interface's `targeting` that restricts anything.
//! Each rule results in yes, no or not yet known ([`Tri`]), and the audience is the conjunction of its rules. The
//! section "Targeting" of `docs/assignment.md` is the specification; `contract/assignment` has cases for every rule.
//!
//! Common to all rules:
//!
//! - A list without entries restricts nothing, so it is not compiled to a rule.
//! - Text comparison ignores the letter case of A to Z, and of no other letters.
//! - A fact that was not given is unknown, and the visitor is kept out for now. A fact that is known to be absent
//!   matches no inclusion, and passes every exclusion.

use crate::condition::{Comparison, Scalar};
use crate::observe::{Check, CheckOutcome, Observer};
use crate::page::PageRule;
use crate::tri::Tri;
use crate::visitor::{EvaluationSide, Fact, LocalTime, Visitor};
use muriel_domain::referral::{Referrer, source};
use muriel_domain::targeting::{
    self, AttributeCondition, Condition, Country, CountryMode, DAYS, EventRule, Groups, Match, Schedule, Targeting,
    UserRule, minutes,
};
use muriel_domain::{Flaw, Problems};

/// Texts of a rule, one of which has to match; as written in the rule.
type Words = Box<[Box<str>]>;

/// Rules that all have to hold, the cheap ones first.
#[derive(Debug, Clone, Default)]
pub(crate) struct Audience {
    rules: Box<[Rule]>,
}

/// A targeting rule. `Groups` are conditions on two levels: all groups have to hold, and in a group any condition.
#[derive(Debug, Clone)]
enum Rule {
    /// `device_rule`: the device is one of these, such as `mobile`.
    Device(Words),
    /// `browser_rule`: the browser is one of these, such as `firefox`.
    Browser(Words),
    /// `os_rule`: the operating system is one of these, such as `macOS`.
    System(Words),
    /// `user_rule`: `new` or `returning`.
    VisitorType(Box<str>),
    /// `browser_language_rule`: the preferred language is one of these tags, or begins with one: `en` matches `en-GB`.
    Language(Words),
    /// `allowed_country`: ISO 3166-1 alpha-2 codes. Without inclusions everything is included; an exclusion overrides
    /// an inclusion.
    Country { included: Words, excluded: Words },
    /// `allowed_region`: names, compared by [`same_place`]; otherwise like countries.
    Region { included: Words, excluded: Words },
    /// `allowed_city`: like regions.
    City { included: Words, excluded: Words },
    /// `ga4_rule`: the visitor is in one of these audiences, by the names that the page provided.
    Audiences(Words),
    /// `segment_rule`: conditions on the visitor's attributes.
    Segment(Groups<NamedComparison>),
    /// `parameter_rule`: conditions on the query parameters of the page.
    Parameter(Groups<NamedComparison>),
    /// `cookie_rule`: conditions on cookies, which only the page knows.
    Cookie(Groups<NamedComparison>),
    /// `referral_rule`: conditions on the origin of the visit.
    Referral(Groups<ReferralCondition>),
    /// `url_rule`: the page's address. Without inclusions every page is included; an exclusion overrides an inclusion.
    Url { included: Box<[PageRule]>, excluded: Box<[PageRule]> },
    /// `event_rule`: earlier events of the visitor; all entries have to hold.
    Event(Box<[EventCondition]>),
    /// `schedule_rule`: the visitor's local time, which only the page knows, is in one of these windows.
    Schedule(Box<[ScheduleWindow]>),
}

/// The name of a value, and the comparison to make with it.
#[derive(Debug, Clone)]
struct NamedComparison {
    name: Box<str>,
    comparison: Comparison,
}

/// Property of a visit's origin.
#[derive(Debug, Clone, Copy, PartialEq)]
enum ReferralPart {
    /// The referrer's host in lower case. Absent when the referrer is not an address.
    Host,
    /// The whole referrer.
    Url,
    /// The source, such as `search`: from the visitor's context, or else from referrer and page.
    Source,
}

/// A condition on the origin of a visit.
#[derive(Debug, Clone)]
struct ReferralCondition {
    part: ReferralPart,
    comparison: Comparison,
}

/// An action that the visitor must, or must not, have done.
#[derive(Debug, Clone)]
struct EventCondition {
    /// True when the visitor must have done it, false when the visitor must not.
    wanted: bool,
    /// Name of the event, compared byte for byte.
    name: Box<str>,
    /// Conditions on the event's attributes: any group, and all conditions of a group. Without a group every event
    /// counts. The two levels are the reverse of those elsewhere, as in the interface.
    attributes: Groups<NamedComparison>,
    /// Number of events needed, 1 to [`EVENT_COUNT_MAX`].
    min_count: i64,
    /// Milliseconds for which an event counts; `None` for no limit.
    within_ms: Option<i64>,
}

/// Days of the week and minutes of the day, in the visitor's local time.
#[derive(Debug, Clone)]
struct ScheduleWindow {
    /// Days of the week, Monday first.
    days: [bool; 7],
    /// Start and end in minutes from midnight, the end exclusive. When the end is not later than the start, it is on
    /// the next day, and the window belongs to the day on which it begins.
    ranges: Box<[(u16, u16)]>,
}

/// Minutes in a day.
const MINUTES_PER_DAY: u16 = 1_440;
/// Maximum value of `min_count`.
const EVENT_COUNT_MAX: i64 = 1_000_000;
/// Maximum value of `timeframe_days`, in days.
const EVENT_DAYS_MAX: i64 = 3_650;

impl Audience {
    /// Compiles an audience and the pages that it applies to.
    ///
    /// # Errors
    /// Every rule that cannot be evaluated, with its place, such as `segment_rule[0][1]`: unknown operators, operators
    /// without the value that they need, regular expressions that are not portable, counts and times out of range.
    pub(crate) fn compile(audience: &targeting::Audience, pages: &[targeting::UrlRule]) -> Result<Self, Problems> {
        // Destructured by name: a rule that is declared and not compiled here would let everybody in.
        let targeting::Audience {
            referral_rule,
            allowed_country,
            allowed_region,
            allowed_city,
            device_rule,
            browser_rule,
            os_rule,
            user_rule,
            browser_language_rule,
            segment_rule,
            event_rule,
            parameter_rule,
            ga4_rule,
            cookie_rule,
            schedule_rule,
        } = audience;
        let mut problems = Problems::default();
        let mut rules = Vec::new();
        let words = |words: &[String]| words.iter().map(|word| word.as_str().into()).collect::<Words>();
        for (rule, list) in
            [(Rule::Device as fn(Words) -> Rule, device_rule), (Rule::Browser, browser_rule), (Rule::System, os_rule)]
        {
            if !list.is_empty() {
                rules.push(rule(words(list)));
            }
        }
        match user_rule {
            UserRule::Word(word) => rules.push(Rule::VisitorType(word.as_str().into())),
            UserRule::List(list) => {
                if list.len() > 1 {
                    problems.add("user_rule", "must have at most one entry");
                }
                rules.extend(list.first().map(|word| Rule::VisitorType(word.as_str().into())));
            }
        }
        if !browser_language_rule.is_empty() {
            rules.push(Rule::Language(words(browser_language_rule)));
        }
        if !allowed_country.is_empty() {
            let of = |mode| {
                let countries = allowed_country.iter().filter(|country: &&Country| country.rule == mode);
                countries.map(|country| country.code.as_str().into()).collect::<Words>()
            };
            rules.push(Rule::Country { included: of(CountryMode::Whitelist), excluded: of(CountryMode::Blacklist) });
        }
        let places = |places: &[targeting::PlaceRule], rule: Match| {
            places.iter().filter(|place| place.rule == rule).map(|place| place.name.as_str().into()).collect::<Words>()
        };
        if !allowed_region.is_empty() {
            let of = |rule| places(allowed_region, rule);
            rules.push(Rule::Region { included: of(Match::Equal), excluded: of(Match::NotEqual) });
        }
        if !allowed_city.is_empty() {
            let of = |rule| places(allowed_city, rule);
            rules.push(Rule::City { included: of(Match::Equal), excluded: of(Match::NotEqual) });
        }
        if !ga4_rule.is_empty() {
            rules.push(Rule::Audiences(words(ga4_rule)));
        }
        let mut grouped = |field: &str, groups: &Groups<Condition>, rule: fn(Groups<NamedComparison>) -> Rule| {
            let named = compiled(field, groups, &mut problems, |condition| {
                let comparison = Comparison::compile(&condition.operator, condition.value.as_ref());
                Some(NamedComparison { name: condition.criteria.as_str().into(), comparison: comparison? })
            });
            if !named.is_empty() {
                rules.push(rule(named));
            }
        };
        grouped("segment_rule", segment_rule, Rule::Segment);
        grouped("parameter_rule", parameter_rule, Rule::Parameter);
        grouped("cookie_rule", cookie_rule, Rule::Cookie);
        let referral = compiled("referral_rule", referral_rule, &mut problems, |condition| {
            let part = match condition.criteria.as_str() {
                "host" => ReferralPart::Host,
                "url" => ReferralPart::Url,
                "source" => ReferralPart::Source,
                _ => return None,
            };
            let comparison = Comparison::compile(&condition.operator, condition.value.as_ref())?;
            Some(ReferralCondition { part, comparison })
        });
        if !referral.is_empty() {
            rules.push(Rule::Referral(referral));
        }
        rules.extend(url_rule(pages, &mut problems));
        if !event_rule.is_empty() {
            rules.push(Rule::Event(events(event_rule, &mut problems)));
        }
        // As everywhere, a list without entries restricts nothing.
        if let Some(schedule) = schedule_rule.as_ref().filter(|rule| !rule.schedule_groups.is_empty()) {
            rules.push(Rule::Schedule(hours(schedule, &mut problems)));
        }
        problems.none_or(Self { rules: rules.into() })
    }

    /// Like [`Audience::compile`], for an experiment.
    pub(crate) fn of_experiment(targeting: &Targeting) -> Result<Self, Problems> {
        Self::compile(&targeting.audience, &targeting.url_rule)
    }

    /// Names of the rules that a server does not check.
    pub(crate) fn browser_only(&self) -> impl Iterator<Item = &'static str> {
        self.rules.iter().filter(|rule| rule.is_browser_only()).map(Rule::name)
    }

    /// Returns whether the visitor is in the audience. Stops at the first rule that does not hold, unless the observer
    /// is thorough.
    pub(crate) fn has<O: Observer>(&self, visitor: &Visitor<'_>, observer: &mut O) -> Tri {
        let mut all = Tri::Yes;
        for rule in &*self.rules {
            if visitor.side == EvaluationSide::Server && rule.is_browser_only() {
                observer.on_check(Check::Rule(rule.name()), CheckOutcome::NotEnforced, || {
                    "only the page can look; a server passes it over".to_owned()
                });
                continue;
            }
            let holds = rule.holds(visitor);
            let outcome = match holds {
                Tri::Yes => CheckOutcome::Pass,
                Tri::No => CheckOutcome::Fail,
                Tri::Unknown => CheckOutcome::Unknown,
            };
            observer.on_check(Check::Rule(rule.name()), outcome, || rule.explain(visitor, holds));
            all = all.and(holds);
            if all == Tri::No && !O::THOROUGH {
                break;
            }
        }
        all
    }
}

/// Compiles groups of conditions, each with `compile`. Adds a problem with its place for each condition that it
/// refuses.
fn compiled<T>(
    field: &str,
    groups: &Groups<Condition>,
    problems: &mut Problems,
    compile: impl Fn(&Condition) -> Option<T>,
) -> Groups<T> {
    let mut compiled = Vec::with_capacity(groups.len());
    for (at, group) in groups.iter().enumerate() {
        let mut any = Vec::with_capacity(group.len());
        for (within, condition) in group.iter().enumerate() {
            match compile(condition) {
                Some(condition) => any.push(condition),
                None => problems.add(format!("{field}[{at}][{within}]"), "is not a condition that can be decided"),
            }
        }
        // A group without entries restricts nothing.
        if !any.is_empty() {
            compiled.push(any);
        }
    }
    compiled
}

/// Compiles the rule of the pages. `None` when there are no pages.
fn url_rule(rules: &[targeting::UrlRule], problems: &mut Problems) -> Option<Rule> {
    let (mut included, mut excluded) = (Vec::new(), Vec::new());
    for (at, rule) in rules.iter().enumerate() {
        match PageRule::compile(rule) {
            Ok(page) if rule.allowed => included.push(page),
            Ok(page) => excluded.push(page),
            Err(flaw) => problems.add(format!("url_rule[{at}].url"), Flaw::to_string(&flaw)),
        }
    }
    let some = !included.is_empty() || !excluded.is_empty();
    some.then(|| Rule::Url { included: included.into(), excluded: excluded.into() })
}

/// Compiles the entries of `event_rule`. Problems have the place of the entry.
///
/// A group of attributes without conditions holds for every event, unlike the empty groups of other rules, which are
/// skipped.
fn events(rules: &[EventRule], problems: &mut Problems) -> Box<[EventCondition]> {
    let mut done = Vec::with_capacity(rules.len());
    for (at, rule) in rules.iter().enumerate() {
        let mut attributes = Vec::new();
        for (group, conditions) in rule.attributes.iter().enumerate() {
            let mut all = Vec::new();
            for (within, AttributeCondition { key, operand, value }) in conditions.iter().enumerate() {
                match Comparison::compile(operand, value.as_ref()) {
                    Some(comparison) => all.push(NamedComparison { name: key.as_str().into(), comparison }),
                    None => problems.add(
                        format!("event_rule[{at}].attributes[{group}][{within}]"),
                        "is not a condition that can be decided",
                    ),
                }
            }
            attributes.push(all);
        }
        if !(1..=EVENT_COUNT_MAX).contains(&rule.min_count) {
            problems.add(format!("event_rule[{at}].min_count"), format!("must be from 1 to {EVENT_COUNT_MAX}"));
        }
        if !(0..=EVENT_DAYS_MAX).contains(&rule.timeframe_days) {
            problems.add(format!("event_rule[{at}].timeframe_days"), format!("must be from 0 to {EVENT_DAYS_MAX}"));
        }
        done.push(EventCondition {
            wanted: rule.rule == Match::Equal,
            name: rule.name.as_str().into(),
            attributes,
            min_count: rule.min_count,
            within_ms: (rule.timeframe_days > 0)
                .then(|| rule.timeframe_days.saturating_mul(i64::from(MINUTES_PER_DAY) * 60_000)),
        });
    }
    done.into()
}

/// Compiles the windows of `schedule_rule`. A window without days applies on every day, one without times all day.
/// `24:00` is the end of a day.
fn hours(schedule: &Schedule, problems: &mut Problems) -> Box<[ScheduleWindow]> {
    let mut groups = Vec::with_capacity(schedule.schedule_groups.len());
    for (at, group) in schedule.schedule_groups.iter().enumerate() {
        let mut days = [group.days.is_empty(); 7];
        for day in &group.days {
            match DAYS.iter().position(|known| known == day) {
                Some(index) => days[index] = true,
                None => problems.add(format!("schedule_rule.schedule_groups[{at}].days"), "has an unknown day"),
            }
        }
        let mut ranges = Vec::new();
        for range in &group.time_ranges {
            let end = if range.end == "24:00" { Some(MINUTES_PER_DAY) } else { minutes(&range.end) };
            match (minutes(&range.start), end) {
                (Some(start), Some(end)) => ranges.push((start, end)),
                _ => problems.add(format!("schedule_rule.schedule_groups[{at}].time_ranges"), "has an unknown time"),
            }
        }
        if group.time_ranges.is_empty() {
            ranges.push((0, MINUTES_PER_DAY));
        }
        groups.push(ScheduleWindow { days, ranges: ranges.into() });
    }
    groups.into()
}

impl ScheduleWindow {
    /// Returns whether the window is open at this time.
    ///
    /// When start and end are equal, the window is open for 24 hours from the start.
    fn contains(&self, now: LocalTime) -> bool {
        let today = usize::from(now.weekday % 7);
        let yesterday = (today + 6) % 7;
        self.ranges.iter().any(|&(start, end)| {
            if start < end {
                self.days[today] && (start..end).contains(&now.minute)
            } else {
                // Past midnight, the window belongs to the day on which it begins.
                (self.days[today] && now.minute >= start) || (self.days[yesterday] && now.minute < end)
            }
        })
    }
}

impl NamedComparison {
    /// Returns whether the comparison holds for a value, `None` when absent. `now_ms` is in milliseconds since 1970.
    fn holds(&self, value: Option<Scalar<'_>>, now_ms: i64) -> bool {
        self.comparison.holds(value, now_ms)
    }
}

impl EventCondition {
    /// Returns whether the visitor did it often and recently enough or, when it is not wanted, did not.
    ///
    /// For a visitor known to have done nothing before, the list of events is empty. For a visitor without that
    /// information, the result is unknown.
    ///
    /// An event in the future has a negative age, so it counts for every period.
    fn holds(&self, visitor: &Visitor<'_>) -> Tri {
        let events = match &visitor.events {
            Fact::Unknown => return Tri::Unknown,
            Fact::Absent => &[][..],
            Fact::Is(events) => events,
        };
        let counted = events.iter().filter(|event| {
            let age_ms = visitor.now_ms.saturating_sub(event.at_ms);
            let attribute =
                |name: &str| event.attributes.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
            event.name == &*self.name
                && self.within_ms.is_none_or(|within| age_ms <= within)
                && (self.attributes.is_empty()
                    || self.attributes.iter().any(|group| {
                        group.iter().all(|condition| condition.holds(attribute(&condition.name), visitor.now_ms))
                    }))
        });
        let reached = counted.count() as i64 >= self.min_count;
        (reached == self.wanted).into()
    }
}

impl ReferralCondition {
    /// Returns whether the condition on the origin holds. A source in the context takes precedence over the referrer,
    /// which a server often does not know.
    fn holds(&self, visitor: &Visitor<'_>) -> Tri {
        if let (ReferralPart::Source, Fact::Is(source)) = (self.part, visitor.source) {
            return self.comparison.holds(Some(Scalar::Text(source)), visitor.now_ms).into();
        }
        let referrer = match &visitor.referrer {
            Fact::Unknown => return Tri::Unknown,
            Fact::Absent => None,
            Fact::Is(referrer) => Some(referrer),
        };
        let value = match self.part {
            ReferralPart::Url => referrer.map(Referrer::as_str),
            ReferralPart::Host => referrer.and_then(Referrer::host),
            ReferralPart::Source => {
                let page = match &visitor.url {
                    Fact::Is(page) => Some(page),
                    _ => None,
                };
                Some(source(referrer.cloned(), page).word())
            }
        };
        self.comparison.holds(value.map(Scalar::Text), visitor.now_ms).into()
    }
}

/// All of the groups, and any condition of a group; yes without groups. An unknown condition matters only when the
/// known ones do not decide.
fn grouped<T>(groups: &Groups<T>, holds: impl Fn(&T) -> Tri) -> Tri {
    Tri::all(groups.iter().map(|group| Tri::any(group.iter().map(&holds))))
}

/// Returns whether a fact is one of these texts. No for a fact that is known to be absent.
fn one_of(words: &Words, fact: Fact<&str>) -> Tri {
    match fact {
        Fact::Unknown => Tri::Unknown,
        Fact::Absent => Tri::No,
        Fact::Is(text) => words.iter().any(|word| word.eq_ignore_ascii_case(text)).into(),
    }
}

/// Returns whether a fact is included and not excluded. Without inclusions everything is included, even an absent fact.
/// An exclusion overrides an inclusion.
fn in_and_out(included: &Words, excluded: &Words, fact: Fact<&str>, same: impl Fn(&str, &str) -> bool) -> Tri {
    let within = |words: &Words, text: &str| words.iter().any(|word| same(word, text));
    match fact {
        Fact::Unknown => Tri::Unknown,
        Fact::Absent => included.is_empty().into(),
        Fact::Is(text) => (!within(excluded, text) && (included.is_empty() || within(included, text))).into(),
    }
}

/// Returns whether two names mean the same place: they are equal, or one of them adds a part in parentheses, such as
/// `Berlin (Berlin)` and `Berlin`.
fn same_place(rule: &str, place: &str) -> bool {
    let (short, long) = if rule.len() <= place.len() { (rule, place) } else { (place, rule) };
    let (same, more) = long.as_bytes().split_at(short.len());
    same.eq_ignore_ascii_case(short.as_bytes()) && (more.is_empty() || more.starts_with(b" ("))
}

/// Returns whether a tag is in the language of the rule: `en` matches `en` and `en-GB`.
fn same_language(rule: &str, tag: &str) -> bool {
    let (rule, tag) = (rule.as_bytes(), tag.as_bytes());
    tag.len() >= rule.len()
        && tag[..rule.len()].eq_ignore_ascii_case(rule)
        && tag.get(rule.len()).is_none_or(|next| *next == b'-' || *next == b'_')
}

impl Rule {
    /// Name in the interface.
    fn name(&self) -> &'static str {
        match self {
            Rule::Device(_) => "device_rule",
            Rule::Browser(_) => "browser_rule",
            Rule::System(_) => "os_rule",
            Rule::VisitorType(_) => "user_rule",
            Rule::Language(_) => "browser_language_rule",
            Rule::Country { .. } => "allowed_country",
            Rule::Region { .. } => "allowed_region",
            Rule::City { .. } => "allowed_city",
            Rule::Audiences(_) => "ga4_rule",
            Rule::Segment(_) => "segment_rule",
            Rule::Parameter(_) => "parameter_rule",
            Rule::Cookie(_) => "cookie_rule",
            Rule::Referral(_) => "referral_rule",
            Rule::Url { .. } => "url_rule",
            Rule::Event(_) => "event_rule",
            Rule::Schedule(_) => "schedule_rule",
        }
    }

    /// Returns whether only a page can check the rule: a server knows neither the cookies nor the local time of a
    /// visitor.
    fn is_browser_only(&self) -> bool {
        matches!(self, Rule::Cookie(_) | Rule::Schedule(_))
    }

    /// Returns whether the visitor matches the rule; unknown while the fact that it needs is unknown.
    fn holds(&self, visitor: &Visitor<'_>) -> Tri {
        let now_ms = visitor.now_ms;
        match self {
            Rule::Device(words) => one_of(words, visitor.device),
            Rule::Browser(words) => one_of(words, visitor.browser),
            Rule::System(words) => one_of(words, visitor.os),
            Rule::VisitorType(word) => match visitor.visitor_type {
                Fact::Unknown => Tri::Unknown,
                Fact::Absent => Tri::No,
                Fact::Is(text) => word.eq_ignore_ascii_case(text).into(),
            },
            Rule::Language(words) => match visitor.language {
                Fact::Unknown => Tri::Unknown,
                Fact::Absent => Tri::No,
                Fact::Is(tag) => words.iter().any(|word| same_language(word, tag)).into(),
            },
            Rule::Country { included, excluded } => {
                in_and_out(included, excluded, visitor.country, |rule, code| rule.eq_ignore_ascii_case(code))
            }
            Rule::Region { included, excluded } => in_and_out(included, excluded, visitor.region, same_place),
            Rule::City { included, excluded } => in_and_out(included, excluded, visitor.city, same_place),
            Rule::Audiences(words) => match &visitor.audiences {
                Fact::Unknown => Tri::Unknown,
                Fact::Absent => Tri::No,
                Fact::Is(names) => {
                    words.iter().any(|word| names.iter().any(|name| word.eq_ignore_ascii_case(name))).into()
                }
            },
            Rule::Segment(groups) => {
                grouped(groups, |condition| condition.holds(visitor.attribute(&condition.name), now_ms).into())
            }
            Rule::Parameter(groups) => match &visitor.url {
                Fact::Unknown => Tri::Unknown,
                Fact::Absent => grouped(groups, |condition| condition.holds(None, now_ms).into()),
                Fact::Is(address) => grouped(groups, |condition| {
                    let value = address.parameter(&condition.name);
                    condition.holds(value.as_deref().map(Scalar::Text), now_ms).into()
                }),
            },
            Rule::Cookie(groups) => match &visitor.cookies {
                Fact::Unknown => Tri::Unknown,
                Fact::Absent => grouped(groups, |condition| condition.holds(None, now_ms).into()),
                Fact::Is(cookies) => grouped(groups, |condition| {
                    let value = cookies.iter().find(|(name, _)| *name == &*condition.name);
                    condition.holds(value.map(|(_, value)| Scalar::Text(value)), now_ms).into()
                }),
            },
            Rule::Referral(groups) => grouped(groups, |condition| condition.holds(visitor)),
            Rule::Url { included, excluded } => match &visitor.url {
                Fact::Unknown => Tri::Unknown,
                Fact::Absent => included.is_empty().into(),
                Fact::Is(address) => {
                    let within = |rules: &[PageRule]| rules.iter().any(|rule| rule.matches(address));
                    (!within(excluded) && (included.is_empty() || within(included))).into()
                }
            },
            Rule::Event(entries) => Tri::all(entries.iter().map(|entry| entry.holds(visitor))),
            Rule::Schedule(groups) => match visitor.local_time {
                Fact::Unknown => Tri::Unknown,
                Fact::Absent => Tri::No,
                Fact::Is(now) => groups.iter().any(|window| window.contains(now)).into(),
            },
        }
    }

    /// Returns a sentence for an explanation: the fact that the rule used, and the consequence. Texts of the visitor
    /// are quoted and cut.
    fn explain(&self, visitor: &Visitor<'_>, holds: Tri) -> String {
        let what = match self {
            Rule::Device(_) => describe("the device", visitor.device),
            Rule::Browser(_) => describe("the browser", visitor.browser),
            Rule::System(_) => describe("the operating system", visitor.os),
            Rule::VisitorType(_) => describe("the visitor's type", visitor.visitor_type),
            Rule::Language(_) => describe("the language", visitor.language),
            Rule::Country { .. } => describe("the country", visitor.country),
            Rule::Region { .. } => describe("the region", visitor.region),
            Rule::City { .. } => describe("the city", visitor.city),
            Rule::Audiences(_) => match &visitor.audiences {
                Fact::Is(names) => format!("{} audiences were handed over", names.len()),
                _ => "no audiences were handed over".to_owned(),
            },
            Rule::Segment(groups) => looked_up(groups, |name| visitor.attribute(name).map(shown)),
            Rule::Parameter(groups) => match &visitor.url {
                Fact::Is(address) => looked_up(groups, |name| address.parameter(name).map(|value| quoted(&value))),
                _ => "the page's address is not known".to_owned(),
            },
            Rule::Cookie(groups) => match &visitor.cookies {
                Fact::Is(cookies) => {
                    looked_up(groups, |name| cookies.iter().find(|(known, _)| *known == name).map(|(_, v)| quoted(v)))
                }
                _ => "the cookies are not known".to_owned(),
            },
            Rule::Referral(_) => match &visitor.referrer {
                Fact::Is(referrer) => describe("the referrer", Fact::Is(referrer.as_str())),
                Fact::Absent => describe("the referrer", Fact::Absent),
                Fact::Unknown => describe("the referrer", visitor.source),
            },
            Rule::Url { .. } => match &visitor.url {
                Fact::Is(address) => format!("the page is {}", quoted(address.as_str())),
                _ => "the page's address is not known".to_owned(),
            },
            Rule::Event(entries) => match &visitor.events {
                Fact::Unknown => "what the visitor did before is not known".to_owned(),
                Fact::Absent => "the visitor did nothing before".to_owned(),
                Fact::Is(events) => {
                    let named = |name: &str| events.iter().filter(|event| event.name == name).count();
                    let counts: Vec<_> =
                        entries.iter().map(|entry| format!("{} {}×", entry.name, named(&entry.name))).collect();
                    format!("the visitor did {}", counts.join(", "))
                }
            },
            Rule::Schedule(_) => match visitor.local_time {
                Fact::Is(now) => {
                    let day = DAYS[usize::from(now.weekday % 7)];
                    format!("it is {day} {:02}:{:02} for the visitor", now.minute / 60, now.minute % 60)
                }
                _ => "the visitor's time is not known".to_owned(),
            },
        };
        let verdict = match holds {
            Tri::Yes => "the rule lets the visitor in",
            Tri::No => "the rule keeps the visitor out",
            Tri::Unknown => "until that is known, the rule keeps the visitor out",
        };
        format!("{what}; {verdict}")
    }
}

/// The value of a fact, as the beginning of a sentence: `the device is "mobile"`.
fn describe(what: &str, fact: Fact<&str>) -> String {
    match fact {
        Fact::Unknown => format!("{what} is not known"),
        Fact::Absent => format!("{what} is known to be absent"),
        Fact::Is(text) => format!("{what} is {}", quoted(text)),
    }
}

/// The values that conditions use, each name once: `plan is "pro", age is absent`.
fn looked_up(groups: &Groups<NamedComparison>, value: impl Fn(&str) -> Option<String>) -> String {
    let mut names: Vec<&str> = Vec::new();
    for condition in groups.iter().flatten() {
        if !names.contains(&&*condition.name) {
            names.push(&condition.name);
        }
    }
    let parts: Vec<_> = names
        .iter()
        .take(10)
        .map(|name| match value(name) {
            Some(value) => format!("{name} is {value}"),
            None => format!("{name} is absent"),
        })
        .collect();
    parts.join(", ")
}

/// A value in an explanation: text in quotes, numbers and booleans without.
fn shown(value: Scalar<'_>) -> String {
    match value {
        Scalar::Flag(flag) => flag.to_string(),
        Scalar::Number(number) => number.to_string(),
        Scalar::Text(text) => quoted(text),
    }
}

/// Cut, so that the length of an explanation does not depend on the input.
fn quoted(text: &str) -> String {
    let cut: String = text.chars().take(120).collect();
    let more = if cut.len() < text.len() { "…" } else { "" };
    format!("\"{cut}{more}\"")
}
