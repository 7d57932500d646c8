/** The four files of the catalog, and where to use them. */
import type { JSX } from "preact";
import { useThisCatalog } from "../catalog.ts";
import { FileUses } from "../components/file-uses.tsx";
import { FeedConsumers } from "../components/feed-consumers.tsx";
import { FeedTable, NotRendered } from "../components/feed-table.tsx";
import { ActionButton } from "../components/buttons.tsx";
import { PreviousUrls, RotateFeeds } from "../components/rotate-feeds.tsx";
import { Await, PageHeading, Section } from "../components/ui.tsx";
import { Unpublished, useFeeds } from "../components/unpublished.tsx";
import { fileUseTexts } from "../messages/file-uses.ts";
import { feedTexts as texts } from "../messages/feeds.ts";
import { useStatus } from "../use-status.ts";

export function FeedsPage(): JSX.Element {
  const catalog = useThisCatalog();
  const status = useStatus();
  const feeds = useFeeds();
  const reload = () => {
    status.reload();
    feeds.reload();
  };
  const render = async () => {
    await catalog.fetch("/feeds", { method: "POST" });
    reload();
  };
  return (
    <>
      <PageHeading title={texts.title}>
        <ActionButton scope="write" act={render}>
          {texts.renderNow}
        </ActionButton>
      </PageHeading>
      <Unpublished feeds={feeds} onPublished={status.reload} />
      <Await loaded={status}>
        {({ feeds: files }) => (
          <>
            {files.every(({ rendered_at: at }) => at === null) && <NotRendered />}
            <PreviousUrls until={feeds.data?.previous_until} />
            <FeedTable feeds={files} />
            <FeedConsumers />
            <Section title={fileUseTexts.title}>
              <FileUses feeds={files} />
            </Section>
            <Section title={texts.urls}>
              <p>{texts.urlsSecret}</p>
              <div class="buttons">
                <RotateFeeds previousUntil={feeds.data?.previous_until} onRotated={reload} />
              </div>
            </Section>
          </>
        )}
      </Await>
    </>
  );
}
