// Deliveries of a webhook, with their state.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { outdate, query, type Schemas, send } from "~/api/query";
import { ago, count, moment } from "~/lib/format";
import { Dot } from "~/ui/badge";
import { Button } from "~/ui/button";
import { Card } from "~/ui/layout";
import { Loaded } from "~/ui/loaded";
import { Table } from "~/ui/table";
import { toast } from "~/ui/toast";
import { deliveryWord, eventText, type Webhook } from "./words";

type Delivery = Schemas["Delivery"];

const FIRST = 20;
const MOST = 500;
const PENDING_EVERY_MS = 2_000;
const EVERY_MS = 20_000;

export function Deliveries({ projectKey, webhook }: { projectKey: string; webhook: Webhook }) {
  const cache = useQueryClient();
  const [limit, setLimit] = useState(FIRST);
  const path = { project_key: projectKey, webhook_id: webhook.webhook_id };
  const deliveries = useQuery({
    ...query("/v2/project/{project_key}/webhook/{webhook_id}/deliveries", { path, query: { limit } }),
    placeholderData: (before) => before,
    refetchInterval: ({ state }) => (state.data?.deliveries.some(isFresh) ? PENDING_EVERY_MS : EVERY_MS),
  });
  const resend = async ({ delivery_id, event }: Delivery) => {
    try {
      await send("post", "/v2/project/{project_key}/webhook/{webhook_id}/deliveries/{delivery_id}/resend", {
        params: { path: { ...path, delivery_id } },
        idempotencyKey: crypto.randomUUID(),
      });
      toast(`“${eventText(event)}” is on its way again.`);
    } catch (thrown) {
      toast(thrown instanceof Error ? thrown.message : String(thrown), "bad");
    }
    await outdate(cache, "/v2/project/{project_key}/webhook/{webhook_id}/deliveries");
  };
  return (
    <Card flush title="Deliveries" about="The newest first; kept for 30 days.">
      <Loaded query={deliveries}>
        {(data) =>
          data.deliveries.length === 0 ? (
            <p className="px-4 pb-4 text-soft md:px-5">
              Nothing was sent yet.{webhook.enabled && " Send a test to try it."}
            </p>
          ) : (
            <>
              <List deliveries={data.deliveries} canSend={webhook.enabled} resend={resend} />
              {data.count === limit && limit < MOST && (
                <div className="border-t border-line px-4 py-2.5 md:px-5">
                  <Button
                    small
                    isBusy={deliveries.isPlaceholderData}
                    onClick={() => setLimit(Math.min(limit * 5, MOST))}
                  >
                    Show older ones
                  </Button>
                </div>
              )}
            </>
          )
        }
      </Loaded>
    </Card>
  );
}

/** The first attempt is in flight, and usually succeeds within a moment. */
function isFresh({ status, attempts }: Delivery): boolean {
  return status === "pending" && attempts === 0;
}

interface ListProps {
  deliveries: Delivery[];
  canSend: boolean;
  resend: (delivery: Delivery) => Promise<void>;
}

function List({ deliveries, canSend, resend }: ListProps) {
  return (
    <Table
      label="Deliveries"
      rows={deliveries}
      keyOf={(delivery) => delivery.delivery_id}
      columns={[
        { name: "Event", isName: true, cell: ({ event }) => <span className="font-medium">{eventText(event)}</span> },
        { name: "When", cell: ({ at }) => <span title={moment(at)}>{ago(at)}</span> },
        { name: "State", cell: (delivery) => <State delivery={delivery} /> },
        {
          name: "Actions",
          isActs: true,
          cell: (delivery) =>
            canSend &&
            delivery.status !== "pending" && (
              <Button small onClick={() => resend(delivery)} aria-label={`Send ${eventText(delivery.event)} again`}>
                Send again
              </Button>
            ),
        },
      ]}
    />
  );
}

function State({ delivery }: { delivery: Delivery }) {
  const { status, attempts, reason, next_at, response_code } = delivery;
  return (
    <>
      <Dot word={deliveryWord(delivery)} hollow={status === "pending"} />
      <span className="block text-sm break-words text-soft">
        {attempts > 0 && count(attempts, "attempt")}
        {status === "delivered" && response_code !== null && `, answered ${response_code}`}
        {reason !== null && `, ${reason}`}
        {next_at !== null && attempts > 0 && `; next ${ago(next_at)}`}
      </span>
    </>
  );
}
