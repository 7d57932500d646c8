/** What the address names does not exist: it never did, or it was removed. */
import type { JSX } from "preact";
import { useThisCatalog } from "../catalog.ts";
import { Link } from "../router.tsx";
import { Empty } from "./ui.tsx";

export function Missing({
  text,
  page,
  link,
}: {
  readonly text: string;
  /** Where the others are. */
  readonly page: string;
  readonly link: string;
}): JSX.Element {
  const { href } = useThisCatalog();
  return (
    <Empty>
      <p>{text}</p>
      <Link href={href(page)}>{link}</Link>
    </Empty>
  );
}
