"""The calls that each generated client makes: the main writes, and reads of what they wrote."""

import base64
import hashlib
import hmac
import time
from dataclasses import dataclass, field

# Operations that no client calls, with the reason.
NOT_CALLED = {
    "beginOidcSignIn": "a redirect of browsers; tests/oidc",
    "finishOidcSignIn": "a redirect of browsers; tests/oidc",
    "createPasskey": "needs an authenticator; web/dashboard/tests",
    "signInWithPasskey": "needs an authenticator; web/dashboard/tests",
    "streamVisitor": "a stream without an end; tests/stories/live.rs",
    "sendEventBatch": "lines of JSON, which the generators cannot send; the rig sends its visitors with it",
}


@dataclass(frozen=True)
class Ref:
    """A value of an earlier answer, such as `goal.goal_key`, or of what the rig passes to the walk: `given.project`.

    `after` keeps only the text after the last such character. `totp` makes the current code of the secret.
    """

    path: str
    after: str = ""
    totp: bool = False

    def resolve(self, answers):
        value = answers
        for part in self.path.split("."):
            value = value[int(part) if part.isdecimal() else part]
        if self.totp:
            return code(value)
        return value.rpartition(self.after)[2] if self.after else value


@dataclass(frozen=True)
class Step:
    operation: str
    parameters: dict = field(default_factory=dict)
    body: object = None
    # `key`, `person` or `anyone`.
    caller: str = "key"
    # The answer's status; without one, that of the operation's success.
    status: int | None = None
    # Name of the answer for later steps.
    name: str = ""


def resolved(value, answers):
    """Replaces the references in a value."""
    if isinstance(value, Ref):
        return value.resolve(answers)
    if isinstance(value, dict):
        return {name: resolved(member, answers) for name, member in value.items()}
    if isinstance(value, list):
        return [resolved(item, answers) for item in value]
    return value


