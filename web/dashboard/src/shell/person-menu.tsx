import { useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { signOut, useSession } from "~/api/session";
import { chooseTheme, type ThemeChoice, themeChoice } from "~/lib/theme";
import { ROLE } from "~/lib/words";
import { Icon } from "~/ui/icon";
import { Menu, MenuItem, MenuLine, MenuRadios } from "~/ui/menu";
import { toast } from "~/ui/toast";

export function PersonMenu() {
  const { person, role } = useSession();
  const cache = useQueryClient();
  const navigate = useNavigate();
  const [theme, setTheme] = useState(themeChoice);
  const leave = async () => {
    try {
      await signOut(cache);
      await navigate({ to: "/sign-in", ignoreBlocker: true });
    } catch {
      toast("You could not be signed out: the server cannot be reached.", "bad");
    }
  };
  return (
    <Menu
      trigger={
        <button
          type="button"
          className="flex w-full items-center gap-2.5 rounded-md px-2 py-1.5 text-left hover:bg-sunken data-popup-open:bg-sunken"
        >
          <Icon name="person" className="size-4 text-soft" />
          <span className="min-w-0 flex-1">
            <span className="block truncate font-medium">{person.name}</span>
            <span className="block truncate text-sm text-soft">{ROLE[role].text}</span>
          </span>
          <Icon name="chevronsUpDown" className="size-4 text-soft" />
        </button>
      }
    >
      <MenuItem icon="person" link={<Link to="/account" />}>
        Your account
      </MenuItem>
      <MenuLine />
      <MenuRadios
        label="Appearance"
        value={theme}
        choices={[
          ["system", "Same as the system"],
          ["light", "Light"],
          ["dark", "Dark"],
        ]}
        onChange={(choice: ThemeChoice) => {
          chooseTheme(choice);
          setTheme(choice);
        }}
      />
      <MenuLine />
      <MenuItem icon="external" onClick={leave}>
        Sign out
      </MenuItem>
    </Menu>
  );
}
