/** When a source is synced next. */
import type { JSX } from "preact";
import { formatExact } from "../format.ts";
import { setupText } from "../messages/setup.ts";
import { Time } from "./ui.tsx";

const text = setupText.sources;
/** Workers look for due syncs every few seconds. */
const SOON_MS = 10_000;
const OVERDUE_MS = 60_000;

export function NextSync({
  at,
  isRunning,
}: {
  readonly at: string | null;
  /** The next one waits for the one that runs. */
  readonly isRunning: boolean;
}): JSX.Element {
  const left = at === null ? 0 : Date.parse(at) - Date.now();
  if (at !== null && left >= SOON_MS) return <Time at={at} />;
  if (at === null || isRunning || left > -OVERDUE_MS) return <>{text.soon}</>;
  return (
    <>
      {text.overdue} <time dateTime={at}>{formatExact(at)}</time>
    </>
  );
}
