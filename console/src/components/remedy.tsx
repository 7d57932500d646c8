/** What the API advises. A setting that it names by its option of the command line is on the page of the settings. */
import type { JSX } from "preact";
import { useThisCatalog } from "../catalog.ts";
import { plainMessage } from "../format.ts";
import { feedTexts } from "../messages/feeds.ts";
import { Link } from "../router.tsx";

export function Remedy({ remedy }: { readonly remedy: string | null }): JSX.Element {
  const { href } = useThisCatalog();
  const text = plainMessage(remedy ?? "");
  return (
    <>
      {text}{" "}
      {text !== remedy && remedy !== null && (
        <Link href={href("/settings")}>{feedTexts.refusedView.settings}</Link>
      )}
    </>
  );
}
