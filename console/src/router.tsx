/** Addresses and pages. The whole state of a page that a user may want to share is in its address. */
import { createContext } from "preact";
import type { ComponentChildren, JSX } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";

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

export function navigate(to: string, { isReplaced = false } = {}): void {
  if (isReplaced) history.replaceState(null, "", to);
  else history.pushState(null, "", to);
  window.dispatchEvent(new Event(CHANGED));
}

export function Router({ children }: { readonly children: ComponentChildren }): JSX.Element {
  const [location, setLocation] = useState(read);
  useEffect(() => {
    const update = () => setLocation(read());
    window.addEventListener("popstate", update);
    window.addEventListener(CHANGED, update);
    return () => {
      window.removeEventListener("popstate", update);
      window.removeEventListener(CHANGED, update);
    };
  }, []);
  // A new page begins at its top, and a screen reader announces its heading.
  const { path } = location;
  useEffect(() => {
    window.scrollTo(0, 0);
    document.querySelector<HTMLElement>("h1")?.focus();
  }, [path]);
  return <Current.Provider value={location}>{children}</Current.Provider>;
}

/** The parameters of `pattern` in `path`, e.g. `/c/:slug/runs/:id`; null if it does not match. */
export function matchPath(pattern: string, path: string): Readonly<Record<string, string>> | null {
  const [expected, actual] = [pattern.split("/"), path.replace(/\/$/, "").split("/")];
  if (expected.length !== actual.length) return null;
  const found: Record<string, string> = {};
  for (const [i, part] of expected.entries()) {
    const value = actual[i] ?? "";
    if (part.startsWith(":")) found[part.slice(1)] = decodeURIComponent(value);
    else if (part !== value) return null;
  }
  return found;
}

/** The address with some query parameters changed; an empty value removes one. A new filter begins at the first page. */
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
