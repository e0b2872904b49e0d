// Preview links, one per variant: for the user, for a phone, for others. The findings of a preview on the page are
// reported back.

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { query, type Schemas } from "~/api/query";
import { copy } from "~/lib/page";
import { webAddress } from "~/lib/web-address";
import { Button } from "~/ui/button";
import { Dialog } from "~/ui/dialog";
import { Icon } from "~/ui/icon";
import { Card, Note } from "~/ui/layout";
import { Loaded } from "~/ui/loaded";
import { QrCode } from "~/ui/qr";
import { toast } from "~/ui/toast";
import { useExperiment } from "~/experiment/open";

type PreviewLink = Schemas["PreviewLink"];

export function Previews({ hasUnsaved }: { hasUnsaved: boolean }) {
  const { projectKey, experiment } = useExperiment();
  const path = { project_key: projectKey, test_id: experiment.test_id };
  const links = useQuery(query("/v2/project/{project_key}/experiment/{test_id}/preview-urls", { path }));
  const [shown, setShown] = useState<PreviewLink>();
  const [isLooking, setLooking] = useState(false);
  const labels = [experiment.control.nickname, ...experiment.variants.map((variant) => variant.nickname)];
  return (
    <Card
      title="Previews"
      about="Each link shows one variant to anybody who opens it, for seven days, regardless of traffic and audience. Nothing is recorded."
    >
      <div className="flex flex-col gap-3">
        {hasUnsaved && <Note>Previews show what is saved. Save to see your changes in them.</Note>}
        <Reported isAwaited={isLooking} />
        <Loaded query={links}>
          {({ variants }) => (
            <ul className="rounded-md border border-line">
              {variants.map((link) => (
                <PreviewRow
                  key={link.variant_id}
                  link={link}
                  label={labels[link.variant_id] ?? ""}
                  onShowCode={() => setShown(link)}
                  onLook={() => setLooking(true)}
                />
              ))}
            </ul>
          )}
        </Loaded>
      </div>
      {shown && <CodeDialog link={shown} onClose={() => setShown(undefined)} />}
    </Card>
  );
}

/** Size of a phone's window. */
const PHONE = "popup,noopener,width=390,height=844";

interface RowProps {
  link: PreviewLink;
  label: string;
  onShowCode: () => void;
  /** Called when the user uses the link, so that a report may come. */
  onLook: () => void;
}

function PreviewRow({ link, label, onShowCode, onLook }: RowProps) {
  const address = webAddress(link.preview_url);
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1.5 border-b border-line px-3 py-2 last:border-0">
      <span className="min-w-0 flex-1 basis-32 truncate">
        <span className="font-medium">{link.name}</span> <span className="text-soft">{label}</span>
      </span>
      {address === undefined ? (
        <span className="text-sm text-soft">The page’s address cannot be opened.</span>
      ) : (
        // biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: it only observes clicks on its links
        <span className="flex flex-wrap gap-1.5" onClick={onLook}>
          <a
            href={address}
            target="_blank"
            rel="noopener noreferrer"
            className="link self-center px-1"
            aria-label={`Open ${link.name} in a new tab`}
          >
            Open
          </a>
          <Button
            small
            className="max-xs:hidden"
            onClick={() => window.open(address, "_blank", PHONE)}
            aria-label={`Open ${link.name} at phone width`}
          >
            Phone width
          </Button>
          <Button small onClick={onShowCode} aria-label={`QR code of ${link.name}`}>
            QR code
          </Button>
          <Button small onClick={() => copyLink(address)} aria-label={`Copy link of ${link.name}`}>
            Copy link
          </Button>
        </span>
      )}
    </li>
  );
}

async function copyLink(address: string) {
  if (await copy(address)) toast("The link was copied. It works for seven days.");
  else toast("The browser did not allow copying.", "bad");
}

function CodeDialog({ link, onClose }: { link: PreviewLink; onClose: () => void }) {
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`${link.name} on a phone`}
      about="Scan this code with the phone’s camera. The phone must be able to reach the page, so a local address of this computer does not work."
    >
      <QrCode
        text={link.preview_url}
        label={`QR code of the preview of ${link.name}`}
        className="size-64 self-center"
      />
      <p className="font-mono text-sm break-all">{link.preview_url}</p>
    </Dialog>
  );
}

const REPORT_EVERY_MS = 5_000;

/**
 * Findings of previews on the page, from the checklist. It is read repeatedly while somebody may have a preview open.
 */
function Reported({ isAwaited }: { isAwaited: boolean }) {
  const { projectKey, experiment } = useExperiment();
  const path = { project_key: projectKey, test_id: experiment.test_id };
  const checklist = useQuery({
    ...query("/v2/project/{project_key}/experiment/{test_id}/checklist", { path }),
    refetchOnWindowFocus: "always",
    refetchInterval: ({ state }) => (isAwaited && previewIn(state.data)?.status !== "ok" ? REPORT_EVERY_MS : false),
  });
  const found = previewIn(checklist.data);
  if (found === undefined) return null;
  return (
    <p role="status" className="flex gap-2">
      <Icon
        name={found.status === "ok" ? "check" : found.status === "warn" ? "warning" : "info"}
        className={`mt-0.75 size-4 ${TONES[found.status]}`}
      />
      <span className="min-w-0">{found.sentence}</span>
    </p>
  );
}

const TONES: Record<Schemas["ChecklistStatus"], string> = {
  ok: "text-good",
  warn: "text-caution",
  blocked: "text-bad",
  unknown: "text-soft",
};

function previewIn(checklist: Schemas["Checklist"] | undefined) {
  return checklist?.items.find((item) => item.check === "preview");
}
