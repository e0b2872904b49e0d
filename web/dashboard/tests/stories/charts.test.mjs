// Pictures of results, with the real server: they agree with the JSON, on the page, on paper and in saved files.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { before, test } from "node:test";
import { days, make } from "../areas/charts.mjs";
import { past } from "../areas/traffic.mjs";
import { among, before as daysAgo, collector, crowd, send } from "../crowd.mjs";
import { bytesOf, until, Visit } from "../rig.mjs";
import { browser, company } from "../stage.mjs";

const HOSTILE = `</text><script>alert(1)</script> & "quoted" ]]> <!--`;

/** A page without the policy, which opens saved files. */
let desk;
let id;
before(async () => {
  desk = await (await browser.newContext()).newPage();
  await company.post("/goal", { goal_name: "Order", goal_key: "order", goal_type: "event", goal_value: "bought" });
  id = await make(company, (plain) => (plain === "Accordion" ? HOSTILE : plain));
  await days(company, id);
});

async function enter(settings = {}) {
  const visit = await Visit.begin(browser, { address: company.address, ...settings });
  await company.enter(visit, "viewer");
  await visit.open(`/p/${company.shop}/experiments/${id}/results`);
  return visit;
}

const result = () => company.get(`/experiment/${id}/result`);
const series = async () => (await company.get(`/experiment/${id}/timeseries`)).timeseries;

/** Linear scale through two of the ticks, which gives the expected position of a value. */
function scaleThrough(ticks) {
  const [one, other] = [ticks[0], ticks.at(-1)];
  return (value) => one.at + ((value - one.value) * (other.at - one.at)) / (other.value - one.value);
}

function near(found, expected, what) {
  assert.ok(Math.abs(found - expected) <= 0.5, `${what}: ${found} is not ${expected}`);
}

/** Returns the file that a click saves. */
async function saved(page, button) {
  const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
  return { name: download.suggestedFilename(), bytes: await bytesOf(download) };
}

const saveButton = (page, label, kind) => page.getByRole("button", { name: `Save "${label}" as ${kind}` });

/** Opens an SVG file as other XML readers do. */
async function openSvg(bytes, read) {
  return desk.evaluate(
    ([text, body]) => {
      const file = new DOMParser().parseFromString(text, "image/svg+xml");
      if (file.querySelector("parsererror")) throw new Error(file.documentElement.textContent);
      return new Function("svg", `return (${body})(svg)`)(file.documentElement);
    },
    [bytes.toString("utf8"), read.toString()],
  );
}

/** Returns the size of an image, and the number of its pixels that differ from the background. */
async function openPng(bytes) {
  return desk.evaluate(async (data) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    const { data: pixels } = context.getImageData(0, 0, canvas.width, canvas.height);
    let inked = 0;
    for (let at = 0; at < pixels.length; at += 4) if (pixels[at] + pixels[at + 1] + pixels[at + 2] < 600) inked += 1;
    return { width: canvas.width, height: canvas.height, ground: [...pixels.slice(0, 4)], inked };
  }, bytes.toString("base64"));
}

/** Reads an SVG of intervals: the ticks, and the drawn elements of each row. */
function readIntervals(svg) {
  const number = (element, name) => Number(element.getAttribute(name));
  return {
    width: number(svg, "width"),
    ticks: [...svg.querySelectorAll("[data-tick]")].map((tick) => ({
      value: Number(tick.dataset.tick),
      at: number(tick.querySelector("line"), "x1"),
    })),
    rows: [...svg.querySelectorAll("[data-row]")].map((row) => {
      const line = row.querySelector("[data-part=interval]");
      return {
        key: row.dataset.row,
        estimate: number(row.querySelector("[data-part=estimate]"), "cx"),
        low: number(line, "x1"),
        high: number(line, "x2"),
        ends: [line.dataset.start, line.dataset.end],
      };
    }),
  };
}

