// Form of one visual change. Its fields depend on the keys of the change.

import { Button, IconButton } from "~/ui/button";
import { Choice, Select, TextBox, TextInput } from "~/ui/field";
import { Menu, MenuItem } from "~/ui/menu";
import { useExperiment } from "~/experiment/open";
import {
  type Change,
  CONTENT_KEYS,
  type ContentKey,
  contentOf,
  isOnOnePage,
  isSelector,
  kindOf,
  needsCode,
  styleText,
  textOf,
} from "./changes";
import { type Editing, errorOf } from "./editing";

interface FieldsProps {
  editing: Editing;
  /** Path of the change: `variants[0].data[1]`. */
  field: string;
  change: Change;
  onChange: (change: Change) => void;
}

export function ChangeFields(props: FieldsProps) {
  const kind = kindOf(props.change);
  if (kind === "unknown") return null;
  return (
    <>
      {kind === "content" && <Content {...props} />}
      {kind === "hide" && <Selector {...props} name="rm" label="Element to hide" />}
      {kind === "insert" && <Insert {...props} />}
      {kind === "move" && <Move {...props} />}
      {kind === "redirect" ? <Redirect {...props} /> : <OnePage {...props} />}
    </>
  );
}

function Content(props: FieldsProps) {
  const { change, onChange, editing } = props;
  const keys = contentOf(change);
  const { innerText, textContent } = change;
  const hasText = innerText !== undefined || textContent !== undefined;
  const addable = CONTENT_KEYS.filter(
    (key) => !(key in change) && key !== "textContent" && !(key === "innerText" && hasText),
  ).filter((key) => editing.mayCode || !needsCode({ target: change.target, [key]: "" }));
  const isFixed = editing.isLocked || (needsCode(change) && !editing.mayCode);
  const remove = (key: ContentKey) => {
    const { [key]: _, ...others } = change;
    onChange(others);
  };
  return (
    <>
      <Selector {...props} name="target" label="Element" />
      {keys.map((key) => (
        <div key={key} className="flex items-start gap-1">
          <div className="min-w-0 flex-1">
            <ContentField {...props} name={key} />
          </div>
          {keys.length > 1 && !isFixed && (
            <IconButton small icon="close" label={`Leave ${FIELD[key].label} unchanged`} onClick={() => remove(key)} />
          )}
        </div>
      ))}
      {addable.length > 0 && !isFixed && (
        <div>
          <Menu
            trigger={
              <Button small icon="plus">
                Change more of the element
              </Button>
            }
          >
            {addable.map((key) => (
              <MenuItem key={key} onClick={() => onChange({ ...change, [key]: "" })}>
                {FIELD[key].label}
              </MenuItem>
            ))}
          </Menu>
        </div>
      )}
    </>
  );
}

const FIELD: Record<ContentKey, { label: string; hint?: string; rows?: number; isCode?: boolean }> = {
  innerText: { label: "New text", rows: 2 },
  textContent: { label: "New text", rows: 2 },
  innerHTML: { label: "New HTML inside", hint: "Scripts in it do not run.", rows: 4, isCode: true },
  outerHTML: {
    label: "Replacement HTML",
    hint: "The element is hidden, and this HTML is inserted after it.",
    rows: 4,
    isCode: true,
  },
  src: { label: "New source", hint: "The address of a picture, a video or a frame." },
  href: { label: "New link", hint: "An address, or a path such as /pricing." },
  style: { label: "New style", hint: "Declarations, such as color: red; font-size: 20px", rows: 2, isCode: true },
  class: { label: "Classes", hint: "Added to the element. A class with - before it is removed." },
};

function ContentField({ editing, field, change, onChange, name }: FieldsProps & { name: ContentKey }) {
  const { label, hint, rows, isCode } = FIELD[name];
  const common = {
    label,
    hint,
    name: `${field}.${name}`,
    value: name === "style" ? styleText(change.style) : textOf(change, name),
    error: errorOf(editing, `${field}.${name}`),
    controlClassName: isCode ? "font-mono text-sm" : undefined,
    spellCheck: rows !== undefined && !isCode,
  };
  const set = (text: string) => onChange({ ...change, [name]: text });
  return rows === undefined ? (
    <TextInput {...common} onChange={(event) => set(event.target.value)} />
  ) : (
    <TextBox {...common} rows={rows} onChange={(event) => set(event.target.value)} />
  );
}

