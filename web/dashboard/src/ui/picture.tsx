// A picture of numbers, with a table of the same numbers. Screen readers always get the table. Others can show it
// instead of the picture, and it is below the picture on paper. The picture can be saved as a file.

import { type ReactNode, useState } from "react";
import { moment } from "~/lib/format";
import { names } from "~/lib/names";
import { fileName, saveFile } from "~/lib/save-file";
import { track } from "~/api/settled";
import { Button } from "./button";

interface PictureProps {
  /** Title of the picture: "Lift of each variant". Names the figure and the files. */
  label: string;
  /** Subject, such as the experiment's name: for files, which leave the page. */
  of?: string | undefined;
  /** Time when the numbers were computed. */
  asOf?: string | null | undefined;
  /** Explains in a sentence how to read it. */
  caption?: ReactNode;
  /** Table of the same numbers. */
  table: ReactNode;
  /** Returns the current drawing; undefined while nothing is drawn. */
  drawing: () => SVGSVGElement | null | undefined;
  children: ReactNode;
}

export function Picture({ label, of, asOf, caption, table, drawing, children }: PictureProps) {
  const [isTable, setTable] = useState(false);
  return (
    <figure aria-label={label} className="flex min-w-0 flex-col gap-2">
      <div className={names("min-w-0", isTable && "hidden print:block")}>{children}</div>
      <div
        className={names(
          "-mx-4 min-w-0 md:-mx-5 print:not-sr-only print:mx-0",
          // A hidden table must not scroll.
          isTable ? "border-y border-line" : "sr-only [&_*]:overflow-visible!",
        )}
      >
        {table}
      </div>
      {caption && <figcaption className="max-w-160 text-sm text-soft">{caption}</figcaption>}
      <div className="flex flex-wrap items-center gap-x-1 gap-y-2 print:hidden">
        <Button small className="mr-1" onClick={() => setTable(!isTable)}>
          {isTable ? "Show as picture" : "Show as table"}
        </Button>
        <SaveButtons label={label} of={of} asOf={asOf} drawing={drawing} />
      </div>
    </figure>
  );
}

type Kind = "svg" | "png";

function SaveButtons({ label, of, asOf, drawing }: Pick<PictureProps, "label" | "of" | "asOf" | "drawing">) {
  const [failed, setFailed] = useState(false);
  const save = async (kind: Kind) => {
    setFailed(false);
    try {
      const picture = drawing();
      if (picture == null) throw new Error("there is no picture yet");
      const { pictureFile, pngOf } = await track(import("./svg-file"));
      const about = [of, asOf != null && `As of ${moment(asOf)}`].filter((one) => typeof one === "string");
      const file = pictureFile(picture, label, about);
      const blob = kind === "svg" ? new Blob([file.svg], { type: "image/svg+xml" }) : await pngOf(file);
      saveFile(blob, fileName([of ?? "", label], kind));
    } catch {
      setFailed(true);
    }
  };
  return (
    <>
      {(["svg", "png"] as const).map((kind) => (
        <Button
          key={kind}
          kind="quiet"
          small
          icon="download"
          aria-label={`Save "${label}" as ${kind.toUpperCase()}`}
          onClick={() => save(kind)}
        >
          {kind.toUpperCase()}
        </Button>
      ))}
      {failed && (
        <span role="alert" className="text-sm text-bad">
          The picture could not be saved.
        </span>
      )}
    </>
  );
}