test("intervals are drawn where the numbers are, at any width, on the page and in the file", async () => {
  const { variants } = await result();
  const holds = ({ ticks, rows }, where) => {
    const place = scaleThrough(ticks);
    assert.equal(rows.length, 2);
    for (const { key, estimate, low, high, ends } of rows) {
      const { analysis } = variants.find(({ variant_id }) => variant_id === key);
      near(estimate, place(analysis.lift), `${where}: lift of ${key}`);
      near(low, place(analysis.lift_interval[0]), `${where}: lower end of ${key}`);
      near(high, place(analysis.lift_interval[1]), `${where}: upper end of ${key}`);
      assert.deepEqual(ends, ["closed", "closed"]);
    }
    near(place(0), ticks.find(({ value }) => value === 0).at, `${where}: zero`);
  };
  const visit = await enter();
  const { page } = visit;
  const plot = page.locator("[data-plot=intervals]").first();
  for (const width of [1280, 360, 900]) {
    await page.setViewportSize({ width, height: 800 });
    const isWhole = async () => {
      const [drawn, box] = [await plot.evaluate(readIntervals), await plot.boundingBox()];
      return Math.abs(drawn.width - box.width) < 1 && box.x + box.width <= width && drawn.width > width / 2.5;
    };
    await until(isWhole, `the picture at ${width}`);
    holds(await plot.evaluate(readIntervals), `at ${width}`);
  }
  const svg = await saved(page, saveButton(page, "Lift of each variant", "SVG"));
  assert.equal(svg.name, "shorter-checkout-form-order-lift-of-each-variant.svg");
  holds(await openSvg(svg.bytes, readIntervals), "in the file");

  // The table has the same numbers for readers who do not see the picture.
  const row = page.getByRole("table", { name: "Lift of each variant" }).getByRole("row", { name: /Variant 1/ });
  const { lift } = variants[1].analysis;
  assert.match(await row.innerText(), new RegExp(`\\+${lift.toFixed(1).replace(".", "\\.")}`));
  visit.nothingWrong();
  await visit.end();
});

/** Reads an SVG of days: ticks, days, and the paths of each picture. */
function readDays(svg) {
  const points = (path) =>
    path
      .getAttribute("d")
      .slice(1)
      .split("L")
      .map((pair) => pair.split(" ").map(Number));
  return [...svg.querySelectorAll("[data-title]")].map((part) => {
    const line = (name) => {
      const path = part.querySelector(`[data-part=${name}]`);
      return path && { from: Number(path.dataset.from), points: points(path) };
    };
    return {
      title: part.dataset.title,
      ticks: [...part.querySelectorAll("[data-tick]")].map((tick) => ({
        value: Number(tick.dataset.tick),
        at: Number(tick.getAttribute("y1")),
      })),
      days: [...part.querySelectorAll("[data-day]")].map((day) => ({
        value: Number(day.dataset.day),
        at: Number(day.getAttribute("x")),
      })),
      main: line("main"),
      low: line("low"),
      high: line("high"),
      marks: [...part.querySelectorAll("[data-part=mark]")].map((mark) => Number(mark.getAttribute("x1"))),
    };
  });
}

/** Positions of the chart's dots, relative to its top left corner. */
const dotsOf = (page) =>
  page.locator("[data-panel]").evaluateAll((panels) =>
    panels.map((panel) => {
      const of = (element) => element.getBoundingClientRect();
      const [canvas, dot] = [of(panel.querySelector("canvas")), of(panel.querySelector("[data-dot=main]"))];
      return [dot.x + dot.width / 2 - canvas.x, dot.y + dot.height / 2 - canvas.y];
    }),
  );

