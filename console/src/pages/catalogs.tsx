/** The catalogs of the session. */
import type { JSX } from "preact";
import { Empty, PageHeading } from "../components/ui.tsx";
import { formatNumber } from "../format.ts";
import { t } from "../messages.ts";
import { Link } from "../router.tsx";
import { useSession } from "../session.tsx";

export function CatalogsPage(): JSX.Element {
  const { catalogs } = useSession();
  return (
    <>
      <PageHeading title={t.catalogs.title} />
      {catalogs.length === 0 ? (
        <Empty>
          <p>{t.catalogs.empty}</p>
        </Empty>
      ) : (
        <div class="table-scroll">
          <table>
            <thead>
              <tr>
                <th scope="col">{t.catalogs.name}</th>
                <th scope="col" class="number">
                  {t.catalogs.items}
                </th>
              </tr>
            </thead>
            <tbody>
              {catalogs.map(({ slug, name, item_count: items }) => (
                <tr key={slug}>
                  <th scope="row">
                    <Link href={`/c/${slug}`}>{name}</Link>
                  </th>
                  <td class="number">{formatNumber(items)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}
