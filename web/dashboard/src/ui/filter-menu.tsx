// Filters as buttons that open a menu and show the chosen values.

import type { ReactNode } from "react";
import { names } from "~/lib/names";
import { Button } from "./button";
import { Icon } from "./icon";
import { Menu, MenuCheckbox } from "./menu";

interface FilterMenuProps<W extends string> {
  name: string;
  words: readonly W[];
  texts: Record<W, string>;
  value: W[] | undefined;
  change: (value: W[] | undefined) => void;
}

/** A filter with several words. Items with any of the chosen words match. */
export function FilterMenu<W extends string>({ name, words, texts, value = [], change }: FilterMenuProps<W>) {
  const set = (word: W, on: boolean) => {
    const next = words.filter((one) => (one === word ? on : value.includes(one)));
    change(next.length > 0 ? next : undefined);
  };
  return (
    <Menu trigger={<FilterTrigger name={name} value={value.map((word) => texts[word] ?? word).join(", ")} />}>
      {words.map((word) => (
        <MenuCheckbox key={word} checked={value.includes(word)} onChange={(on) => set(word, on)}>
          {texts[word]}
        </MenuCheckbox>
      ))}
    </Menu>
  );
}

interface ProjectFilterProps {
  projects: readonly { project_key: string; name: string }[];
  value: string[] | undefined;
  change: (value: string[] | undefined) => void;
}

/** Filter by projects. Not shown to users who see only one. */
export function ProjectFilter({ projects, value, change }: ProjectFilterProps) {
  if (projects.length < 2) return null;
  return (
    <FilterMenu
      name="Project"
      words={projects.map((one) => one.project_key)}
      texts={Object.fromEntries(projects.map((one) => [one.project_key, one.name]))}
      value={value}
      change={change}
    />
  );
}

/** Button that opens a filter and shows the chosen value. */
export function FilterTrigger({ name, value, always, ...rest }: { name: string; value: ReactNode; always?: boolean }) {
  const isOn = value !== "" && !always;
  return (
    <Button {...rest} className={names("max-w-60", isOn && "border-accent! bg-accent-wash! text-accent!")}>
      <span className="truncate">
        {name}
        {value !== "" && <span className={always ? "text-soft" : undefined}>: {value}</span>}
      </span>
      <Icon name="chevronDown" className="size-3.5" />
    </Button>
  );
}
