// Asks before the user leaves a page with unsaved changes. They are kept in this tab either way, unless they are
// discarded.

import { useBlocker } from "@tanstack/react-router";
import { Button } from "../button";
import { Dialog } from "../dialog";

interface GuardProps {
  form: { isChanged: boolean; isBusy: boolean; reset: () => void };
}

export function FormGuard({ form }: GuardProps) {
  const isGuarded = form.isChanged && !form.isBusy;
  const blocker = useBlocker({
    // Another state of the same page, such as a tab in the query, keeps the form.
    shouldBlockFn: ({ current, next }) => isGuarded && current.pathname !== next.pathname,
    enableBeforeUnload: () => isGuarded,
    withResolver: true,
  });
  const isBlocked = blocker.status === "blocked";
  const proceed = (discards: boolean) => {
    if (discards) form.reset();
    blocker.proceed?.();
  };
  return (
    <Dialog
      isOpen={isBlocked}
      onClose={() => blocker.reset?.()}
      title="You have unsaved changes"
      about="They are kept in this tab until you come back, unless you discard them."
      footer={
        <>
          <Button onClick={() => proceed(true)}>Discard and leave</Button>
          <Button onClick={() => proceed(false)}>Leave and keep</Button>
          <Button kind="primary" onClick={() => blocker.reset?.()}>
            Stay
          </Button>
        </>
      }
    />
  );
}
