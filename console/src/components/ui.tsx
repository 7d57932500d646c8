/** Small parts that every page uses. */
import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import type { Problem } from "../api.ts";
import { formatExact, formatRelative } from "../format.ts";
import { t } from "../messages.ts";

/** The heading of a page. It takes the focus after navigation, so that a screen reader announces the page. */
export function PageHeading({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
}): JSX.Element {
  document.title = `${title} · ${t.productName}`;
  return (
    <header class="page-heading">
      <h1 tabIndex={-1}>{title}</h1>
      {children}
    </header>
  );
}

export function ProblemMessage({
  problem,
  onRetry,
}: {
  readonly problem: Problem;
  readonly onRetry?: () => void;
}): JSX.Element {
  return (
    <div class="notice bad" role="alert">
      <p>{problem.message}</p>
      <p class="small">
        {t.errorCode} <code>{problem.code}</code>
        {problem.requestId !== null && (
          <>
            {" · "}
            {t.requestId} <code>{problem.requestId}</code>
          </>
        )}
      </p>
      {onRetry && (
        <button type="button" onClick={onRetry}>
          {t.retry}
        </button>
      )}
    </div>
  );
}

export function Loading(): JSX.Element {
  return (
    <p class="muted" role="status">
      {t.loading}
    </p>
  );
}

/** An empty list, and what to do next. */
export function Empty({ children }: { readonly children: ComponentChildren }): JSX.Element {
  return <div class="empty">{children}</div>;
}

/** "3 hours ago", with the exact time on hover. */
export function Time({ at }: { readonly at: string }): JSX.Element {
  return (
    <time dateTime={at} title={formatExact(at)}>
      {formatRelative(at)}
    </time>
  );
}

export function CopyButton({ text, label }: { readonly text: string; readonly label: string }): JSX.Element {
  const [isCopied, setIsCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setIsCopied(true);
    setTimeout(() => setIsCopied(false), 2_000);
  };
  return (
    <button type="button" class="quiet" onClick={() => void copy()} aria-live="polite">
      {isCopied ? t.overview.copied : label}
    </button>
  );
}
