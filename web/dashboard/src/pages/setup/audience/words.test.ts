import assert from "node:assert/strict";
import { test } from "node:test";
import { isShown, type Targeting } from "./kinds";
import { COUNTRIES, LANGUAGES } from "~/lib/locale-names";
import { clauses, sentence } from "./words";

const HOME = "https://shop.example/checkout";
const country = (code: string, rule: "whitelist" | "blacklist") => ({ name: code, code, rule });
const place = (name: string, rule: "equal" | "notEqual" = "equal") => ({ name, rule });
const page = (url: string, rule: "simple" | "exact" | "contain" | "wildcard" | "regex", allowed?: boolean) =>
  allowed === undefined ? { url, rule } : { url, rule, allowed };
const is = (criteria: string, operator: string, value?: string) =>
  ({ criteria, operator, ...(value === undefined ? {} : { value }) }) as { criteria: string; operator: "==" };
const has = (key: string, operand: string, value?: unknown) =>
  ({ key, operand, value }) as { key: string; operand: "=="; value: never };
const event = (more: object) => ({ rule: "equal" as const, name: "cart", attributes: [], ...more });
const hours = (...groups: [days: string[], ...ranges: string[]][]) =>
  ({
    schedule_rule: {
      schedule_groups: groups.map(([days, ...ranges]) => ({
        days,
        time_ranges: ranges.map((range) => ({ start: range.split("-")[0], end: range.split("-")[1] })),
      })),
    },
  }) as Targeting;
const weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday"];

test("the whole targeting is one sentence", () => {
  const cases: [Targeting, string][] = [
    [{}, "All visitors on the page “https://shop.example/checkout”."],
    [
      { url_rule: [page("/checkout", "contain")], schedule_rule: null, user_rule: [], device_rule: [] },
      "All visitors on addresses that contain “/checkout”.",
    ],
    [
      {
        ...hours([weekdays, "09:00-17:00"]),
        allowed_country: [country("DE", "whitelist"), country("AT", "whitelist")],
        device_rule: ["mobile"],
        user_rule: "returning",
        url_rule: [page("/checkout", "contain")],
      },
      "Visitors in Germany or Austria on mobile, who have come before, on addresses that contain “/checkout”, Monday to Friday 9:00–17:00 their time.",
    ],
    [
      { allowed_city: [place("Berlin"), place("Berlin (Texas)", "notEqual")], device_rule: ["desktop", "tablet"] },
      "Visitors in Berlin, but not in Berlin (Texas), on desktop or tablet on the page “https://shop.example/checkout”.",
    ],
    [
      { user_rule: ["new"], url_rule: [page("/a", "contain", false)] },
      "Visitors who come for the first time, on all pages but addresses that contain “/a”.",
    ],
  ];
  for (const [given, expected] of cases) assert.equal(sentence(clauses(given, HOME)), expected);
  assert.deepEqual(clauses({}), []);
});