function Selector({ editing, field, change, onChange, name, label }: FieldsProps & { name: string; label: string }) {
  const value = textOf(change, name);
  const isReadable = value.trim() === "" || isSelector(value);
  // An empty field is an error only after a save was attempted.
  const error = value.trim() === "" ? editing.form.errorOf(`${field}.${name}`) : errorOf(editing, `${field}.${name}`);
  return (
    <TextInput
      label={label}
      hint={
        isReadable ? (
          <>
            A CSS selector, such as <code className="font-mono">.buy</code> or <code className="font-mono">#title</code>
          </>
        ) : (
          <span className="text-caution">Browsers cannot read this selector, so it would match nothing.</span>
        )
      }
      name={`${field}.${name}`}
      value={value}
      onChange={(event) => onChange({ ...change, [name]: event.target.value })}
      error={error}
      controlClassName="font-mono text-sm"
      spellCheck={false}
      autoCapitalize="off"
    />
  );
}

function Direction({ editing, field, change, onChange }: FieldsProps) {
  return (
    <Select
      label="Where"
      name={`${field}.dir`}
      value={textOf(change, "dir")}
      onChange={(event) => onChange({ ...change, dir: event.target.value })}
      error={errorOf(editing, `${field}.dir`)}
      className="max-w-60"
    >
      {!["b", "a", "p"].includes(textOf(change, "dir")) && <option value={textOf(change, "dir")}>Choose</option>}
      <option value="b">Before this element</option>
      <option value="a">After this element</option>
      <option value="p">Inside it, at the end</option>
    </Select>
  );
}

function Insert(props: FieldsProps) {
  const { editing, field, change, onChange } = props;
  return (
    <>
      <TextBox
        label="HTML to insert"
        hint="Scripts in it do not run."
        name={`${field}.htmlBlock`}
        rows={4}
        value={textOf(change, "htmlBlock")}
        onChange={(event) => onChange({ ...change, htmlBlock: event.target.value })}
        error={errorOf(editing, `${field}.htmlBlock`)}
        controlClassName="font-mono text-sm"
        spellCheck={false}
      />
      <Direction {...props} />
      <Selector {...props} name="refEl" label="Reference element" />
    </>
  );
}

function Move(props: FieldsProps) {
  return (
    <>
      <Selector {...props} name="oriEl" label="Element to move" />
      <Direction {...props} />
      <Selector {...props} name="refEl" label="Reference element" />
    </>
  );
}

function Redirect({ editing, field, change, onChange }: FieldsProps) {
  const url = textOf(change, "url");
  return (
    <>
      <TextInput
        label="Address"
        hint="The page that visitors of this variant get instead of the experiment’s page."
        type="url"
        name={`${field}.url`}
        value={url}
        onChange={(event) => onChange({ ...change, url: event.target.value })}
        error={url === "" ? editing.form.errorOf(`${field}.url`) : errorOf(editing, `${field}.url`)}
      />
      <Choice
        label="Pass on the page’s parameters and fragment"
        hint="Such as those of an advertisement."
        name={`${field}.relay_param`}
        checked={change.relay_param !== false}
        onChange={(event) => onChange({ ...change, relay_param: event.target.checked })}
      />
    </>
  );
}

function OnePage({ editing, field, change, onChange }: FieldsProps) {
  const { experiment } = useExperiment();
  const isOne = isOnOnePage(change);
  const toggle = (on: boolean) => {
    const { pageUrl: _, sitewide: __, ...others } = change;
    onChange(on ? { ...others, pageUrl: experiment.url, sitewide: false } : others);
  };
  return (
    <>
      <Choice
        label="Only on one page"
        hint={isOne ? undefined : "Otherwise on every page of the experiment."}
        name={`${field}.sitewide`}
        checked={isOne}
        onChange={(event) => toggle(event.target.checked)}
      />
      {isOne && (
        <TextInput
          label="Page"
          hint="The address of the page. Parameters are ignored. An address with * is a pattern."
          name={`${field}.pageUrl`}
          value={textOf(change, "pageUrl")}
          onChange={(event) => onChange({ ...change, pageUrl: event.target.value })}
          error={errorOf(editing, `${field}.pageUrl`)}
        />
      )}
    </>
  );
}
