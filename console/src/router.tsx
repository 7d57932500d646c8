/** Addresses and pages. The whole state of a page that a user may want to share is in its address. */
import { createContext } from "preact";
import type { ComponentChildren, JSX } from "preact";
import { useContext, useEffect, useRef, useState } from "preact/hooks";

export type Location = { readonly path: string; readonly query: URLSearchParams };

/** The props of every page: the parameters of its address. */
export type PageProps = { readonly params: Readonly<Record<string, string>> };

const read = (): Location => ({
  path: window.location.pathname,
  query: new URLSearchParams(window.location.search),
});

const Current = createContext<Location>({ path: "/", query: new URLSearchParams() });
export const useLocation = (): Location => useContext(Current);

const CHANGED = "shelfwire:navigate";

/**
 * The next heading takes the focus, so that a screen reader announces the page. Not when the console is first opened.
 */
let isHeadingDue = false;
export function takeHeadingFocus(): boolean {
  const isDue = isHeadingDue;
  isHeadingDue = false;
  return isDue;
}

/** Asked before the page is left; null while nothing would be lost. */
let question: string | null = null;

/**
 * While there is a question, whoever leaves the page is asked it: by a link, by the back button, or by closing the tab.
 */
export function useLeaveQuestion(asked: string | null): void {
  useEffect(() => {
    question = asked;
    const hold = (event: BeforeUnloadEvent) => asked !== null && event.preventDefault();
    window.addEventListener("beforeunload", hold);
    return () => {
      question = null;
      window.removeEventListener("beforeunload", hold);
    };
  }, [asked]);
}

const mayLeave = (): boolean => question === null || window.confirm(question);

export function navigate(to: string, { isReplaced = false } = {}): void {
  const { pathname } = new URL(to, window.location.href);
  if (pathname !== window.location.pathname && !mayLeave()) return;
  if (isReplaced) history.replaceState(null, "", to);
  else history.pushState(null, "", to);
  isHeadingDue = true;
  window.dispatchEvent(new Event(CHANGED));
}

export function Router({ children }: { readonly children: ComponentChildren }): JSX.Element {
  const [location, setLocation] = useState(read);
  const shown = useRef(location);
  shown.current = location;
  useEffect(() => {
    const update = () => setLocation(read());
    const goBack = () => {
      const { path, query } = shown.current;
      if (window.location.pathname !== path && !mayLeave()) {
        // The browser has gone back already.
        history.pushState(null, "", withQuery({ path, query }, { cursor: query.get("cursor") ?? "" }));
        return;
      }
      isHeadingDue = true;
      update();
    };
    window.addEventListener("popstate", goBack);
    window.addEventListener(CHANGED, update);
    return () => {
      window.removeEventListener("popstate", goBack);
      window.removeEventListener(CHANGED, update);
    };
  }, []);
  const { path } = location;
  useEffect(() => window.scrollTo(0, 0), [path]);
  return <Current.Provider value={location}>{children}</Current.Provider>;
}

/** The parameters of `pattern` in `path`, e.g. `/c/:slug/runs/:id`; null if it does not match. */
export function matchPath(pattern: string, path: string): Readonly<Record<string, string>> | null {
  const [expected, actual] = [pattern.split("/"), path.replace(/\/$/, "").split("/")];
  if (expected.length !== actual.length) return null;
  const found: Record<string, string> = {};
  for (const [i, part] of expected.entries()) {
    const value = actual[i] ?? "";
    if (part.startsWith(":")) {
      const text = decoded(value);
      if (text === null) return null;
      found[part.slice(1)] = text;
    } else if (part !== value) return null;
  }
  return found;
}

/** Null if it is no percent-encoded text: addresses can be typed. */
function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}

/**
 * The address with some query parameters changed; an empty value removes one. A new filter begins at the first page.
 */
export function withQuery(
  { path, query }: Location,
  changes: Readonly<Record<string, string | undefined>>,
): string {
  const next = new URLSearchParams(query);
  if (!("cursor" in changes)) next.delete("cursor");
  for (const [name, value] of Object.entries(changes))
    if (value === undefined || value === "") next.delete(name);
    else next.set(name, value);
  const text = next.toString();
  return text === "" ? path : `${path}?${text}`;
}

/** `path` with those of the parameters that have a value, as the API takes them. */
export function pathWith(
  path: string,
  parameters: Readonly<Record<string, string | number | null | undefined>>,
): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined && value !== null && value !== "") query.set(name, String(value));
  const text = query.toString();
  return text === "" ? path : `${path}?${text}`;
}

type LinkProps = JSX.IntrinsicElements["a"] & { readonly href: string };

export function Link({ href, children, ...rest }: LinkProps): JSX.Element {
  const follow = (event: MouseEvent) => {
    const isPlain =
      event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!isPlain || event.defaultPrevented) return;
    event.preventDefault();
    navigate(href);
  };
  return (
    <a href={href} onClick={follow} {...rest}>
      {children}
    </a>
  );
}
