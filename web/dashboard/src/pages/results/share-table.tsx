// Links to a result: their question, author and expiry.

import { useQueryClient } from "@tanstack/react-query";
import { outdate, type Schemas, send } from "~/api/query";
import { date, moment } from "~/lib/format";
import type { Word } from "~/lib/words";
import { Actor } from "~/ui/actor";
import { WordBadge } from "~/ui/badge";
import { Button } from "~/ui/button";
import { ConfirmDialog } from "~/ui/dialog";
import { Table } from "~/ui/table";
import { toast } from "~/ui/toast";
import { questionOf, questionWords } from "~/experiment/result/query-words";

type Share = Schemas["Share"];

const STATE: Record<Share["state"], Word> = {
  open: { text: "Works", tone: "good" },
  expired: { text: "Expired", tone: "neutral" },
  revoked: { text: "Revoked", tone: "neutral" },
};

interface TableProps {
  shares: Share[];
  goalName: (key: string) => string;
  revoke: (share: Share) => void;
}

export function ShareTable({ shares, goalName, revoke }: TableProps) {
  return (
    <div className="rounded-lg border border-line">
      <Table
        label="Links"
        rows={shares}
        keyOf={({ share_id: id }) => String(id)}
        columns={[
          {
            name: "Shows",
            isName: true,
            cell: ({ query }) => {
              const words = questionWords(questionOf(query), goalName);
              return <span className="break-words">{words.length > 0 ? words.join(", ") : "All visitors"}</span>;
            },
          },
          { name: "State", cell: ({ state }) => <WordBadge word={STATE[state]} /> },
          { name: "Created", cell: (share) => <Made share={share} /> },
          { name: "Expires", cell: ({ expires_at: at }) => <Day of={at} /> },
          { name: "Opened", cell: ({ opened_at: at }) => (at === null ? "Never" : <Day of={at} />) },
          {
            name: "Actions",
            isActs: true,
            cell: (share) =>
              share.state === "open" && (
                <Button
                  small
                  onClick={() => revoke(share)}
                  aria-label={`Revoke the link of ${moment(share.created_at)}`}
                >
                  Revoke
                </Button>
              ),
          },
        ]}
      />
    </div>
  );
}

function Day({ of }: { of: string }) {
  return (
    <span className="whitespace-nowrap" title={moment(of)}>
      {date(of, true)}
    </span>
  );
}

function Made({ share: { created_at: at, created_by: by } }: { share: Share }) {
  return (
    <>
      <Day of={at} />
      <span className="block text-sm text-soft">
        <Actor actor={by} />
      </span>
    </>
  );
}

interface RevokeProps {
  projectKey: string;
  /** The link that is about to be revoked. */
  share: Share | undefined;
  onClose: () => void;
}

export function RevokeDialog({ projectKey, share, onClose }: RevokeProps) {
  const cache = useQueryClient();
  return (
    <ConfirmDialog
      isOpen={share !== undefined}
      onClose={onClose}
      title="Revoke this link"
      act="Revoke link"
      onConfirm={async () => {
        if (share === undefined) return;
        await send("delete", "/v2/project/{project_key}/share/{share_id}", {
          params: { path: { project_key: projectKey, share_id: share.share_id } },
        });
        await outdate(cache, "/v2/project/{project_key}/experiment/{test_id}/shares", "/v2/audit");
        toast("The link was revoked.");
      }}
    >
      <p>The link stops working at once. This cannot be undone, but you can create another link.</p>
      {share?.opened_at && <p>It was last opened on {date(share.opened_at)}.</p>}
    </ConfirmDialog>
  );
}