def code(secret):
    """The current code of a second factor (RFC 6238)."""
    key = base64.b32decode(secret + "=" * (-len(secret) % 8))
    digest = hmac.digest(key, int(time.time() // 30).to_bytes(8, "big"), hashlib.sha1)
    offset = digest[-1] & 15
    return f"{(int.from_bytes(digest[offset : offset + 4], 'big') & 0x7FFFFFFF) % 1_000_000:06}"


def do(operation, name="", /, *, body=None, caller="key", status=None, **parameters):
    """A step in the project."""
    return Step(operation, {"project_key": Ref("given.project"), **parameters}, body, caller, status, name)


def outside(operation, name="", /, *, body=None, caller="key", status=None, **parameters):
    """A step outside of projects."""
    return Step(operation, parameters, body, caller, status, name)


def person(operation, name="", /, **given):
    """A step of a signed-in person, outside of projects."""
    return outside(operation, name, caller="person", **given)


GOAL = {"goal_profile_id": Ref("goal.goal_profile_id")}
IDEA = {"hypothesis_id": Ref("idea.hypothesis_id")}
TEST = {"test_id": Ref("test.test_id")}
SECOND = {"test_id": Ref("second.test_id")}
HOOK = {"webhook_id": Ref("hook.webhook_id")}
CONTEXT = {"targetingKey": "v 1", "country": "DK", "attributes": {"plan": "gold", "age": 41.5, "member": True}}
SHOP = "https://shop.example/"

COMPARISONS = [[{"criteria": "utm_source", "operator": "==", "value": "ads"}, {"criteria": "x", "operator": "nx"}]]
RULES = {
    "url_rule": [{"url": SHOP, "rule": "simple", "allowed": True}],
    "referral_rule": [[{"criteria": "source", "operator": "==", "value": "paid"}]],
    "allowed_country": [{"name": "Denmark", "code": "DK", "rule": "whitelist"}],
    "allowed_region": [{"name": "California (US)", "rule": "notEqual"}],
    "allowed_city": [{"name": "Berlin (Berlin)", "rule": "equal"}],
    "device_rule": ["mobile", "desktop"],
    "browser_rule": ["ie"],
    "os_rule": ["macOS", "ios"],
    "user_rule": ["returning"],
    "browser_language_rule": ["en", "pt-BR"],
    "segment_rule": COMPARISONS,
    "event_rule": [
        {
            "rule": "equal",
            "name": "Purchase",
            "attributes": [[{"key": "total", "operand": "gte", "value": 10.5}, {"key": "gift", "operand": "bt"}]],
            "min_count": 2,
            "timeframe_days": 30,
        }
    ],
    "parameter_rule": COMPARISONS,
    "ga4_rule": ["Loyal"],
    "cookie_rule": COMPARISONS,
    "schedule_rule": {"schedule_groups": [{"days": ["monday"], "time_ranges": [{"start": "22:00", "end": "02:00"}]}]},
}

# The experiment's pages are not a rule of a variant.
RULES_OF_VARIANTS = {name: rule for name, rule in RULES.items() if name != "url_rule"}

WALK = [
    # Goals and hypotheses.
    do(
        "createGoal",
        "goal",
        body={"goal_name": "Bought", "goal_type": "revenue", "goal_value": "bought", "cap": 500, "currency": "EUR"},
    ),
    do("createGoal", "clicks", body={"goal_name": "Clicked", "goal_type": "event", "goal_value": "clicked", "window_days": 7}),
    do("createGoal", "doomed", body={"goal_name": "Doomed", "goal_type": "pageview", "goal_value": "/thanks"}),
    do("updateGoal", **GOAL, body={"goal_name": "Bought something", "max_order_value": None}),
    do("getGoal", **GOAL),
    do("getGoalHistory", **GOAL),
    do("getGoalActivity", **GOAL, days=7),
    do("restoreGoal", **GOAL, body={"revision": 1}),
    do("deleteGoal", goal_profile_id=Ref("doomed.goal_profile_id")),
    do("listGoals"),
    do("setCurrencyRates", body={"currency": "EUR", "rates": [{"date": "2026-03-01", "currency": "USD", "rate": 0.9}]}),
    do("getCurrencyRates"),
    do("createHypothesis", body={"problem": "Nobody comes back", "slug": "come-back"}),
    do("createHypothesis", "idea", body={"observation": "Few scroll", "solution": "A shorter page", "confidence": 3, "importance": 4}),
    do("updateHypothesis", **IDEA, body={"problem": "Too long", "confidence": None}),
    do("getHypothesis", **IDEA),
    do("listHypotheses", search="scroll", include_archived=True),
    do("listHypothesisSlugs", limit=1),
    do("getHypothesisHistory", **IDEA),
    do("restoreHypothesis", **IDEA, body={"revision": 1}),
    do("createHypothesisComment", **IDEA, body={"text": "Is that so?"}),
    do("createHypothesisComment", **IDEA, body={"text": "It is."}),
    do("listHypothesisComments", **IDEA, limit=1),
    # An experiment from its draft to its end.
    do(
        "createExperiment",
        "test",
        body={
            "test_name": "Shorter form",
            "experiment_key": "shorter-form",
            "url": SHOP,
            "variants": [{"name": "Variant 1", "nickname": "Short", "customCSS": "p { color: red }"}, {"name": "Variant 2"}],
            "primary_goal_key": Ref("goal.goal_key"),
            "secondary_goal_keys": [Ref("clicks.goal_key")],
            "hypothesis_id": Ref("idea.hypothesis_id"),
            "tags": ["forms"],
            "targeting": RULES,
            "configuration": {"distribution": {"Control": 40, "Variant 1": 30, "Variant 2": 30}, "traffic_allocation": 90},
            "plan": {"mde": 10, "visitors": 20000},
        },
    ),
    do(
        "createExperiment",
        "personal",
        body={
            "test_name": "For each her own",
            "url": SHOP,
            "test_type": "personalization",
            "variants": [{"name": "Variant 1", "targeting": RULES_OF_VARIANTS, "data": [{"target": "h1", "innerText": "Hello"}]}],
            "configuration": {"integration": ["google_analytics"]},
        },
    ),
    do("getExperiment", test_id=Ref("personal.test_id")),
    do("createExperiment", "second", body={"test_name": "Second", "url": SHOP, "variants": [{"name": "Variant 1"}], "status": 1}),
    do("createExperiment", "third", body={"test_name": "Third", "url": SHOP, "variants": [{"name": "Variant 1"}], "status": 1}),
    do("updateExperiment", **TEST, body={"test_name": "A shorter form", "configuration": {"confidence_interval": 90}}),
    do("previewChange", **TEST, body={"configuration": {"traffic_allocation": 50}}),
    do("getChecklist", **TEST),
    do("getPlan", **TEST, mde=10, baseline_rate=5, daily_visitors=1000),
    do("simulateExperiment", **TEST, body={"runs": 2, "days": 2, "daily_visitors": 100, "baseline_rate": 5}),
    do("updateExperimentStatus", **TEST, body={"status": 1}),
    do("getExperiment", **TEST),
    do("getExperimentHistory", **TEST, limit=1),
    do("previewRestore", **TEST, body={"revision": 1}),
    do("getDistribution", **TEST),
    do("explainAssignment", **TEST, visitor="v 1"),
    do("getPreviewUrls", "links", **TEST),
    do("listExperiments", limit=2),
    do("listExperimentKeys", limit=1),
    do("createExperimentComment", **TEST, body={"text": "It runs."}),
    do("listExperimentComments", **TEST),
    # Visitors.
    do("evaluateFlag", experiment_key="shorter-form", body={"context": CONTEXT}),
    do("evaluateFlags", body={"context": CONTEXT}),
    do("evaluateMany", body={"experiment_keys": ["shorter-form"], "contexts": [CONTEXT, {"targetingKey": "v 2"}]}),
    do("getRuleset", caller="anyone"),
    do("getGeography", caller="anyone"),
    do("getScript", caller="anyone"),
    outside("getScriptTypes", caller="anyone"),
    outside("getScriptPart", part="badge", caller="anyone"),
    do("getPreview", **TEST, token=Ref("links.variants.1.preview_url", after="="), caller="anyone"),
    do(
        "reportPreview",
        **TEST,
        body={"token": Ref("links.variants.1.preview_url", after="="), "variant_id": 1, "url": SHOP, "matched": [], "missing": []},
        caller="anyone",
    ),
    do(
        "sendEvents",
        body={
            "visitor": {"id": "v 1"},
            "events": [
                {"id": Ref("given.event"), "type": "custom", "name": "clicked", "properties": {"depth": 3, "plan": "gold"}},
                {"id": "not-an-id", "type": "custom"},
            ],
        },
    ),
    do("getResult", **SECOND, tz="Europe/Berlin"),
    do("getTimeseries", **SECOND),
    do("getResultTable", **SECOND),
    do("createShare", "share", **SECOND, body={"expires_in_days": 7, "query": {"filter_by": "mobile", "breakdown_by": "device"}}),
    outside("getSharedResult", token=Ref("share.url", after="/"), caller="anyone"),
    outside("getSharedTimeseries", token=Ref("share.url", after="/"), caller="anyone"),
    do("revokeShare", share_id=Ref("share.share.share_id")),
    do("listShares", **SECOND),
    # Exclusions.
    do("createExclusion", "exclusion", body={"kind": "network", "value": "203.0.113.7", "reason": "A load test"}),
    do("listExclusions"),
    do("listSuspects", **SECOND),
    do("deleteExclusion", exclusion_id=Ref("exclusion.exclusion.exclusion_id")),
    # Groups.
    do("createExclusionGroup", "group", body={"name": "Checkout", "kind": "exclusion", "members": []}),
    do(
        "createExclusionGroup",
        body={"name": "Also held out", "kind": "holdout", "percent": 5, "scope": {"tests": [Ref("third.test_id")]}},
    ),
    do("createExclusionGroup", "held", body={"name": "Held out", "kind": "holdout", "percent": 5, "scope": "project"}),
    do("updateExclusionGroup", group_id=Ref("group.group_id"), body={"name": "The checkout"}),
    do("listExclusionGroups"),
    do("getHoldoutResult", group_id=Ref("held.group_id")),
    do("deleteExclusionGroup", group_id=Ref("group.group_id"), accept_moves=True),
    # Approval.
    do("createProposal", "proposal", **SECOND, body={"test_name": "Proposed", "note": "A better name"}),
    do("createProposal", "rejected", **SECOND, body={"tags": ["rejected"]}),
    do("createProposal", "withdrawn", **SECOND, body={"tags": ["withdrawn"]}),
    do("listProposals", limit=1),
    do("listExperimentProposals", **SECOND, limit=1),
    do("approveProposal", proposal_id=Ref("proposal.proposal_id"), body={"reason": "Good"}, caller="person"),
    do("rejectProposal", proposal_id=Ref("rejected.proposal_id"), body={"reason": "No"}, caller="person"),
    do("withdrawProposal", proposal_id=Ref("withdrawn.proposal_id"), body={}),
    do("listExperimentProposals", **SECOND),
    # The end of experiments.
    do("confirmPlan", **TEST, body={"reason": "As planned"}, caller="person"),
    do("confirmAct", **TEST, body={"reason": "Our own shops"}, caller="person", status=409),
    do("restoreExperiment", **SECOND, body={"revision": 1}),
    do("duplicateExperiment", "copy", **SECOND, body={"test_name": "A copy"}),
    do("archiveExperiment", test_id=Ref("copy.test_id"), body={"archived": True}),
    do("deleteExperiment", test_id=Ref("copy.test_id")),
    do("concludeExperiment", **SECOND, body={"outcome": "stopped_early", "note": "Enough", "learned": "Little"}, caller="person"),
    do("getConclusion", **SECOND),
    do("reopenExperiment", **SECOND, caller="person"),
    do("serveWinner", test_id=Ref("third.test_id"), body={"variant_id": "1", "traffic_allocation": 40}),
    do("updateServingRollout", test_id=Ref("third.test_id"), body={"traffic_allocation": 80}),
    do("stopServing", test_id=Ref("third.test_id")),
    # Webhooks.
    do("createWebhook", "hook", body={"url": Ref("given.receiver"), "events": ["experiment.started"], "description": "Channel"}),
    do("updateWebhook", **HOOK, body={"description": "The channel"}),
    do("testWebhook", "delivery", **HOOK),
    do("resendWebhookDelivery", **HOOK, delivery_id=Ref("delivery.delivery_id")),
    do("rotateWebhookSecret", **HOOK),
    do("listWebhookDeliveries", **HOOK),
    do("listWebhooks"),
    do("deleteWebhook", **HOOK),
    # The data of visitors.
    do("getVisitorData", visitor_id="v 1"),
    do("deleteVisitorData", "job", visitor_id="v 1"),
    do("getVisitorJob", visitor_job_id=Ref("job.visitor_job_id")),
    # The project and the company.
    do("updateProjectSettings", body={"gpc": True}),
    do("getProjectSettings"),
    do("getInstall"),
    do("listProjectPeople"),
    outside("createProject", body={"name": "Another"}),
    outside("listProjects"),
    outside("listAudit", limit=5),
    outside("getAuditTable", limit=5),
    outside("getOverview", sort="test_name", limit=1),
    outside("getProgramme"),
    outside("getProgrammeTable"),
    # People.
    outside("getSignInMethods", caller="anyone"),
    outside("signIn", body={"email": Ref("given.email"), "password": Ref("given.password")}, caller="anyone"),
    outside("beginPasskeySignIn", caller="anyone"),
    person("getSession", "session"),
    person("listPasskeys"),
    person("beginPasskey", body={"password": Ref("given.password")}),
    person("removePasskey", passkey_id=1, status=404),
    do("watchExperiment", **TEST, caller="person"),
    do("getWatch", **TEST, caller="person"),
    do("createExperimentComment", **TEST, body={"text": "Look", "mentions": [Ref("session.person.person_id")]}),
    do("listExperimentComments", **TEST, limit=1),
    person("listInbox", "inbox"),
    person("countInbox"),
    person("updateInboxEntry", entry_id=Ref("inbox.entries.0.entry_id"), body={"read": True}),
    person("readInbox", body={}),
    do("unwatchExperiment", **TEST, caller="person"),
    person("createInvitation", "invited", body={"email": Ref("given.guest"), "role": "viewer"}),
    person("createInvitation", "withdraw", body={"email": Ref("given.other"), "role": "editor"}),
    outside("getInvitation", token=Ref("invited.link", after="#"), caller="anyone"),
    outside(
        "acceptInvitation",
        "guest",
        token=Ref("invited.link", after="#"),
        body={"name": "The guest", "password": "a password of guests"},
        caller="anyone",
    ),
    outside("listPeople"),
    person("withdrawInvitation", invitation_id=Ref("withdraw.invitation_id")),
    person("updatePerson", person_id=Ref("guest.person.person_id"), body={"role": "editor"}),
    person("removePerson", person_id=Ref("guest.person.person_id")),
    person("createKey", "created", body={"name": "A key", "scopes": ["read"], "projects": [Ref("given.project")]}),
    person("revokeKey", prefix=Ref("created.prefix")),
    outside("listKeys"),
    person("listSessions", "sessions"),
    person("revokeSession", session_id=Ref("sessions.sessions.1.session_id")),
    person("beginTotp", "totp", body={"password": Ref("given.password")}),
    person("confirmTotp", body={"code": Ref("totp.secret", totp=True)}),
    person("removeTotp", body={"password": Ref("given.password")}),
    person("changePassword", body={"current": Ref("given.password"), "password": "another password of scripts"}),
    person("revokeOtherSessions"),
    # Errors.
    do("getGoal", goal_profile_id=999_999, status=404),
    do("createGoal", body={"goal_name": "", "goal_type": "event", "goal_value": "n"}, status=400),
    do("updateExperiment", **TEST, **{"If-Match": '"stale"'}, body={"test_name": "Stale"}, status=412),
    do("listGoals", caller="anyone", status=401),
    do("evaluateFlag", experiment_key="nobody-has-this", body={"context": CONTEXT}, status=404),
    do("evaluateFlag", experiment_key="shorter-form", body={"context": {"targetingKey": ""}}, status=400),
    person("signOut"),
]
