// Settings of the company: one page each, with tabs between them.

import { Outlet } from "@tanstack/react-router";
import { useSession } from "~/api/session";
import { SETTINGS, visible } from "~/shell/nav";
import { Tab, Tabs } from "~/ui/tabs";

export function SettingsLayout() {
  const session = useSession();
  return (
    <>
      <div className="mx-auto w-full max-w-330 px-4 pt-5 md:px-8 md:pt-7">
        <Tabs label="Settings">
          {visible(SETTINGS, session).map((place) => (
            <Tab key={place.name} to={place.to} activeProps={{ "aria-current": "page" }}>
              {place.name}
            </Tab>
          ))}
        </Tabs>
      </div>
      <Outlet />
    </>
  );
}
