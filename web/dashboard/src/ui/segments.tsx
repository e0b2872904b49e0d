// Choice of one of a few options that are all visible, such as the view of a list or the subject of a picture.

interface SegmentsProps<T> {
  /** Name of the choice: "View". */
  label: string;
  of: readonly (readonly [value: T, name: string])[];
  value: T;
  change: (value: T) => void;
}

export function Segments<T extends string | undefined>({ label, of, value, change }: SegmentsProps<T>) {
  return (
    <fieldset aria-label={label} className="flex w-fit flex-wrap rounded-md border border-edge bg-panel p-0.5">
      {of.map(([one, name]) => (
        <button
          key={name}
          type="button"
          aria-pressed={value === one}
          onClick={() => change(one)}
          className="rounded-sm px-2.5 py-1 font-medium text-soft hover:text-ink pointer-coarse:py-2 aria-pressed:bg-accent-wash aria-pressed:text-accent"
        >
          {name}
        </button>
      ))}
    </fieldset>
  );
}
