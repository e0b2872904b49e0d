// Content of the open variant: its label, its visual changes and its code.

import { type ReactNode, useState } from "react";
import { IconButton } from "~/ui/button";
import { CodeEditor } from "~/ui/code-editor";
import { TextInput } from "~/ui/field";
import { Card, Note } from "~/ui/layout";
import { Menu, MenuItem } from "~/ui/menu";
import { type Control, nameOf, type Variant, VARIANTS_MAX, withCopy } from "./arms";
import { ChangesSection } from "./changes-section";
import { type Editing, errorOf } from "./editing";
import { RemoveVariant } from "./remove-variant";

export function ArmPanel({ editing }: { editing: Editing }) {
  const { open, isLocked, mayCode } = editing;
  const readOnlyNote = !isLocked && !mayCode && (
    <Note>
      Your role may not change code in this project, so code is read-only here. Admins may change it, and can let
      editors do so in the project’s settings.
    </Note>
  );
  if (open === "all") {
    return (
      <Card
        title="Shared code"
        about="Runs for every visitor in the experiment, in the control too, before the code of a variant."
      >
        <div className="flex flex-col gap-5">
          {readOnlyNote}
          <Code
            editing={editing}
            field="custom_css"
            language="css"
            value={editing.form.values.custom_css}
            onChange={(text) => editing.form.set("custom_css", text)}
          />
          <Code
            editing={editing}
            field="custom_js"
            language="javascript"
            value={editing.form.values.custom_js}
            onChange={(text) => editing.form.set("custom_js", text)}
          />
        </div>
      </Card>
    );
  }
  return <OneArm editing={editing} arm={open} note={readOnlyNote} />;
}

function OneArm({ editing, arm, note }: { editing: Editing; arm: number; note: ReactNode }) {
  const { form, setVariants } = editing;
  const value: Control | Variant | undefined = arm === 0 ? form.values.control : form.values.variants[arm - 1];
  if (value === undefined) return null;
  const field = arm === 0 ? "control" : `variants[${arm - 1}]`;
  const set = (changes: Partial<Variant>) =>
    arm === 0
      ? form.set("control", { ...form.values.control, ...changes } as Control)
      : setVariants((all) => all.map((one, at) => (at === arm - 1 ? { ...one, ...changes } : one)));
  return (
    <Card title={nameOf(arm)} actions={arm > 0 && !editing.isLocked && <Acts editing={editing} at={arm - 1} />}>
      <div className="flex flex-col gap-5">
        <TextInput
          label="Label"
          aside="optional"
          hint="A name for your team. Visitors never see it."
          name={`${field}.nickname`}
          value={value.nickname}
          maxLength={255}
          onChange={(event) => set({ nickname: event.target.value })}
          error={errorOf(editing, `${field}.nickname`)}
          className="max-w-100"
        />
        {arm > 0 && (
          <ChangesSection
            editing={editing}
            field={`${field}.data`}
            changes={(value as Variant).data}
            onChange={(data) => set({ data })}
          />
        )}
        {note}
        <Code
          editing={editing}
          field={`${field}.customCSS`}
          language="css"
          value={value.customCSS}
          onChange={(customCSS) => set({ customCSS })}
        />
        <Code
          editing={editing}
          field={`${field}.customJS`}
          language="javascript"
          value={value.customJS}
          onChange={(customJS) => set({ customJS })}
        />
      </div>
    </Card>
  );
}

const CODE = {
  css: { label: "CSS", hint: "" },
  javascript: {
    label: "JavaScript",
    hint: "Runs when the document is parsed. It can use experiment.waitFor, onCleanup and track.",
  },
};

interface CodeProps {
  editing: Editing;
  field: string;
  language: "css" | "javascript";
  value: string;
  onChange: (text: string) => void;
}

function Code({ editing, field, language, value, onChange }: CodeProps) {
  const { findings, isLocked, mayCode } = editing;
  return (
    <CodeEditor
      name={field}
      label={CODE[language].label}
      hint={CODE[language].hint}
      language={language}
      value={value}
      onChange={onChange}
      isReadOnly={isLocked || !mayCode}
      error={errorOf(editing, field)}
      warnings={findings.warningsOf(field)}
      marks={findings.marksOf(field)}
    />
  );
}

function Acts({ editing, at }: { editing: Editing; at: number }) {
  const [isRemoving, setRemoving] = useState(false);
  const { form, setVariants, openArm } = editing;
  const { variants } = form.values;
  const duplicate = () => {
    setVariants((all) => withCopy(all, at));
    openArm(variants.length + 1);
  };
  return (
    <>
      <Menu align="end" trigger={<IconButton icon="more" label={`More actions for Variant ${at + 1}`} />}>
        <MenuItem icon="layers" onClick={duplicate} isDisabled={variants.length >= VARIANTS_MAX}>
          Duplicate
        </MenuItem>
        <MenuItem icon="close" danger onClick={() => setRemoving(true)} isDisabled={variants.length === 1}>
          {variants.length === 1 ? "Remove: one has to stay" : "Remove"}
        </MenuItem>
      </Menu>
      <RemoveVariant editing={editing} at={at} isOpen={isRemoving} onClose={() => setRemoving(false)} />
    </>
  );
}
