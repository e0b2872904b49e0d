// List of the control, the variants and the common code, with their content. The open one is below it.

import { Link } from "@tanstack/react-router";
import { names } from "~/lib/names";
import { Badge } from "~/ui/badge";
import { Button } from "~/ui/button";
import { Icon } from "~/ui/icon";
import { Card } from "~/ui/layout";
import { useExperiment } from "~/experiment/open";
import { type ArmId, contentsOf, fieldOf, nameOf, VARIANTS_MAX, withNew } from "./arms";
import type { Editing } from "./editing";

export function ArmList({ editing }: { editing: Editing }) {
  const { form, findings, setVariants, openArm, isLocked } = editing;
  const { control, variants, custom_css, custom_js } = form.values;
  const add = () => {
    setVariants(withNew);
    openArm(variants.length + 1);
  };
  return (
    <Card
      title="Variants"
      about="Visitors get one of these. The control is the original page, unless you give it code."
      actions={
        !isLocked && (
          <Button icon="plus" onClick={add} disabled={variants.length >= VARIANTS_MAX}>
            Add variant
          </Button>
        )
      }
      flush
    >
      <ul className="max-h-96 overflow-y-auto border-t border-line">
        <ArmRow
          editing={editing}
          arm={0}
          label={control.nickname}
          contents={contentsOf(control.customCSS, control.customJS)}
        />
        {variants.map((one, at) => (
          <ArmRow
            key={at}
            editing={editing}
            arm={at + 1}
            label={one.nickname}
            contents={contentsOf(one.customCSS, one.customJS, one.data.length)}
          />
        ))}
        <ArmRow
          editing={editing}
          arm="all"
          label="runs for every visitor, in the control too"
          contents={contentsOf(custom_css, custom_js)}
        />
      </ul>
      {findings.warningsOf("variants").map((warning) => (
        <p key={warning} className="flex gap-1.5 border-t border-line px-4 py-2.5 text-caution md:px-5">
          <Icon name="warning" className="mt-0.75 size-4" />
          <span className="min-w-0">{warning}</span>
        </p>
      ))}
    </Card>
  );
}

interface RowProps {
  editing: Editing;
  arm: ArmId;
  label: string;
  contents: string;
}

function ArmRow({ editing, arm, label, contents }: RowProps) {
  const { projectKey, experiment } = useExperiment();
  const isOpen = editing.open === arm;
  const found = problemsOf(editing, arm);
  return (
    <li className="border-b border-line last:border-0">
      <Link
        to="/p/$projectKey/experiments/$testId/setup/variants"
        params={{ projectKey, testId: String(experiment.test_id) }}
        search={{ arm: String(arm) }}
        replace
        resetScroll={false}
        preload={false}
        aria-current={isOpen}
        className={names(
          "flex flex-wrap items-baseline gap-x-3 gap-y-0.5 px-4 py-2 text-ink no-underline pointer-coarse:py-3 md:px-5",
          isOpen ? "bg-accent-wash" : "hover:bg-sunken",
        )}
      >
        <span className={names("shrink-0 font-medium", isOpen && "text-accent")}>{nameOf(arm)}</span>
        <span className={names("min-w-0 flex-1 basis-40 truncate", arm === "all" && "text-soft")}>{label}</span>
        {found > 0 && <Badge tone="caution">Look at it</Badge>}
        <span className="text-sm text-soft">{contents || (arm === 0 ? "the original page" : "nothing yet")}</span>
      </Link>
    </li>
  );
}

function problemsOf({ findings, form }: Editing, arm: ArmId): number {
  const fields = arm === "all" ? ["custom_css", "custom_js"] : [fieldOf(arm) as string];
  return fields.reduce((sum, field) => sum + findings.countOf(field) + (form.errorOf(field) ? 1 : 0), 0);
}
