/** The frame of every page, and which page belongs to which address. Pages are loaded when they are first shown. */
import type { ComponentType, JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { CurrentCatalog, makeCatalog } from "./catalog.ts";
import { PublicationBanner } from "./components/publication-banner.tsx";
import { RestoredBanner } from "./components/restored-banner.tsx";
import { Loading, Notice, PageHeading, ProblemMessage } from "./components/ui.tsx";
import { LiveEvents } from "./events.tsx";
import { t } from "./messages.ts";
import { CatalogsPage } from "./pages/catalogs.tsx";
import { SignInPage } from "./pages/sign-in.tsx";
import { Link, matchPath, Router, useLocation } from "./router.tsx";
import type { PageProps } from "./router.tsx";
import { SignedIn, signOut, useSession } from "./session.tsx";
import { useAction } from "./use-data.ts";

type PageComponent = ComponentType<PageProps>;

/** A page in a file of its own, which is loaded when it is first shown. */
function lazy(load: () => Promise<PageComponent>): PageComponent {
  let loaded: PageComponent | undefined;
  return function LazyPage(props) {
    const [state, setState] = useState<"loading" | "loaded" | "failed">("loading");
    useEffect(() => {
      const show = async () => {
        try {
          loaded = await load();
          setState("loaded");
        } catch {
          setState("failed");
        }
      };
      if (!loaded) void show();
    }, []);
    const Loaded = loaded;
    if (Loaded) return <Loaded {...props} />;
    return state === "failed" ? <PageFailed /> : <Loading />;
  };
}

/** The file of the page does not come: a newer version may have other files. */
function PageFailed(): JSX.Element {
  return (
    <>
      <PageHeading title={t.pageFailed.title} />
      <div class="notice bad" role="alert">
        <p>{t.pageFailed.text}</p>
        <button type="button" onClick={() => window.location.reload()}>
          {t.pageFailed.reload}
        </button>
      </div>
    </>
  );
}

const PAGES: Readonly<Record<string, PageComponent>> = {
  "": CatalogsPage,
  // A link opened in a browser that is signed in.
  "/sign-in": () => <SignInPage onSignedIn={useSession().reload} hasEnded={false} />,
  "/new-catalog": lazy(async () => (await import("./pages/new-catalog.tsx")).NewCatalogPage),
  "/about": lazy(async () => (await import("./pages/about.tsx")).AboutPage),
  "/c/:slug": lazy(async () => (await import("./pages/overview.tsx")).OverviewPage),
  "/c/:slug/alerts": lazy(async () => (await import("./pages/alerts.tsx")).AlertsPage),
  "/c/:slug/sources": lazy(async () => (await import("./pages/sources.tsx")).SourcesPage),
  "/c/:slug/sources/new": lazy(async () => (await import("./pages/new-source.tsx")).NewSourcePage),
  "/c/:slug/sources/:id": lazy(async () => (await import("./pages/source.tsx")).SourcePage),
  "/c/:slug/upload": lazy(async () => (await import("./pages/upload.tsx")).UploadPage),
  "/c/:slug/runs": lazy(async () => (await import("./pages/runs.tsx")).RunsPage),
  "/c/:slug/runs/:id": lazy(async () => (await import("./pages/run.tsx")).RunPage),
  "/c/:slug/renders": lazy(async () => (await import("./pages/renders.tsx")).RendersPage),
  "/c/:slug/renders/compare": lazy(async () => (await import("./pages/compare.tsx")).ComparePage),
  "/c/:slug/renders/:id": lazy(async () => (await import("./pages/render.tsx")).RenderPage),
  "/c/:slug/feeds": lazy(async () => (await import("./pages/feeds.tsx")).FeedsPage),
  "/c/:slug/feeds/:file": lazy(async () => (await import("./pages/feed.tsx")).FeedPage),
  "/c/:slug/audit": lazy(async () => (await import("./pages/audit.tsx")).AuditPage),
  "/c/:slug/audit/:rule": lazy(async () => (await import("./pages/audit-rule.tsx")).AuditRulePage),
  "/c/:slug/items": lazy(async () => (await import("./pages/items.tsx")).ItemsPage),
  "/c/:slug/item": lazy(async () => (await import("./pages/item.tsx")).ItemPage),
  "/c/:slug/items/:id": lazy(async () => (await import("./pages/item.tsx")).ItemPage),
  "/c/:slug/proposals": lazy(async () => (await import("./pages/proposals.tsx")).ProposalsPage),
  "/c/:slug/rules": lazy(async () => (await import("./pages/rules.tsx")).RulesPage),
  "/c/:slug/categories": lazy(async () => (await import("./pages/categories.tsx")).CategoriesPage),
  "/c/:slug/destinations": lazy(async () => (await import("./pages/destinations.tsx")).DestinationsPage),
  "/c/:slug/destinations/new": lazy(
    async () => (await import("./pages/new-destination.tsx")).NewDestinationPage,
  ),
  "/c/:slug/destinations/:id": lazy(async () => (await import("./pages/destination.tsx")).DestinationPage),
  "/c/:slug/webhooks": lazy(async () => (await import("./pages/webhooks.tsx")).WebhooksPage),
  "/c/:slug/webhooks/new": lazy(async () => (await import("./pages/new-webhook.tsx")).NewWebhookPage),
  "/c/:slug/webhooks/:id": lazy(async () => (await import("./pages/webhook.tsx")).WebhookPage),
  "/c/:slug/deliveries/:id": lazy(async () => (await import("./pages/delivery.tsx")).DeliveryPage),
  "/c/:slug/keys": lazy(async () => (await import("./pages/keys.tsx")).KeysPage),
  "/c/:slug/settings": lazy(async () => (await import("./pages/settings.tsx")).SettingsPage),
  "/c/:slug/changes": lazy(async () => (await import("./pages/changes.tsx")).ChangesPage),
};

/**
 * Pages of a catalog, in the order of the navigation: what comes in, what it is like, what goes out, administration.
 */
const NAVIGATION: readonly {
  readonly path: string;
  readonly label: string;
  readonly beginsGroup?: boolean;
  /** A page that belongs to it. */
  readonly also?: string;
}[] = [
  { path: "", label: t.nav.overview },
  { path: "/alerts", label: t.nav.alerts },
  { path: "/sources", label: t.nav.sources, also: "/upload" },
  { path: "/runs", label: t.nav.runs },
  { path: "/items", label: t.nav.items, beginsGroup: true },
  { path: "/audit", label: t.nav.audit },
  { path: "/proposals", label: t.nav.proposals, beginsGroup: true },
  { path: "/rules", label: t.nav.rules },
  { path: "/categories", label: t.nav.categories },
  { path: "/feeds", label: t.nav.feeds, beginsGroup: true },
  { path: "/renders", label: t.nav.renders },
  { path: "/destinations", label: t.nav.destinations },
  { path: "/webhooks", label: t.nav.webhooks },
  { path: "/keys", label: t.nav.keys, beginsGroup: true },
  { path: "/settings", label: t.nav.settings },
  { path: "/changes", label: t.nav.changes },
];

export function App(): JSX.Element {
  return (
    <Router>
      <SignedIn>
        <Frame />
      </SignedIn>
    </Router>
  );
}

function Frame(): JSX.Element {
  const { path } = useLocation();
  const signingOut = useAction(signOut);
  const slug = /^\/c\/([^/]+)/.exec(path)?.[1];
  return (
    <div class="frame">
      <a class="skip" href="#content">
        {t.skipToContent}
      </a>
      <header class="top">
        <Link href="/" class="brand">
          {t.productName}
        </Link>
        <div class="buttons">
          <a href="/docs">{t.nav.apiDocs}</a>
          <Link href="/about">{t.nav.about}</Link>
          <button type="button" class="quiet" onClick={() => void signingOut.run()}>
            {t.signOut}
          </button>
        </div>
      </header>
      {signingOut.problem && <ProblemMessage problem={signingOut.problem} />}
      {slug === undefined ? <Content /> : <CatalogFrame key={slug} slug={slug} />}
    </div>
  );
}

function CatalogFrame({ slug }: { readonly slug: string }): JSX.Element {
  const { path } = useLocation();
  const { catalogs } = useSession();
  const found = catalogs.find((one) => one.slug === slug);
  const catalog = useMemo(() => makeCatalog(slug, found?.name ?? slug, found?.scopes ?? []), [slug, found]);
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    const show = () => showCurrent(nav.current);
    show();
    window.addEventListener("resize", show);
    return () => window.removeEventListener("resize", show);
  }, [path]);
  if (!found) return <NotFound />;
  return (
    <CurrentCatalog.Provider value={catalog}>
      <LiveEvents slug={slug}>
        <nav ref={nav} class="side" aria-label={t.nav.label}>
          <p class="catalog-name">{catalog.name}</p>
          <ul>
            {NAVIGATION.map(({ path: end, label, beginsGroup = false, also }) => {
              const href = catalog.href(end);
              const isCurrent =
                path === href ||
                (end !== "" && path.startsWith(`${href}/`)) ||
                (also !== undefined && path === catalog.href(also));
              return (
                <li key={href} class={beginsGroup ? "begins-group" : ""}>
                  <Link href={href} {...(isCurrent && { "aria-current": "page" as const })}>
                    {label}
                  </Link>
                </li>
              );
            })}
          </ul>
        </nav>
        <Content inCatalog isReadOnly={!catalog.may("write") && !catalog.may("admin")} />
      </LiveEvents>
    </CurrentCatalog.Provider>
  );
}

