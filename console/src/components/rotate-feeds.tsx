/** New URLs for the feeds. */
import type { JSX } from "preact";
import { useThisCatalog } from "../catalog.ts";
import { formatExact } from "../format.ts";
import { feedTexts } from "../messages/feeds.ts";
import { DialogButton } from "./buttons.tsx";
import { SelectField } from "./fields.tsx";
import { Notice, Time } from "./ui.tsx";

const texts = feedTexts.rotate;

/** Until when the URLs before the last rotation work. */
export function PreviousUrls({ until }: { readonly until: string | undefined }): JSX.Element | null {
  if (until === undefined) return null;
  return (
    <Notice tone="attention">
      <p>
        {texts.previous} {formatExact(until)} (<Time at={until} />
        ). {texts.replace}
      </p>
    </Notice>
  );
}

export function RotateFeeds({
  previousUntil,
  onRotated,
}: {
  readonly previousUntil: string | undefined;
  readonly onRotated: () => void;
}): JSX.Element {
  const { fetch } = useThisCatalog();
  const isOverlapping = previousUntil !== undefined;
  const rotate = async (entered: FormData) => {
    // While previous URLs work, there is no choice: they and the current ones stop at once.
    const body = { overlap_s: Number(entered.get("overlap")) };
    await fetch("/feeds/rotate", { method: "POST", body });
    onRotated();
  };
  const { label, title, confirm, text, running, overlap, overlaps } = texts;
  return (
    <DialogButton {...{ label, title, confirm }} act={rotate}>
      <p>{text}</p>
      {isOverlapping ? (
        <>
          <PreviousUrls until={previousUntil} />
          <p>{running}</p>
        </>
      ) : (
        <SelectField label={overlap} name="overlap" options={overlaps} />
      )}
    </DialogButton>
  );
}
