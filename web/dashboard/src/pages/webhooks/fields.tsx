import { FormChecks, FormText } from "~/ui/form/fields";
import type { Form } from "~/ui/form/form";
import { EVENTS, type EventName } from "./words";

export interface WebhookFields {
  url: string;
  description: string;
  events: EventName[];
}

export const LABELS = { url: "Address", description: "Purpose", events: "Events" };

/** Fields of a webhook, for a new one and for an existing one. */
export function Fields({ form }: { form: Form<WebhookFields> }) {
  return (
    <>
      <FormText
        form={form}
        name="url"
        label={LABELS.url}
        hint="Messages are sent there by POST. It has to be reachable from the public internet, unless the operator has allowed your network."
        placeholder="https://hooks.example.com/muriel"
        inputMode="url"
        maxLength={2048}
        autoComplete="off"
        required
      />
      <FormText
        form={form}
        name="description"
        label={LABELS.description}
        placeholder="Posts to the team's channel"
        maxLength={255}
        autoComplete="off"
        aside="optional"
      />
      <FormChecks
        form={form}
        name="events"
        legend={LABELS.events}
        choices={(Object.keys(EVENTS) as EventName[]).map((event) => [event, ...EVENTS[event]])}
      />
    </>
  );
}
