// Globals of the tests' pages: the page API, the globals of `html()` and the rig, and those of single suites.

declare const muriel: any;
declare const Cases: any;
declare const M: any;
declare const Page: any;
declare const ahead: any;
declare const checks: any;
declare const dataLayer: any;
declare const did: any;
declare const drawn: any;
declare const errors_: any;
declare const expire: any;
declare const finish: any;
declare const frames_: any;
declare const got: any;
declare const inside: any;
declare const kept: any;
declare let left_: any;
declare const list: any;
declare const lost: any;
declare const moved_: any;
declare const routes: any;
declare const started: any;
declare const states: any;
declare const told: any;
declare const took: any;
declare const trustedTypes: any;
declare const waits: any;
declare const World: any;

interface Window {
  [name: string]: any;
}

// Elements that a selector finds have any property, as the test knows their type.
interface Element {
  [name: string]: any;
}
interface CSSRule {
  [name: string]: any;
}
interface PerformanceEntry {
  [name: string]: any;
}
