// Actions on several experiments. Each experiment is a separate request with its own answer, one after the other.
// Failures are named, and the others are done.

import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { failureFrom } from "~/api/failure";
import { outdate, readTagged, send } from "~/api/query";
import { may, useSession } from "~/api/session";
import { count } from "~/lib/format";
import { Button } from "~/ui/button";
import { Dialog } from "~/ui/dialog";
import { TextInput } from "~/ui/field";
import { Note } from "~/ui/layout";
import { toast } from "~/ui/toast";
import type { Item } from "./filters";

interface Act {
  name: string;
  /** Label of the button in the dialog. */
  act: string;
  /** Past participle that follows the count: "archived". */
  done: string;
  about: ReactNode;
  danger?: boolean;
  takesTag?: boolean;
  applies: (item: Item) => boolean;
  run: (item: Item, tag: string) => Promise<unknown>;
}

const at = (item: Item) => ({ path: { project_key: item.project_key, test_id: item.test_id } });

/** Changes the current tags, not those of the list. The server answers 412 if somebody else changes them in between. */
async function setTags(item: Item, change: (tags: string[]) => string[]): Promise<void> {
  const { data, etag } = await readTagged("/v2/project/{project_key}/experiment/{test_id}", at(item));
  const { tags } = data.experiment;
  const next = change(tags);
  if (next.length === tags.length) return;
  const sent = { params: at(item), body: { tags: next }, ifMatch: etag };
  await send("patch", "/v2/project/{project_key}/experiment/{test_id}", sent);
}

const ACTS: Act[] = [
  {
    name: "Add tag",
    act: "Add tag",
    done: "tagged",
    about: "The tag is added to those that do not have it.",
    takesTag: true,
    applies: () => true,
    run: (item, tag) => setTags(item, (tags) => (tags.includes(tag) ? tags : [...tags, tag])),
  },
  {
    name: "Remove tag",
    act: "Remove tag",
    done: "changed",
    about: "The tag is removed from those that have it.",
    takesTag: true,
    applies: ({ tags }) => tags.length > 0,
    run: (item, tag) => setTags(item, (tags) => tags.filter((one) => one !== tag)),
  },
  {
    name: "Archive",
    act: "Archive",
    done: "archived",
    about: "They leave this list and stay as they are. You can take them out of the archive again.",
    applies: ({ archived, status }) => !archived && status !== 1,
    run: (item) =>
      send("patch", "/v2/project/{project_key}/experiment/{test_id}/archive", {
        params: at(item),
        body: { archived: true },
      }),
  },
  {
    name: "Take out of the archive",
    act: "Take out",
    done: "taken out of the archive",
    about: "They are in the list again.",
    applies: ({ archived }) => archived,
    run: (item) =>
      send("patch", "/v2/project/{project_key}/experiment/{test_id}/archive", {
        params: at(item),
        body: { archived: false },
      }),
  },
  {
    name: "Stop",
    act: "Stop experiments",
    done: "stopped",
    about: "Visitors get the original page from now on. Recorded data is kept, and you can start them again.",
    danger: true,
    applies: ({ status }) => status === 1,
    run: (item) =>
      send("patch", "/v2/project/{project_key}/experiment/{test_id}/status", { params: at(item), body: { status: 0 } }),
  },
];

export function BulkBar({ selected, clear }: { selected: ReadonlyMap<number, Item>; clear: () => void }) {
  const session = useSession();
  const [act, setAct] = useState<Act>();
  const items = [...selected.values()].filter((item) => may(session, item.project_key, "write"));
  if (selected.size === 0) return null;
  return (
    <div className="sticky bottom-3 z-20 flex justify-center">
      <div
        role="toolbar"
        aria-label="Selected experiments"
        className="floating flex flex-wrap items-center gap-2 py-2 pr-2 pl-4"
      >
        <span className="font-medium">{count(selected.size, "experiment")} selected</span>
        {items.length === 0 && <span className="text-soft">You may only read these.</span>}
        {ACTS.filter(({ applies }) => items.some(applies)).map((one) => (
          <Button key={one.name} small onClick={() => setAct(one)}>
            {one.name}
          </Button>
        ))}
        <Button small kind="quiet" onClick={clear}>
          Clear selection
        </Button>
      </div>
      {act && (
        <BulkDialog
          act={act}
          items={items.filter(act.applies)}
          selected={selected.size}
          onClose={() => setAct(undefined)}
          onDone={clear}
        />
      )}
    </div>
  );
}

interface BulkDialogProps {
  act: Act;
  items: Item[];
  selected: number;
  onClose: () => void;
  onDone: () => void;
}

interface Progress {
  done: number;
  failed: { item: Item; message: string }[];
}

function BulkDialog({ act, items, selected, onClose, onDone }: BulkDialogProps) {
  const cache = useQueryClient();
  const [tag, setTag] = useState("");
  const [error, setError] = useState<string>();
  const [progress, setProgress] = useState<Progress>();
  const [isRunning, setRunning] = useState(false);
  const isOver = progress !== undefined && !isRunning;

  const run = async () => {
    if (act.takesTag && tag.trim() === "") return setError("Enter a tag.");
    setRunning(true);
    const failed: Progress["failed"] = [];
    for (const [index, item] of items.entries()) {
      setProgress({ done: index, failed });
      try {
        await act.run(item, tag.trim());
      } catch (thrown) {
        failed.push({ item, message: failureFrom(thrown).message });
      }
    }
    setProgress({ done: items.length, failed });
    setRunning(false);
    await outdate(cache, "/v2/overview", "/v2/project/{project_key}/experiment/{test_id}");
    if (failed.length > 0) return;
    toast(`${count(items.length, "experiment")} ${act.done}.`);
    onClose();
    onDone();
  };

  return (
    <Dialog
      isOpen
      onClose={() => !isRunning && onClose()}
      title={`${act.name}: ${count(items.length, "experiment")}`}
      about={act.about}
      footer={
        isOver ? (
          <Button kind="primary" onClick={onClose}>
            Close
          </Button>
        ) : (
          <>
            <Button onClick={onClose} disabled={isRunning}>
              Cancel
            </Button>
            <Button kind={act.danger ? "danger" : "primary"} isBusy={isRunning} onClick={run}>
              {act.act}
            </Button>
          </>
        )
      }
    >
      {items.length < selected && <Note>It does not apply to {selected - items.length} of the selected ones.</Note>}
      {act.takesTag && !progress && (
        <TextInput
          label="Tag"
          value={tag}
          maxLength={64}
          error={error}
          onChange={(event) => setTag(event.target.value)}
        />
      )}
      {progress && isRunning && (
        <div className="flex flex-col gap-1">
          <progress
            value={progress.done}
            max={items.length}
            aria-label="Progress"
            className="h-2 w-full accent-accent-fill"
          />
          <p className="num text-soft">
            {progress.done} of {items.length}
          </p>
        </div>
      )}
      {isOver && progress.failed.length > 0 && (
        <Note tone="bad" role="alert">
          <p className="font-medium">
            {items.length - progress.failed.length} of {items.length} {act.done}. These were not:
          </p>
          <ul className="mt-1 max-h-60 list-disc overflow-y-auto pl-4">
            {progress.failed.map(({ item, message }) => (
              <li key={item.test_id}>
                {item.test_name}: {message}
              </li>
            ))}
          </ul>
        </Note>
      )}
    </Dialog>
  );
}
