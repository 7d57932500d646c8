/** New URLs for the feeds. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useThisCatalog } from "../catalog.ts";
import { formatExact } from "../format.ts";
import { feedTexts } from "../messages/feeds.ts";
import { ConfirmButton, Field } from "./form.tsx";
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
  const [overlap, setOverlap] = useState(texts.overlaps[0]?.[0] ?? 0);
  const isOverlapping = previousUntil !== undefined;
  const rotate = async () => {
    await fetch("/feeds/rotate", {
      method: "POST",
      body: { overlap_s: isOverlapping ? 0 : overlap },
    });
    onRotated();
  };
  return (
    <ConfirmButton label={texts.label} title={texts.title} confirm={texts.confirm} act={rotate}>
      <p>{texts.text}</p>
      {isOverlapping ? (
        <>
          <PreviousUrls until={previousUntil} />
          <p>{texts.running}</p>
        </>
      ) : (
        <Field label={texts.overlap}>
          {(attributes) => (
            <select
              {...attributes}
              value={overlap}
              onChange={(event) => setOverlap(Number(event.currentTarget.value))}
            >
              {texts.overlaps.map(([seconds, text]) => (
                <option key={seconds} value={seconds}>
                  {text}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
    </ConfirmButton>
  );
}
