/** Small parts that every page uses. */
import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { Problem } from "../api.ts";
import { copyText } from "../copy-text.ts";
import { formatExact, formatRelative } from "../format.ts";
import { t } from "../messages.ts";
import { Link, takeHeadingFocus } from "../router.tsx";
import type { Loaded } from "../use-data.ts";

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
  useEffect(() => {
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

export function ProblemMessage({
  problem,
  hasFieldErrors = false,
  onRetry,
}: {
  readonly problem: Problem;
  /** The form shows what is wrong beside each field. */
  readonly hasFieldErrors?: boolean;
  readonly onRetry?: () => void;
}): JSX.Element {
  return (
    <div class="notice bad" role="alert">
      <p>{problem.message}</p>
      {!hasFieldErrors && problem.fields.length > 0 && (
        <ul>
          {problem.fields.map(({ pointer, detail }) => (
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

/** The data of a call when it is there; before that, that it is loading or why it failed. */
export function Await<T>({
  loaded: { data, problem, reload },
  children,
}: {
  readonly loaded: Loaded<T>;
  readonly children: (data: T) => ComponentChildren;
}): JSX.Element {
  return (
    <>
      {problem && <ProblemMessage problem={problem} onRetry={reload} />}
      {data === undefined && !problem && <Loading />}
      {data !== undefined && children(data)}
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

/** "3 hours ago", with the exact time on hover. */
export function Time({ at }: { readonly at: string }): JSX.Element {
  return (
    <time dateTime={at} title={formatExact(at)}>
      {formatRelative(at)}
    </time>
  );
}

export function CopyButton({
  text,
  label,
  about,
}: {
  readonly text: string;
  readonly label: string;
  /** Which of several it is, for screen readers: "Copy URL: gmc.tsv". */
  readonly about?: string;
}): JSX.Element {
  const [state, setState] = useState<"idle" | "copied" | "by-hand">("idle");
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => area.current?.select(), [state]);
  const copy = async (button: HTMLElement) => {
    if (!(await copyText(text, button))) {
      setState("by-hand");
      return;
    }
    setState("copied");
    setTimeout(() => setState("idle"), 2_000);
  };
  const names = { idle: label, copied: t.copied, "by-hand": t.copyByHand };
  return (
    <>
      <button type="button" class="quiet" onClick={(event) => void copy(event.currentTarget)}>
        <span aria-live="polite">{names[state]}</span>
        {about !== undefined && <span class="visually-hidden">: {about}</span>}
      </button>
      {state === "by-hand" && (
        <textarea
          ref={area}
          rows={1}
          readOnly
          aria-label={label}
          value={text}
          onBlur={() => setState("idle")}
        />
      )}
    </>
  );
}
