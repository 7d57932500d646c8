/** An item in a list: its title leads to its page. Titles and ids are text of a shop, and can be anything. */
import type { JSX } from "preact";
import { useThisCatalog } from "../catalog.ts";
import { Link } from "../router.tsx";

export const itemHref = (id: string): string => `/items/${encodeURIComponent(id)}`;

export function ItemLink({ id, title }: { readonly id: string; readonly title: string }): JSX.Element {
  const { href } = useThisCatalog();
  return (
    <span class="item-link">
      <Link href={href(itemHref(id))}>{title === "" ? id : title}</Link>
      <code class="small muted">{id}</code>
    </span>
  );
}
