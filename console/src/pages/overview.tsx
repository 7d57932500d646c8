/** A catalog at a glance. */
import type { JSX } from "preact";
import type { FeedsAnswer } from "../../../src/contract/feeds.ts";
import { CopyButton, Loading, PageHeading, ProblemMessage, Time } from "../components/ui.tsx";
import { t } from "../messages.ts";
import { useData } from "../use-data.ts";

export function OverviewPage(): JSX.Element {
  const { data, problem, reload } = useData<FeedsAnswer>("/feeds");
  return (
    <>
      <PageHeading title={t.overview.title} />
      {problem && <ProblemMessage problem={problem} onRetry={reload} />}
      {!data && !problem && <Loading />}
      {data && (
        <section aria-labelledby="feeds">
          <h2 id="feeds">{t.overview.feeds}</h2>
          <div class="table-scroll">
            <table>
              <thead>
                <tr>
                  <th scope="col">{t.overview.file}</th>
                  <th scope="col">{t.overview.age}</th>
                  <th scope="col">
                    <span class="visually-hidden">{t.overview.copy}</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {data.feeds.map(({ url }) => {
                  const file = url.split("/").at(-1) ?? "";
                  return (
                    <tr key={file}>
                      <th scope="row">
                        <a href={url}>{file}</a>
                      </th>
                      <td>
                        {data.last_render ? (
                          <Time at={data.last_render.finished_at ?? ""} />
                        ) : (
                          t.overview.never
                        )}
                      </td>
                      <td class="actions">
                        <CopyButton text={url} label={t.overview.copy} />
                      </td>
                    </tr>
                  );
                })}
              </tbody>
            </table>
          </div>
        </section>
      )}
    </>
  );
}
