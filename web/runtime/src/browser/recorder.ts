// What is told and kept of the visitor: as far as the visitor's answer goes, and nothing of a preview.

import { answer, type Consent, consented } from "./consent";
import type { Take } from "./events";
import { erase, type Identity, recognise, refresh, store } from "./identity";
import { isActive } from "./route";
import { recall } from "./storage";
import { type Dropped, transport, uuid } from "./transport";
import { here } from "./world";

export interface Recorder {
  /** The answer as of now: another page may have heard it. */
  consent(): Consent;
  /** Whether the visitor may be recorded now. */
  may(): boolean;
  /** Who the visitor is, with what other pages know by now. */
  who(): Identity;
  record: Take;
  /** Sends what waits, as the page is left. */
  leave(): void;
  /** The visitor's answer. No erases what was kept. */
  answer(isGranted: boolean): void;
}

/** A preview is anybody's, and recorded of nobody. `left` is called when the page is left, and may record what is still to be told; `dropped` hears of events that are lost. */
export function recorder(isPreview: boolean, left: () => void, dropped: Dropped): Recorder {
  let visitor = recognise();
  let said: Consent;
  let isRead = false;
  let isNobody = false;

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

  const consent = (): Consent => {
    void sync();
    return said;
  };

  // Of a page that the browser only prepares nothing is told or kept before it is looked at.
  const may = (): boolean => !isPreview && isActive() && ["granted", "assumed"].includes(consent());

  const who = (): Identity => {
    void sync();
    return visitor;
  };

  const queue = transport(
    () => (may() ? { visitor: { id: visitor.id, attributes: visitor.session.about }, consent: said === "granted" ? said : "unknown" } : undefined),
    left,
    dropped,
  );

  function save(): void {
    if (may()) store(visitor);
  }

  function forget(): void {
    queue.drop();
    erase();
    visitor = recognise();
  }

  // A denial that another host of the site heard.
  if (consent() === "denied" && recall("id")) forget();
  if (!recall("id")) save();
  // Who cannot be recognised on the next page would be another visitor on each.
  isNobody = may() && !recall("id");
  if (isNobody) said = "denied";

  return {
    consent,
    may,
    who,
    leave: queue.leave,
    record(event, soon) {
      if (isPreview || consent() === "denied") return;
      queue.send({ id: uuid(), at: new Date().toISOString(), session: who().session.id, url: here(), ...event }, soon);
    },
    answer(isGranted) {
      answer(isGranted);
      said = consented();
      if (!isGranted) forget();
      void sync();
      queue.resume();
    },
  };
}