test("days are drawn where the numbers are, at any width, and read out by keyboard", async () => {
  const visit = await enter();
  const { page } = visit;
  const all = await series();
  const dates = [...new Set(all.map(({ date }) => date))].sort();
  const pointsOf = (arm) => dates.map((date) => all.find((one) => one.date === date && one.variant_id === arm));
  const drawn = async () => openSvg((await saved(page, saveButton(page, "Lift by day", "SVG"))).bytes, readDays);
  const day = page.getByRole("slider", { name: "Day" });
  const holds = (part, points) => {
    const [x, y] = [scaleThrough(part.days), scaleThrough(part.ticks)];
    const follows = (path, of) => {
      const known = points.map(of);
      const first = known.findIndex((value) => value != null);
      assert.deepEqual([path.from, path.points.length], [first, dates.length - first]);
      path.points.forEach(([left, top], place) => {
        near(left, x(first + place), `day ${dates[first + place]}`);
        near(top, y(known[first + place]), `value of ${dates[first + place]}`);
      });
    };
    follows(part.main, ({ lift }) => lift);
    follows(part.low, ({ lift_interval: interval }) => interval?.[0]);
    follows(part.high, ({ lift_interval: interval }) => interval?.[1]);
    near(part.marks[0], x(0), "the first epoch is marked on the first day");
  };
  for (const width of [1280, 360, 1100]) {
    await page.setViewportSize({ width, height: 800 });
    const canvas = page.locator('[data-panel="1"] canvas');
    const panel = page.locator('[data-panel="1"]');
    await until(async () => {
      const [inner, outer] = [await canvas.boundingBox(), await panel.boundingBox()];
      return inner.width <= outer.width && inner.width > outer.width - 2;
    }, `the picture at ${width}`);
    const parts = await drawn();
    assert.equal(parts.length, 2);
    parts.forEach((part, at) => holds(part, pointsOf(String(at + 1))));
    // The canvas is the same picture: its dots are where the file has the day. Checked for each day, by keyboard.
    const stand = async (place) => {
      for (const [at, [left, top]] of (await dotsOf(page)).entries()) {
        near(left, parts[at].main.points[place][0], `dot of ${dates[place]} at ${width}`);
        near(top, parts[at].main.points[place][1], `dot of ${dates[place]} at ${width}`);
      }
    };
    await stand(dates.length - 1);
    await day.focus();
    await page.keyboard.press("Home");
    for (const [place, date] of dates.entries()) {
      await until(async () => Number(await day.inputValue()) === place, date);
      await stand(place);
      const { lift } = pointsOf("1")[place];
      const told = await day.getAttribute("aria-valuetext");
      assert.ok(told.includes(`Variant 1, One page: ${lift < 0 ? "−" : "+"}${Math.abs(lift).toFixed(1)}`), told);
      await page.keyboard.press("ArrowRight");
    }
  }
  const [{ main }] = await drawn();
  const colour = () =>
    page.locator('[data-panel="1"] canvas').evaluate((canvas, [left, top]) => {
      const ratio = canvas.width / canvas.getBoundingClientRect().width;
      // The canvas has no size for a moment while it is drawn again.
      if (!(ratio > 0 && ratio < 9)) return "";
      const { data } = canvas.getContext("2d").getImageData(left * ratio, top * ratio, 1, 1);
      return [...data].slice(0, 3).join();
    }, main.points[4]);
  // The line has the accent colour of the theme, and follows the theme.
  assert.equal(await colour(), [0x1f, 0x55, 0xb5].join());
  await visit.turn("dark");
  await until(async () => (await colour()) === [0x8c, 0xb6, 0xff].join(), "the dark accent");
  // The pointer reads out a day, too. The day stays when the pointer leaves.
  await page.locator('[data-panel="2"] .u-over').hover({ position: { x: 1, y: 40 } });
  await until(async () => (await day.inputValue()) === "0", "the first day");
  await page.mouse.move(0, 0);
  assert.equal(await day.inputValue(), "0");
  visit.nothingWrong();
  await visit.end();
});

