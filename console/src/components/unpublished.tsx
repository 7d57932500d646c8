/** Changes that are not in the feeds yet, and a button that publishes them. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useThisCatalog } from "../catalog.ts";
import { proposalsText as t } from "../messages/proposals.ts";
import { ActionButton } from "./buttons.tsx";
import { Notice } from "./ui.tsx";

export function Unpublished({
  what,
  onPublished,
}: {
  /** What is not published; null if there is nothing. */
  readonly what: string | null;
  readonly onPublished: () => void;
}): JSX.Element {
  const { fetch } = useThisCatalog();
  const [isPublished, setIsPublished] = useState(false);
  const publish = async () => {
    await fetch("/feeds", { method: "POST" });
    setIsPublished(true);
    onPublished();
  };
  const done = isPublished && what === null ? t.published : "";
  return (
    <>
      {what !== null && (
        <Notice tone="attention">
          <p>
            <b>{what}</b> {t.unpublishedHelp}
          </p>
          <ActionButton scope="write" act={publish}>
            {t.publish}
          </ActionButton>
        </Notice>
      )}
      <p role="status" class={done === "" ? "visually-hidden" : "notice ok"}>
        {done}
      </p>
    </>
  );
}
