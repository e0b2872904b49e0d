// A part with its own properties and properties of the page, some of which have similar names.

interface Rule {
  path: string;
  query: string;
  arm: number;
  time: number;
  _selector: string;
}

declare let PART: (rule: Rule, element: { __reactFiber?: unknown }) => unknown;

PART = ({ path, query, arm, time, _selector: selector }, element) => ({
  path: path + location.port,
  query,
  arm,
  time,
  found: element.__reactFiber ?? selector,
});
