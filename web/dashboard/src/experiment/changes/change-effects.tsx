// Effect of a change of an experiment: the changed fields, and the consequences for visitors and results. Everything
// comes from the server's preview of the change.

import type { ReactNode } from "react";
import type { Schemas } from "~/api/query";
import { percentage } from "~/lib/format";
import { names } from "~/lib/names";
import { Icon, type IconName } from "~/ui/icon";
import { FieldChanges } from "./field-changes";
import { fieldName } from "./field-words";
import { plainSentence } from "../plain-sentence";

type ChangePreview = Schemas["ChangePreview"];

const REASONS: Record<Schemas["Reason"], string> = {
  status: "the status",
  variants: "the variants",
  targeting: "the audience",
  traffic: "the share of visitors who enter",
  distribution: "the split between variants",
  groups: "the groups",
};

export function ChangeEffects({ preview }: { preview: ChangePreview }) {
  const effects = [
    ...forResults(preview),
    ...forVisitors(preview),
    ...emptyVariants(preview),
    ...preview.exploratory.map(warning),
    ...preview.warnings.map(warning),
  ];
  return (
    <>
      <FieldChanges changes={preview.changes} />
      <section>
        <h3 className="font-medium">What this does</h3>
        <ul className="mt-1.5 flex flex-col gap-1.5">
          {effects.map(({ icon, isGrave, text }, at) => (
            <li key={at} className="flex gap-2">
              <Icon name={icon} className={names("mt-0.75 size-4", isGrave ? "text-caution" : "text-soft")} />
              <span className="min-w-0 flex-1 break-words">{text}</span>
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}

interface Effect {
  icon: IconName;
  isGrave: boolean;
  text: ReactNode;
}

const grave = (text: ReactNode): Effect => ({ icon: "warning", isGrave: true, text });
const plain = (text: ReactNode): Effect => ({ icon: "info", isGrave: false, text });
const warning = (sentence: string): Effect => grave(plainSentence(sentence));

function forResults({ opens_epoch, reasons, redefines, removed_code }: ChangePreview): Effect[] {
  const effects: Effect[] = [];
  if (opens_epoch) {
    const what = listed(reasons.map((reason) => REASONS[reason] ?? reason));
    effects.push(
      grave(`A new period (epoch) begins, because ${what} changed. Visitors are compared within each period.`),
    );
  } else effects.push(plain("The result continues: no new period (epoch) begins."));
  if (redefines.length > 0) {
    const arms = listed(redefines.map((id) => (id === "0" ? "Control" : `Variant ${id}`)));
    effects.push(grave(`This redefines ${arms}. Data recorded before belongs to the earlier version.`));
  }
  if (removed_code.length > 0)
    effects.push(grave(`This removes code: ${listed(removed_code.map(fieldName))}. History keeps it.`));
  return effects;
}

function forVisitors({ moved_visitors_percent: moved }: ChangePreview): Effect[] {
  if (moved === null)
    return [grave("The audience changes: how many visitors get another variant, or none, depends on who they are.")];
  if (moved === 0) return [plain("Nobody in the experiment gets another variant.")];
  return [
    grave(
      `${percentage(moved)} of the visitors in the experiment get another variant, or none, unless their browser remembers their variant.`,
    ),
  ];
}

/** New variants without changes: an A/A test, usually by accident. */
function emptyVariants({ changes }: ChangePreview): Effect[] {
  const isNew = ({ field, before, after }: (typeof changes)[number]) =>
    /^variants\[\d+\]$/.test(field) && before == null && typeof after === "object" && after !== null;
  const isEmpty = ({ customJS, customCSS, data }: Partial<Schemas["Variant"]>) =>
    !customJS?.trim() && !customCSS?.trim() && (data ?? []).length === 0;
  return changes
    .filter((one) => isNew(one) && isEmpty(one.after as Partial<Schemas["Variant"]>))
    .map(({ field }) => grave(`${fieldName(field)} changes nothing: its visitors see the same page as the control.`));
}

function listed(texts: string[]): string {
  return texts.length < 2 ? texts.join("") : `${texts.slice(0, -1).join(", ")} and ${texts.at(-1)}`;
}
