/** The frame of every page, and which page belongs to which address. */
import type { JSX } from "preact";
import { PageHeading } from "./components/ui.tsx";
import { t } from "./messages.ts";
import { CatalogsPage } from "./pages/catalogs.tsx";
import { OverviewPage } from "./pages/overview.tsx";
import { Link, matchPath, Router, useLocation } from "./router.tsx";
import { SignedIn, signOut, useSession } from "./session.tsx";

type Page = (params: Readonly<Record<string, string>>) => JSX.Element;

const PAGES: Readonly<Record<string, Page>> = {
  "": () => <CatalogsPage />,
  "/c/:slug": ({ slug = "" }) => <OverviewPage slug={slug} />,
};

/** Pages of a catalog, in the order of the navigation. */
const NAVIGATION = [{ path: "", label: t.nav.overview }] as const;

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
        <button type="button" class="quiet" onClick={() => void signOut()}>
          {t.signOut}
        </button>
      </header>
      {slug !== undefined && <CatalogNavigation slug={slug} />}
      <main id="content">
        <CurrentPage />
      </main>
    </div>
  );
}

function CatalogNavigation({ slug }: { readonly slug: string }): JSX.Element {
  const { path } = useLocation();
  const catalog = useSession().catalogs.find((one) => one.slug === slug);
  return (
    <nav aria-label={t.nav.label}>
      <p class="catalog-name">{catalog?.name ?? slug}</p>
      <ul>
        {NAVIGATION.map(({ path: end, label }) => {
          const href = `/c/${slug}${end}`;
          return (
            <li key={href}>
              <Link href={href} {...(path === href && { "aria-current": "page" as const })}>
                {label}
              </Link>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}

function CurrentPage(): JSX.Element {
  const { path } = useLocation();
  for (const [pattern, page] of Object.entries(PAGES)) {
    const params = matchPath(pattern, path);
    if (params) return page(params);
  }
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