test("each kind is a clause", () => {
  const cases: [Targeting, string | undefined][] = [
    // Locations: exclusion takes precedence over inclusion.
    [
      { allowed_country: [country("US", "blacklist"), country("CA", "blacklist")] },
      "outside the United States or Canada",
    ],
    [
      { allowed_country: [country("DE", "whitelist"), country("AT", "whitelist"), country("DE", "blacklist")] },
      "in Austria",
    ],
    [{ allowed_country: [country("DE", "whitelist"), country("FR", "blacklist")] }, "in Germany"],
    [
      { allowed_country: [country("DE", "blacklist"), country("DE", "whitelist")] },
      "in no country, because all that are let in are also kept out",
    ],
    [{ allowed_region: [place("California (US)"), place("Texas (US)")] }, "in California (US) or Texas (US)"],
    [{ allowed_region: [place("Bavaria", "notEqual")] }, "outside Bavaria"],
    [
      { allowed_city: [place("Berlin (Berlin)"), place("Paris"), place("BERLIN", "notEqual")] },
      "in Paris, but not in BERLIN",
    ],
    [
      { allowed_city: [place("Berlin (Berlin)"), place("berlin", "notEqual")] },
      "nowhere, because all places that are let in are also kept out",
    ],
    // Choices of words.
    [{ device_rule: ["desktop", "mobile", "tablet"] }, "on desktop, mobile or tablet"],
    [{ browser_rule: ["ie", "chrome"] }, "in Internet Explorer or Chrome"],
    [{ os_rule: ["macOS", "ios"] }, "with macOS or iOS"],
    [{ user_rule: "new" }, "who come for the first time"],
    [{ user_rule: ["returning"] }, "who have come before"],
    [{ user_rule: [] }, undefined],
    [{ browser_language_rule: ["de", "pt-BR"] }, "whose browser prefers German or Brazilian Portuguese"],
    [{ browser_language_rule: ["xx-nonsense"] }, "whose browser prefers xx-nonsense"],
    [{ ga4_rule: ["Buyers", "VIP"] }, "in the audience “Buyers” or “VIP”"],
    // Groups: all groups, any condition of a group.
    [{ segment_rule: [[is("plan", "==", "pro")]] }, "whose plan is “pro”"],
    [
      { segment_rule: [[is("plan", "==", "pro"), is("age", "gt", "30")]] },
      "whose plan is “pro” or whose age is above 30",
    ],
    [
      { segment_rule: [[is("plan", "!=", "free"), is("vip", "bt")], [], [is("age", ">=", "18")]] },
      "either whose plan is not “free” or whose vip is true, and whose age is at least 18",
    ],
    [{ segment_rule: [[], []] }, undefined],
    [{ segment_rule: [[is("signup", "days_lte", "7")]] }, "whose signup was at most 7 days ago"],
    [{ segment_rule: [[is("note", "==", "")]] }, "whose note is empty"],
    [{ segment_rule: [[is("note", "nx", "ignored")]] }, "whose note is not set"],
    [{ segment_rule: [[is("price", "**", "$& $1")]] }, "whose price contains “$& $1”"],
    [
      { parameter_rule: [[is("utm_source", "==", "ads"), is("gclid", "ex")]] },
      "at an address whose parameter utm_source is “ads” or whose parameter gclid is set",
    ],
    [{ cookie_rule: [[is("beta", "!*", "no")]] }, "whose cookie beta does not contain “no”"],
    [
      { referral_rule: [[is("source", "==", "search"), is("source", "==", "paid")]] },
      "who came from a search or who came from an ad",
    ],
    [{ referral_rule: [[is("source", "!=", "direct")]] }, "who did not come directly"],
    [{ referral_rule: [[is("host", "**", "google")]] }, "for whom the host of the previous page contains “google”"],
    // Events: all entries. Their attributes: any group, all conditions of a group.
    [{ event_rule: [event({})] }, "who did “cart”"],
    [
      { event_rule: [event({ min_count: 3, timeframe_days: 30 })] },
      "who did “cart” at least 3 times in the last 30 days",
    ],
    [{ event_rule: [event({ rule: "notEqual", timeframe_days: 1 })] }, "who did not do “cart” in the last day"],
    [
      { event_rule: [event({ rule: "notEqual", min_count: 2 }), event({ name: "visit" })] },
      "who did “cart” fewer than 2 times, and who did “visit”",
    ],
    [
      {
        event_rule: [event({ attributes: [[has("price", "gt", 10), has("color", "==", "red")], [has("gift", "bt")]] })],
      },
      "who did “cart” where its price is above 10 and its color is “red”, or its gift is true",
    ],
    [{ event_rule: [event({ attributes: [[has("price", "==", 10)]] })] }, "who did “cart” where its price is 10"],
    // A group without conditions matches every event.
    [{ event_rule: [event({ attributes: [[has("price", "gt", 10)], []] })] }, "who did “cart”"],
    // Pages: exclusion takes precedence over inclusion.
    [
      { url_rule: [page("/a", "contain"), page("https://x.example/", "simple"), page("/a/b", "contain", false)] },
      "on addresses that contain “/a” or the page “https://x.example/”, but not on addresses that contain “/a/b”",
    ],
    [
      { url_rule: [page("/a", "wildcard", false), page("/b", "exact", false)] },
      "on all pages but addresses like “/a” and exactly the address “/b”",
    ],
    [{ url_rule: [page("/a$", "regex", true)] }, "on addresses that match the expression “/a$”"],
    [
      { url_rule: [page("/a", "contain"), page("/a", "contain", false)] },
      "on no page, because all pages that are let in are also kept out",
    ],
    // Hours.
    [hours([[]]), "every day all day their time"],
    [hours([["saturday", "sunday"]]), "Saturday and Sunday all day their time"],
    [
      hours([["monday", "wednesday", "thursday", "friday"], "00:00-24:00"]),
      "Monday and Wednesday to Friday all day their time",
    ],
    [hours([["friday"], "22:00-02:00"]), "Friday 22:00–2:00 on the next day their time"],
    [hours([["friday"], "22:00-00:00", "08:00-08:00"]), "Friday 22:00–24:00 and from 8:00 for 24 hours their time"],
    [
      hours([weekdays, "09:00-12:00", "13:00-17:30"], [["saturday"], "10:00-14:00"]),
      "Monday to Friday 9:00–12:00 and 13:00–17:30 or Saturday 10:00–14:00 their time",
    ],
    [{ schedule_rule: { schedule_groups: [] } }, undefined],
  ];
  for (const [given, expected] of cases) {
    const [kind, rule] = Object.entries(given)[0] as [string, unknown];
    assert.ok(isShown(kind, rule), `${kind} can be shown: ${JSON.stringify(rule)}`);
    assert.equal(clauses(given)[0]?.text, expected);
  }
});

test("a rule that this version does not know is named, and can not be shown", () => {
  const cases: [string, unknown][] = [
    ["weather_rule", ["rain"]],
    ["device_rule", ["mobile", "watch"]],
    ["user_rule", ["new", "returning"]],
    ["segment_rule", [[is("plan", "~=", "pro")]]],
    ["segment_rule", [[{ ...is("plan", "==", "pro"), weight: 2 }]]],
    ["url_rule", [{ url: "/a", rule: "glob" }]],
    ["allowed_country", [{ name: "Germany", code: "DE", rule: "graylist" }]],
    ["schedule_rule", { schedule_groups: [{ days: ["someday"], time_ranges: [] }] }],
    ["event_rule", [event({ attributes: [has("a", "==")] })]],
  ];
  for (const [kind, rule] of cases) {
    assert.ok(!isShown(kind, rule), `${kind} ${JSON.stringify(rule)}`);
    assert.match(clauses({ [kind]: rule } as Targeting)[0]?.text ?? "", /this page cannot describe/);
  }
});

test("countries and languages have names", () => {
  assert.equal(COUNTRIES.length, 250);
  for (const [code, name] of [...COUNTRIES, ...LANGUAGES]) assert.notEqual(name, code);
});
