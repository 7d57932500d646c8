/**
 * An item in a list: its title, or its id, leads to its page. Titles and ids are text of a shop, and can be anything.
 */
import type { JSX } from "preact";
import { useThisCatalog } from "../catalog.ts";
import { Link } from "../router.tsx";

/** The page of an item, and the call of the API. An address cannot have "." or ".." as a part of its path. */
export const itemHref = (id: string): string =>
  /^\.\.?$/.test(id) ? `/item?id=${id}` : `/items/${encodeURIComponent(id)}`;

export function ItemLink({ id, title = "" }: { readonly id: string; readonly title?: string }): JSX.Element {
  const { href } = useThisCatalog();
  return (
    <span class="item-link">
      <Link href={href(itemHref(id))}>{title === "" ? id : title}</Link>
      {title !== "" && <code class="small muted">{id}</code>}
    </span>
  );
}
