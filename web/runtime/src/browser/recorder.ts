// Records events and stores the identity, as far as consent allows. Previews record and store nothing.

import type { DecisionContext, Visitor } from "../assign/visitor";
import type { Experiment, Ruleset } from "../ruleset";
import { storeConsent, type Consent, currentConsent } from "./consent";
import type { RecordEvent } from "./events";
import { type Identity, recognise, refresh, store } from "./identity";
import { announce } from "./listeners";
import type { EventMemory } from "./memory";
import { part } from "./parts";
import { reportAll } from "./reports";
import { isActive } from "./route";
import { cookies, erase, readLocal, recall } from "./storage";
import { type DroppedListener, type Transport, transport, uuid } from "./transport";
import { visitorOf } from "./visitor";
import { pageUrl } from "./world";

let eventMemory: EventMemory | undefined;
let queue: Transport;
let visitor: Identity;
let consentState: Consent;
let isSynced = false;
let isUnrecognisable = false;

/** The arm of a preview, which records nothing; `undefined` on other pages. */
export let forcedArm: DecisionContext["_forced"];

/**
 * Synchronises with the storage once per task, as cookies are slow: reads the state that other pages stored, and later
 * writes the state of this one.
 */
async function sync(): Promise<void> {
  if (isSynced) return;
  isSynced = true;
  consentState = forcedArm ? "granted" : isUnrecognisable ? "denied" : currentConsent();
  refresh(visitor);
  await 0;
  save();
  isSynced = false;
}

/** The current consent, which another page may have changed. */
export const consent = (): Consent => {
  void sync();
  return consentState;
};

// While a page is only prerendered, nothing is sent or stored.
export const mayRecord = (): boolean => !forcedArm && isActive() && ["granted", "assumed"].includes(consent());

/** The visitor's identity, with the state that other pages have stored. */
export const currentVisitor = (): Identity => {
  void sync();
  return visitor;
};

/** Records an event, and remembers it if a rule refers to it. */
export const record: RecordEvent = (event, soon) => {
  if (mayRecord()) eventMemory?.add(event);
  if (forcedArm || consent() === "denied") return;
  queue._send(
    { id: uuid(), at: new Date().toISOString(), session: currentVisitor()._session.id, url: pageUrl(), ...event },
    soon,
  );
};

/** Reports events that are lost, in full or in part: to the page, and their number to the server. */
export const reportLost: DroppedListener = (events) => {
  for (const [event, message] of events) announce("error", { event, message });
  // A `health` event about a lost `health` event would be lost for the same reason.
  const dropped = events.filter(([event]) => event.type !== "health").length;
  if (dropped) record({ type: "health", dropped });
};

function save(): void {
  if (mayRecord()) store(visitor);
}

function forget(): void {
  queue._drop();
  erase();
  visitor = recognise();
}

/** The current facts about the visitor, for decisions about these experiments. */
export function visitorNow(experiments: Experiment[]): Visitor {
  const { _session: session } = currentVisitor();
  return visitorOf(visitor, experiments, part("rules")?._factsOf(session, eventMemory!.recall(), cookies()));
}

/** Stores the visitor's answer. A denial erases what was stored. */
export function consentGiven(isGranted: boolean): void {
  storeConsent(isGranted);
  consentState = currentConsent();
  if (!isGranted) forget();
  void sync();
  queue._resume();
}

/** Sends the queue, as the page is left. */
export const sendAll = (): void => queue._leave();

/** Starts recording: recognises the visitor, and sends the events that earlier pages left in the stored queue. */
export function startRecorder(ruleset: Ruleset, forced: DecisionContext["_forced"]): void {
  forcedArm = forced;
  eventMemory = part("rules")?.memory(ruleset);
  visitor = recognise();
  queue = transport(
    () =>
      mayRecord()
        ? {
            visitor: { id: visitor.id, signature: readLocal("v_"), attributes: visitor._session.about },
            consent: consentState === "granted" ? consentState : "unknown",
          }
        : undefined,
    reportAll,
    reportLost,
  );

  // Another host of the site stored a denial.
  if (consent() === "denied" && recall("id")) forget();
  if (!recall("id")) save();
  // A visitor whose id cannot be stored would be a new visitor on each page.
  isUnrecognisable = mayRecord() && !recall("id");
  if (isUnrecognisable) consentState = "denied";
}
