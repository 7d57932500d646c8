/** Changes that are not in the feeds yet, and a button that publishes them. The same on every page. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { FeedsAnswer } from "../../../src/contract/feeds.ts";
import { useThisCatalog } from "../catalog.ts";
import { useReload } from "../events.tsx";
import { proposalsText as t } from "../messages/proposals.ts";
import { useData } from "../use-data.ts";
import type { LoadedData } from "../use-data.ts";
import { ActionButton } from "./buttons.tsx";
import { Notice } from "./ui.tsx";

/** The feeds with how many changes they do not have, kept current. */
export function useFeeds(): LoadedData<FeedsAnswer["data"]> {
  const loaded = useData<FeedsAnswer>("/feeds");
  useReload(loaded.reload, { run: ({ kind, status }) => CHANGING.has(kind) && status !== "running" });
  return loaded;
}

const CHANGING: ReadonlySet<string> = new Set(["render", "rules"]);

export function Unpublished({
  feeds,
  what = null,
  onPublished,
}: {
  readonly feeds: LoadedData<FeedsAnswer["data"]>;
  /** What was changed on this page and is not published; null if nothing was. */
  readonly what?: string | null;
  readonly onPublished?: () => void;
}): JSX.Element {
  const { fetch } = useThisCatalog();
  const [isPublished, setIsPublished] = useState(false);
  const publish = async () => {
    await fetch("/feeds", { method: "POST", body: { guard: "hold" } });
    setIsPublished(true);
    feeds.reload();
    onPublished?.();
  };
  const count = feeds.data?.unpublished_changes ?? 0;
  const message = what ?? (count > 0 ? t.unpublished(count) : null);
  const done = isPublished && message === null ? t.published : "";
  return (
    <>
      {message !== null && (
        <Notice tone="attention">
          <p>
            <b>{message}</b> {t.unpublishedHelp}
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
