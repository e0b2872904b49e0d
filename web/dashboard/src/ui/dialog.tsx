// Dialogs. `ConfirmDialog` is for actions that cannot be undone: it explains the effect, and its button names the
// action.

import { Dialog as Base } from "@base-ui/react/dialog";
import { type ReactNode, useState } from "react";
import { names } from "~/lib/names";
import { Button, IconButton } from "./button";
import { ErrorPanel } from "./loaded";

interface DialogProps {
  isOpen: boolean;
  onClose: () => void;
  title: ReactNode;
  about?: ReactNode;
  width?: "narrow" | "wide";
  children?: ReactNode;
  /** Buttons at the bottom. The main action is last. */
  footer?: ReactNode;
}

export function Dialog({ isOpen, onClose, title, about, width = "narrow", children, footer }: DialogProps) {
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-(--veil) transition-opacity duration-120 data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <Base.Viewport className="fixed inset-0 z-50 grid items-start justify-items-center overflow-y-auto px-3 py-[8vh]">
          <Base.Popup
            className={names(
              "floating flex w-full flex-col outline-none",
              width === "wide" ? "max-w-190" : "max-w-120",
            )}
          >
            <div className="flex items-start justify-between gap-3 px-5 pt-4">
              <Base.Title className="text-lg font-semibold">{title}</Base.Title>
              <Base.Close render={<IconButton icon="close" label="Close" small />} />
            </div>
            <div className="flex flex-col gap-4 px-5 pt-1 pb-5">
              {about && <Base.Description className="text-soft">{about}</Base.Description>}
              {children}
            </div>
            {footer && <div className="flex flex-wrap justify-end gap-2 border-t border-line px-5 py-3">{footer}</div>}
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  );
}

interface ConfirmProps {
  isOpen: boolean;
  onClose: () => void;
  title: ReactNode;
  /** Explains what will happen, and whether it can be undone. */
  children: ReactNode;
  /** Label of the button: "Revoke key", never "OK". */
  act: string;
  danger?: boolean;
  onConfirm: () => Promise<unknown>;
}

export function ConfirmDialog({ isOpen, onClose, title, children, act, danger = true, onConfirm }: ConfirmProps) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const close = () => {
    setError(undefined);
    onClose();
  };
  const confirm = async () => {
    setBusy(true);
    setError(undefined);
    try {
      await onConfirm();
      close();
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      isOpen={isOpen}
      onClose={close}
      title={title}
      footer={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button kind={danger ? "danger" : "primary"} isBusy={isBusy} onClick={confirm}>
            {act}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-2">{children}</div>
      {error !== undefined && <ErrorPanel error={error} />}
    </Dialog>
  );
}