test("files open elsewhere, whatever an arm is called", async () => {
  await company.patch(`/experiment/${id}`, { test_name: `Shorter checkout form, ${"and shorter, ".repeat(14)}` });
  const visit = await enter({ theme: "dark", width: 500 });
  const { page } = visit;
  for (const label of ["Lift of each variant", "Lift by day"]) {
    const svg = await saved(page, saveButton(page, label, "SVG"));
    const read = await openSvg(svg.bytes, (root) => ({
      // Right ends of the lines above the picture. They can be measured only in a document.
      lines: [...document.body.appendChild(root.cloneNode(true)).querySelectorAll(":scope > text")]
        .filter((line) => line.getBBox().y < 0)
        .map((line) => line.getBBox().x + line.getBBox().width - root.viewBox.baseVal.x),
      scripts: root.querySelectorAll("script").length,
      text: root.textContent,
      classes: root.querySelectorAll("[class], [style]").length,
      ground: root.querySelector("rect[width]:not(clipPath *)").getAttribute("fill"),
      size: [root.getAttribute("width"), root.getAttribute("height")].map(Number),
    }));
    assert.equal(read.scripts, 0);
    assert.ok(read.text.includes("</text>"), read.text);
    assert.ok(read.text.startsWith(label), read.text);
    assert.match(read.text, /Shorter checkout form, and.*…As of \d+ \w+ \d{4}, \d\d:\d\d UTC/);
    for (const end of read.lines) assert.ok(end <= read.size[0], `a line ends at ${end} of ${read.size[0]}`);
    assert.match(svg.name, /^shorter-checkout-form-and-.*-lift-(by-day|of-each-variant)\.svg$/);
    assert.equal(read.classes, 0, "nothing of the page is needed to read it");
    assert.equal(read.ground, "rgb(255, 255, 255)", "light, whatever the page is");
    const png = await openPng((await saved(page, saveButton(page, label, "PNG"))).bytes);
    assert.deepEqual(
      [png.width, png.height],
      read.size.map((length) => Math.round(length * 2)),
    );
    assert.deepEqual(png.ground, [255, 255, 255, 255]);
    assert.ok(png.inked > 2_000, `${png.inked} pixels of ${label} are not ground`);
  }
  visit.nothingWrong();
  await visit.end();
});

test("a result is saved byte for byte, and verified", async () => {
  const visit = await enter();
  const { page } = visit;
  let sent;
  await page.route(/\/result$/, async (route) => {
    const response = await route.fetch();
    sent = await response.body();
    await route.fulfill({ response, body: sent });
  });
  const file = await saved(page, page.getByRole("button", { name: "Result as JSON" }));
  assert.ok(sent.equals(file.bytes));
  const path = `${company.muriel.data}/result.json`;
  writeFileSync(path, file.bytes);
  assert.match(await company.muriel.muriel("verify", path), /every value is the same/);
  const csv = await saved(page, page.getByRole("button", { name: "Table as CSV" }));
  assert.match(csv.name, /^shorter-checkout-form-.*-\d+-result\.csv$/);
  assert.match(csv.bytes.toString("utf8"), /^metric,metric_name,role,/);
  // A refusal by the server is shown, and is not saved as if it were the result.
  await page.route(/\/result\.csv/, (route) =>
    route.fulfill({ status: 503, json: { success: false, error: "loading events", code: "unavailable" } }),
  );
  await page.getByRole("button", { name: "Table as CSV" }).click();
  await page.getByRole("alert").getByText("Loading events").waitFor();
  await visit.end();
});

