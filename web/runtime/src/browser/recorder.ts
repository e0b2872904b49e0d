// What is told and kept of the visitor: as far as the visitor's answer goes, and nothing of a preview.

import type { Visitor } from "../assign/visitor";
import type { Experiment, Ruleset } from "../ruleset";
import { answer, type Consent, consented } from "./consent";
import type { Properties, Take } from "./events";
import { erase, type Identity, recognise, refresh, store } from "./identity";
import { announce } from "./listeners";
import type { Memory } from "./memory";
import { part } from "./parts";
import { reportAll } from "./reports";
import { isActive } from "./route";
import { cookies, recall } from "./storage";
import { type Transport, transport, uuid } from "./transport";
import { plain } from "./values";
import { visitorOf } from "./visitor";
import { here } from "./world";

let past: Memory | undefined;
let queue: Transport;
let visitor: Identity;
let said: Consent;
let isRead = false;
let isNobody = false;

/** A preview is anybody's, and recorded of nobody. */
export let isPreview = false;

/** Reads what other pages know, and writes what this one does, once for all that one piece of code does: cookies are slow. */
async function sync(): Promise<void> {
  if (isRead) return;
  isRead = true;
  said = isPreview ? "granted" : isNobody ? "denied" : consented();
  refresh(visitor);
  await 0;
  save();
  isRead = false;
}

/** The answer as of now: another page may have heard it. */
export const consent = (): Consent => {
  void sync();
  return said;
};

// Of a page that the browser only prepares nothing is told or kept before it is looked at.
const may = (): boolean => !isPreview && isActive() && ["granted", "assumed"].includes(consent());

/** Who the visitor is, with what other pages know by now. */
export const who = (): Identity => {
  void sync();
  return visitor;
};

/** Records an event, which rules may ask for later. */
export const record: Take = (event, soon) => {
  const { name, value, currency, order_id, refund_of, quantity, properties } = event;
  if (name && may()) {
    past?.add(name as string, {
      ...(properties as Properties),
      ...plain({ value, currency, order_id, refund_of, quantity }),
    });
  }
  if (isPreview || consent() === "denied") return;
  queue.send({ id: uuid(), at: new Date().toISOString(), session: who().session.id, url: here(), ...event }, soon);
};

function save(): void {
  if (may()) store(visitor);
}

function forget(): void {
  queue._drop();
  erase();
  visitor = recognise();
}

/** The visitor of a decision about these experiments, as of now. */
export function visitorNow(experiments: Experiment[]): Visitor {
  const { session } = who();
  return visitorOf(visitor, experiments, part("rules")?._factsOf(session, past!.recall(), cookies()));
}

/** Takes the visitor's answer. No erases what was kept. */
export function consentGiven(isGranted: boolean): void {
  answer(isGranted);
  said = consented();
  if (!isGranted) forget();
  void sync();
  queue._resume();
}

/** Sends what waits, as the page is left. */
export const sendAll = (): void => queue._leave();

/** Begins to record: recognises the visitor, and sends what pages before this one have left. */
export function startRecorder(ruleset: Ruleset, forced: boolean): void {
  isPreview = forced;
  past = part("rules")?.memory(ruleset);
  visitor = recognise();
  queue = transport(
    () =>
      may()
        ? {
            visitor: { id: visitor.id, attributes: visitor.session.about },
            consent: said === "granted" ? said : "unknown",
          }
        : undefined,
    reportAll,
    (events) => {
      for (const [event, message] of events) announce("error", { event, message });
      // What is told of health would be dropped for the same reason.
      const dropped = events.filter(([event]) => event.type !== "health").length;
      if (dropped) record({ type: "health", dropped });
    },
  );

  // A denial that another host of the site heard.
  if (consent() === "denied" && recall("id")) forget();
  if (!recall("id")) save();
  // Who cannot be recognised on the next page would be another visitor on each.
  isNobody = may() && !recall("id");
  if (isNobody) said = "denied";
}
