/** What the API advises about a refusal. */
import type { JSX } from "preact";
import { useThisCatalog } from "../catalog.ts";
import { feedTexts } from "../messages/feeds.ts";
import { Link } from "../router.tsx";

/** The refusals that a setting of the catalog ends. */
const BY_SETTING: readonly string[] = ["missing_brand", "missing_seller_name"];

export function Remedy({
  code,
  remedy,
}: {
  readonly code: string;
  readonly remedy: string | null;
}): JSX.Element {
  const { href } = useThisCatalog();
  return (
    <>
      {remedy}{" "}
      {BY_SETTING.includes(code) && <Link href={href("/settings")}>{feedTexts.refusedView.settings}</Link>}
    </>
  );
}
