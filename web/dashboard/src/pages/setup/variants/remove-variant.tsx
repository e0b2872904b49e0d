// Asks before a variant is removed, and explains the effect: names are positions.

import { ConfirmDialog } from "~/ui/dialog";
import { useExperiment } from "~/experiment/open";
import { without } from "./arms";
import type { Editing } from "./editing";

interface RemoveProps {
  editing: Editing;
  /** Index in the list. */
  at: number;
  isOpen: boolean;
  onClose: () => void;
}

export function RemoveVariant({ editing, at, isOpen, onClose }: RemoveProps) {
  const { form, setVariants, openArm, renumbered } = editing;
  const { experiment } = useExperiment();
  const { length } = form.values.variants;
  const remove = async () => {
    setVariants((all) => without(all, at));
    // Unreadable text belongs to a number, which may be another variant's now.
    form.set("unreadable", {});
    renumbered();
    openArm(Math.min(at + 1, length - 1));
  };
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      title={`Remove Variant ${at + 1}?`}
      act="Remove variant"
      onConfirm={remove}
    >
      <p>Saving also removes its code and visual changes. The history keeps them.</p>
      {at + 1 < length && <p>{renamed(at + 1, length)}</p>}
      {experiment.epochs.length > 0 && (
        <p>
          The experiment has started: visitors of this variant get another one
          {at + 1 < length ? ", and recorded data stays with the number" : ""}. To end a variant and keep its results,
          give it no traffic instead.
        </p>
      )}
    </ConfirmDialog>
  );
}

function renamed(removed: number, length: number): string {
  return length === removed + 1
    ? `Variant ${length} becomes Variant ${removed}.`
    : `Variants ${removed + 1} to ${length} each move up by one number.`;
}
