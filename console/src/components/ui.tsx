/** Small parts that every page uses. */
import type { ComponentChildren, JSX } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import type { Problem } from "../api.ts";
import { formatExact, formatRelative } from "../format.ts";
import { t } from "../messages.ts";
import { Link, takeHeadingFocus } from "../router.tsx";
import type { LoadedData } from "../use-data.ts";

/** The heading of a page. It takes the focus after navigation, so that a screen reader announces the page. */
export function PageHeading({
  title,
  children,
}: {
  readonly title: string;
  /** Badges and buttons beside the title. */
  readonly children?: ComponentChildren;
}): JSX.Element {
  document.title = `${title} · ${t.productName}`;
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    if (takeHeadingFocus()) heading.current?.focus();
  }, []);
  return (
    <header class="page-heading">
      <h1 tabIndex={-1} ref={heading}>
        {title}
      </h1>
      {children}
    </header>
  );
}

export function Section({
  title,
  actions,
  children,
}: {
  readonly title: string;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}): JSX.Element {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <div class="section-heading">
        <h2 id={id}>{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  );
}

const NONE: ReadonlySet<string> = new Set();

export function ProblemMessage({
  problem,
  shown = NONE,
  onRetry,
}: {
  readonly problem: Problem;
  /** The fields of a form that show what is wrong with them, by JSON pointer. */
  readonly shown?: ReadonlySet<string>;
  readonly onRetry?: () => void;
}): JSX.Element {
  const fields = problem.fields.filter(({ pointer }) => !shown.has(pointer));
  const marked = problem.fields.length - fields.length;
  return (
    <div class="notice bad" role="alert">
      <p>{marked > 0 ? t.form.refused(marked) : problem.message}</p>
      {fields.length > 0 && (
        <ul>
          {fields.map(({ pointer, detail }) => (
            <li key={pointer + detail}>{detail}</li>
          ))}
        </ul>
      )}
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
    <p class="muted loading" role="status">
      {t.loading}
    </p>
  );
}

/** Not found, and an id that cannot be one. */
const MISSING: ReadonlySet<number> = new Set([400, 404]);

/** The data of a call when it is there; before that, that it is loading or why it failed. */
export function Await<T>({
  loaded: { data, problem, isOutdated, reload },
  missing,
  children,
}: {
  readonly loaded: LoadedData<T>;
  /** Shown instead of the problem if what the address names does not exist. */
  readonly missing?: ComponentChildren;
  readonly children: (data: T) => ComponentChildren;
}): JSX.Element {
  return (
    <>
      {problem &&
        (missing !== undefined && MISSING.has(problem.status) ? (
          missing
        ) : (
          <ProblemMessage problem={problem} onRetry={reload} />
        ))}
      {data === undefined && !problem && <Loading />}
      {data !== undefined && (
        <div class="loaded" aria-busy={isOutdated}>
          {children(data)}
        </div>
      )}
    </>
  );
}

/** An empty list, and what to do next. */
export function Empty({ children }: { readonly children: ComponentChildren }): JSX.Element {
  return <div class="empty">{children}</div>;
}

export type Tone = "ok" | "attention" | "bad" | "neutral";

export function Badge({
  tone,
  children,
}: {
  readonly tone: Tone;
  readonly children: ComponentChildren;
}): JSX.Element {
  return <span class={`badge ${tone}`}>{children}</span>;
}

export function Notice({
  tone,
  children,
}: {
  readonly tone: Tone;
  readonly children: ComponentChildren;
}): JSX.Element {
  return <div class={`notice ${tone}`}>{children}</div>;
}

/** Figures with their names, as a list of cards. */
export function Stats({
  entries,
}: {
  readonly entries: readonly {
    readonly name: string;
    readonly value: ComponentChildren;
    readonly note?: ComponentChildren;
  }[];
}): JSX.Element {
  return (
    <dl class="stats">
      {entries.map(({ name, value, note }) => (
        <div key={name} class="card">
          <dt class="small muted">{name}</dt>
          <dd class="stat-value">{value}</dd>
          {note !== undefined && <dd class="small muted">{note}</dd>}
        </div>
      ))}
    </dl>
  );
}

/** Names and values of one thing. */
export function Facts({
  entries,
}: {
  readonly entries: readonly (readonly [name: string, value: ComponentChildren])[];
}): JSX.Element {
  return (
    <dl class="facts">
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt class="muted">{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A choice by its name in the API, with what it means. */
export function NamedChoice({ name, text }: { readonly name: string; readonly text: string }): JSX.Element {
  return (
    <>
      <code>{name}</code> <span class="muted">{text}</span>
    </>
  );
}

/** Links between parts of a page. The current one is in the address. */
export function Tabs({
  label,
  tabs,
}: {
  readonly label: string;
  readonly tabs: readonly { readonly href: string; readonly text: string; readonly isCurrent: boolean }[];
}): JSX.Element {
  return (
    <nav class="tabs" aria-label={label}>
      <ul>
        {tabs.map(({ href, text, isCurrent }) => (
          <li key={href}>
            <Link href={href} {...(isCurrent && { "aria-current": "page" as const })}>
              {text}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** "3 hours ago", with the exact time on hover; "never" for null. */
export function Time({ at }: { readonly at: string | null }): JSX.Element {
  if (at === null) return <>{t.never}</>;
  return (
    <time dateTime={at} title={formatExact(at)}>
      {formatRelative(at)}
    </time>
  );
}
