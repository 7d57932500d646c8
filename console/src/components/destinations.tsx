/** For each destination the few steps that make it work. */
import type { JSX } from "preact";
import type { FeedFileName } from "../../../src/contract/feeds.ts";
import { destinationTexts as texts } from "../messages/destinations.ts";
import type { Destination } from "../messages/destinations.ts";
import { CopyLine } from "./copy-button.tsx";
import { Notice } from "./ui.tsx";

type Feed = { readonly file: FeedFileName; readonly url: string | null };

export function Destinations({
  feeds,
  file,
}: {
  readonly feeds: readonly Feed[];
  /** Only destinations that take this file. */
  readonly file?: FeedFileName;
}): JSX.Element {
  const shown = texts.destinations.filter((one) => file === undefined || one.file === file);
  const local = localHost(feeds[0]?.url ?? null);
  return (
    <div class="destinations">
      {local !== undefined && <Notice tone="attention">{texts.notReachable(local)}</Notice>}
      {shown.map((destination) => (
        <details key={destination.name} class="card" open={shown.length === 1}>
          <summary>
            <span class="destination-name">{destination.name}</span>
            <span class="muted">{destination.summary}</span>
          </summary>
          <Steps
            destination={destination}
            url={feeds.find((feed) => feed.file === destination.file)?.url ?? null}
          />
        </details>
      ))}
    </div>
  );
}

function Steps({
  destination: { steps, notes },
  url,
}: {
  readonly destination: Destination;
  readonly url: string | null;
}): JSX.Element {
  return (
    <>
      <ol>
        {steps.map(({ text, copy }) => (
          <li key={text}>
            {text}
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