test("on paper there is everything to read, and nothing to press", async () => {
  const visit = await enter({ theme: "dark" });
  const { page } = visit;
  // More segments than are shown at first.
  await page.route(/\/result\?.*breakdown_by/, async (route) => {
    const whole = await (await route.fetch()).json();
    const [part] = whole.breakdowns;
    const breakdowns = [null, "null", ...Array.from({ length: 10 }, (_, at) => `Browser ${at}`)];
    await route.fulfill({ json: { ...whole, breakdowns: breakdowns.map((value) => ({ ...part, value })) } });
  });
  await page.getByRole("combobox", { name: "Break down by" }).selectOption("browser");
  const parts = page.getByRole("table", { name: "Segments" }).locator("tbody");
  const focused = () => page.evaluate(() => document.activeElement.textContent);
  await page.getByRole("button", { name: "Show 2 more" }).press("Enter");
  assert.equal(await parts.count(), 12);
  assert.equal(await focused(), "Show the first 10");
  await page.keyboard.press("Enter");
  assert.equal(await parts.count(), 10);
  await page.emulateMedia({ media: "print" });
  await until(async () => (await parts.count()) === 12, "all parts");
  const table = page.getByRole("table", { name: "Lift by day" });
  const all = await series();
  await until(async () => (await table.getByRole("row").count()) === all.length + 1, "all days");
  await page.locator("[data-plot=days]").first().waitFor();
  assert.ok(await table.isVisible());
  assert.equal(await page.locator("canvas:visible").count(), 0);
  assert.equal(await page.getByRole("button").count(), 0);
  assert.equal(await page.getByRole("navigation").count(), 0);
  const ink = await page.locator("h1").evaluate((element) => getComputedStyle(element).color);
  assert.equal(ink, "rgb(29, 31, 36)");
  const pdf = await page.pdf({ format: "A4" });
  assert.ok(pdf.length > 20_000);
  visit.nothingWrong();
  await visit.end();
});

test("what speaks against the numbers of the days is said beside them", async () => {
  const key = await collector(company);
  const broken = await make(company, (plain) => plain, { variants: [{ name: "Variant 1" }] });
  const does = (_, at) => (among(at, 10, 7) ? [{ type: "custom", name: "bought" }] : []);
  const armOf = (at) => (at % 10 < 7 ? 0 : 1);
  await send(company, key, crowd(broken, { visitors: 1_500, days: 5, armOf, does }));
  await company.patch(`/experiment/${broken}/status`, { status: 1, started_at: daysAgo(5.5) });
  const visit = await Visit.begin(browser, { address: company.address });
  await company.enter(visit, "viewer");
  const answer = visit.page.waitForResponse((response) => response.url().includes("/timeseries"));
  await visit.open(`/p/${company.shop}/experiments/${broken}/results`);
  const warnings = JSON.parse((await answer).headers()["x-muriel-warnings"]);
  assert.ok(warnings.length > 0);
  const section = visit.page.locator("section", { has: visit.page.getByRole("heading", { name: "Day by day" }) });
  for (const warning of warnings)
    await section.getByText(warning.replace(/^health\.\w+: /, ""), { exact: true }).waitFor();
  visit.nothingWrong();
  await visit.end();
});

test("a bandit's weights are those of the moment, and of its end once it has ended", async () => {
  const bandit = await make(company, (plain) => plain, {
    configuration: { is_mab: 1 },
    variants: [1, 2, 3].map((at) => ({ name: `Variant ${at}` })),
  });
  await past(company, bandit);
  const visit = await Visit.begin(browser, { address: company.address });
  await company.enter(visit, "viewer");
  const { page } = visit;
  let fails = false;
  await page.route(/\/timeseries(\?|$)/, (route) =>
    fails
      ? route.fulfill({ status: 500, json: { success: false, error: "something broke", code: "internal" } })
      : route.continue(),
  );
  await visit.open(`/p/${company.shop}/experiments/${bandit}/results`);
  const weights = page.getByRole("figure", { name: "Weights over time" });
  const epochs = () => weights.getByRole("row").count();
  await weights
    .getByText(/% now$/)
    .first()
    .waitFor();
  const before = await epochs();
  const merge = { headers: { "content-type": "application/merge-patch+json" } };
  await company.call("PATCH", `/experiment/${bandit}`, { configuration: { traffic_allocation: 80 } }, merge);
  await page.getByRole("button", { name: "Read again" }).click();
  await until(async () => (await epochs()) === before + 1, "the new epoch");

  await company.patch(`/experiment/${bandit}/status`, { status: 0 });
  fails = true;
  await page.getByRole("button", { name: "Read again" }).click();
  await weights
    .getByText(/% at the end$/)
    .first()
    .waitFor();
  await page.getByText("The losses by day could not be read again.").waitFor();
  assert.equal(await weights.getByText(/% now$/).count(), 0);
  visit.nothingWrong();
  await visit.end();
});
