// Frame of the pages before the sign-in: one narrow column.

import type { ReactNode } from "react";
import { Mark } from "~/ui/icon";

export function Entrance({ title, about, children }: { title: ReactNode; about?: ReactNode; children: ReactNode }) {
  return (
    <main className="mx-auto flex min-h-dvh w-full max-w-100 flex-col justify-center gap-5 px-4 py-10">
      <div className="flex items-center gap-2 text-lg font-semibold tracking-tight">
        <Mark />
        Muriel
      </div>
      <div className="rounded-lg border border-line bg-panel px-5 py-6 xs:px-7">
        <h1 className="text-2xl font-semibold tracking-tight">{title}</h1>
        {about && <p className="mt-1 text-soft">{about}</p>}
        <div className="mt-5 flex flex-col gap-4">{children}</div>
      </div>
    </main>
  );
}