/** On a phone the navigation is a row that scrolls: the current entry is brought into view. */
function showCurrent(nav: HTMLElement | null): void {
  const current = nav?.querySelector<HTMLElement>("[aria-current]");
  if (nav && current) nav.scrollLeft = current.offsetLeft - (nav.clientWidth - current.offsetWidth) / 2;
}

function Content({
  isReadOnly = false,
  inCatalog = false,
}: {
  readonly isReadOnly?: boolean;
  readonly inCatalog?: boolean;
}): JSX.Element {
  const { path } = useLocation();
  return (
    <main id="content">
      <RestoredBanner />
      {inCatalog && <PublicationBanner />}
      {isReadOnly && <Notice tone="neutral">{t.readOnly}</Notice>}
      <CurrentPage key={path} path={path} />
    </main>
  );
}

function CurrentPage({ path }: { readonly path: string }): JSX.Element {
  for (const [pattern, Found] of Object.entries(PAGES)) {
    const params = matchPath(pattern, path);
    if (params) return <Found params={params} />;
  }
  return <NotFound />;
}

function NotFound(): JSX.Element {
  return (
    <>
      <PageHeading title={t.notFound.title} />
      <p>{t.notFound.text}</p>
      <p>
        <Link href="/">{t.notFound.home}</Link>
      </p>
    </>
  );
}
