/** For each use of a file the few steps that make it work. */
import type { JSX } from "preact";
import type { FeedFileName } from "../../../src/contract/feeds.ts";
import { useThisCatalog } from "../catalog.ts";
import { fileUseTexts as texts } from "../messages/file-uses.ts";
import type { FileUse } from "../messages/file-uses.ts";
import { Link } from "../router.tsx";
import { CopyLine } from "./copy-button.tsx";
import { Notice } from "./ui.tsx";

type Feed = { readonly file: FeedFileName; readonly url: string | null };

export function FileUses({
  feeds,
  file,
}: {
  readonly feeds: readonly Feed[];
  /** Only uses of this file. */
  readonly file?: FeedFileName;
}): JSX.Element {
  const shown = texts.uses.filter((one) => file === undefined || one.file === file);
  const local = localHost(feeds[0]?.url ?? null);
  return (
    <div class="file-uses">
      {local !== undefined && <Notice tone="attention">{texts.notReachable(local)}</Notice>}
      {shown.map((use) => (
        <details key={use.name} class="card" open={shown.length === 1}>
          <summary>
            <span class="file-use-name">{use.name}</span>
            <span class="muted">{use.summary}</span>
          </summary>
          <Steps use={use} url={feeds.find((feed) => feed.file === use.file)?.url ?? null} />
        </details>
      ))}
    </div>
  );
}

function Steps({
  use: { steps, notes },
  url,
}: {
  readonly use: FileUse;
  readonly url: string | null;
}): JSX.Element {
  const { href } = useThisCatalog();
  return (
    <>
      <ol>
        {steps.map(({ text, copy, page, site }) => (
          <li key={text}>
            {text}{" "}
            {site && (
              <a href={site.url} target="_blank" rel="noreferrer">
                {site.label}
              </a>
            )}
            {page && <Link href={href(page.path)}>{page.label}</Link>}
            {copy && url !== null && <CopyLine text={copy.of(url)} label={copy.label} />}
          </li>
        ))}
      </ol>
      <p class="small">{texts.notes}</p>
      <ul class="small muted">
        {notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </>
  );
}

/** The beginning of a URL that only this machine or network can reach. */
function localHost(url: string | null): string | undefined {
  if (url === null || !URL.canParse(url)) return undefined;
  const { hostname, origin } = new URL(url);
  const isLocal =
    hostname === "localhost" ||
    !/[.:]/.test(hostname) ||
    /^(127|10|192\.168|172\.(1[6-9]|2\d|3[01])|169\.254|0)\./.test(hostname) ||
    /^\[(::1?|f[cd][0-9a-f]{2}:.*|fe80:.*)\]$/.test(hostname) ||
    hostname.endsWith(".local") ||
    hostname.endsWith(".internal");
  return isLocal ? origin : undefined;
}
