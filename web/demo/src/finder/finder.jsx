// Three questions, one kit: a section with its own routes. The same component makes the pages and takes them over.

import { useCallback, useEffect, useRef, useState } from "react";
import { euro, goodOf, kitFor } from "../goods.mjs";

export const BASE = "/rental/kit-finder";

/** The questions in their order; each is a route, as is what comes of them. */
export const STEPS = [
  {
    path: BASE,
    name: "where",
    title: "Where do you want to sleep?",
    choices: [
      ["forest", "Between trees", "Soft ground, little wind"],
      ["fell", "Above the trees", "Open, and colder at night"],
      ["winter", "In the snow", "From November to April"],
    ],
  },
  {
    path: `${BASE}/people`,
    name: "people",
    title: "How many are you?",
    choices: [
      ["1", "One", "Some like it best"],
      ["2", "Two", "One carries the tent, one the stove"],
      ["4", "Four", "Two tents, one pot"],
    ],
  },
  {
    path: `${BASE}/nights`,
    name: "nights",
    title: "How many nights?",
    choices: [
      ["1", "One", "To find out"],
      ["2", "Two", "A weekend"],
      ["5", "Five", "Somewhere far"],
    ],
  },
];
export const KIT = `${BASE}/kit`;

const answersOf = (search) => {
  const given = new URLSearchParams(search);
  const known = STEPS.flatMap(({ name, choices }) => choices.filter(([value]) => given.get(name) === value).map(([value]) => [name, value]));
  return Object.fromEntries(known);
};

export function Finder({ path: first }) {
  const [{ path, answers }, go] = useState({ path: first, answers: {} });
  const heading = useRef(null);
  const moved = useRef(false);

  // The page was made without knowing the answers in its address.
  useEffect(() => {
    const read = () => go({ path: location.pathname.replace(/\/$/, ""), answers: answersOf(location.search) });
    if (location.search) read();
    addEventListener("popstate", read);
    return () => removeEventListener("popstate", read);
  }, []);
  useEffect(() => {
    if (moved.current) heading.current?.focus();
  }, [path]);

  const open = useCallback((to, next) => {
    const kept = new URLSearchParams(location.search);
    for (const [name, value] of Object.entries(next)) kept.set(name, value);
    moved.current = true;
    history.pushState(null, "", `${to}?${kept}`);
    go({ path: to, answers: next });
    if (to === KIT) window.northwind?.track("kit_found", next);
  }, []);

  const at = STEPS.findIndex((step) => step.path === path);
  const step = STEPS[at];
  return (
    <section className="finder">
      <ol className="steps">
        {[...STEPS.map(({ name }) => name), "your kit"].map((name, nth) => (
          <li key={name} aria-current={nth === (step ? at : STEPS.length) ? "step" : undefined}>
            {name}
          </li>
        ))}
      </ol>
      <h1 ref={heading} tabIndex={-1}>
        {step ? step.title : "Your kit"}
      </h1>
      {step ? <Question step={step} at={at} answers={answers} open={open} /> : <Kit answers={answers} open={open} />}
    </section>
  );
}

function Question({ step, at, answers, open }) {
  const next = STEPS[at + 1]?.path ?? KIT;
  return (
    <>
      <ul className="choices">
        {step.choices.map(([value, name, line]) => (
          <li key={value}>
            <button type="button" aria-pressed={answers[step.name] === value} onClick={() => open(next, { ...answers, [step.name]: value })}>
              <strong>{name}</strong>
              <span>{line}</span>
            </button>
          </li>
        ))}
      </ul>
      {at > 0 && (
        <button type="button" className="text" onClick={() => open(STEPS[at - 1].path, answers)}>
          Back
        </button>
      )}
    </>
  );
}

function Kit({ answers, open }) {
  const { items, nights, price } = kitFor(answers);
  const take = () => {
    window.northwind.add(...items.map(({ id, count }) => ({ id, count, nights })));
    window.northwind.toast("The kit is in your basket.");
  };
  return (
    <>
      <p className="lede">
        For {nights === 1 ? "one night" : `${nights} nights`}, from the day before to the day after.
      </p>
      <ul className="kit">
        {items.map(({ id, name, night, count, of }) => (
          <li key={id}>
            <img src={goodOf(of).image} alt="" width="400" height="320" />
            <span>
              {count > 1 && <strong>{count} × </strong>}
              {name}
            </span>
            <span className="price">{euro(night * count * nights)}</span>
          </li>
        ))}
      </ul>
      <p className="kit-total">
        <span>Together</span> <strong>{euro(price)}</strong>
      </p>
      <p className="ends">
        <button type="button" className="text" onClick={() => open(BASE, {})}>
          Begin again
        </button>
        <button type="button" className="add-to-basket" onClick={take}>
          Rent this kit
        </button>
      </p>
    </>
  );
}
