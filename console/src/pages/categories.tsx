/** The shop's category paths, and what each means in Google's taxonomy. */
import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { CategoriesAnswer } from "../../../src/contract/categories.ts";
import type { Run } from "../../../src/contract/runs.ts";
import type { Wire } from "../../../src/contract/shapes.ts";
import { useThisCatalog } from "../catalog.ts";
import { ActionButton, Button } from "../components/buttons.tsx";
import { PathCard } from "../components/category-path.tsx";
import type { CategoryRow, CategoryChoice } from "../components/category-path.tsx";
import { Pager } from "../components/table.tsx";
import { Await, Empty, PageHeading, ProblemMessage, Tabs } from "../components/ui.tsx";
import { Unpublished, useFeeds } from "../components/unpublished.tsx";
import { useReload } from "../events.tsx";
import { categoriesText as t } from "../messages/categories.ts";
import { Link, pathWith, useLocation, withQuery } from "../router.tsx";
import { useAction, useData } from "../use-data.ts";

type CategoriesData = Wire<typeof CategoriesAnswer>["data"];
const PAGE = 20;

/** Paths are counted by a search for proposals. */
const isCounted = ({ kind, status }: Run): boolean => kind === "proposals" && status !== "running";

export function CategoriesPage(): JSX.Element {
  const { query } = useLocation();
  const isAll = query.get("view") === "all";
  const loaded = useData<Wire<typeof CategoriesAnswer>>(
    pathWith("/categories", {
      undecided: isAll ? null : "true",
      cursor: query.get("cursor"),
      limit: PAGE,
    }),
  );
  const [isPublished, setIsPublished] = useState(true);
  const feeds = useFeeds();
  useReload(loaded.reload, { run: isCounted });
  const decided = () => {
    setIsPublished(false);
    loaded.reload();
  };
  return (
    <>
      <PageHeading title={t.title} />
      <p class="muted">{t.intro}</p>
      <Unpublished
        feeds={feeds}
        what={isPublished ? null : t.unpublished}
        onPublished={() => setIsPublished(true)}
      />
      <Await loaded={loaded}>
        {(page) =>
          page.totals.paths === 0 && page.categories.length === 0 ? (
            <NoPaths />
          ) : (
            <>
              {page.note !== null && <p class="muted">{page.note}</p>}
              <Progress of={page.totals} />
              <Views of={page.totals} isAll={isAll} />
              <Paths page={page} onDecided={decided} />
              <Pager next={page.next_cursor} />
            </>
          )
        }
      </Await>
    </>
  );
}

function NoPaths(): JSX.Element {
  const { fetch } = useThisCatalog();
  const [isStarted, setIsStarted] = useState(false);
  const look = async () => {
    await fetch("/proposals/refresh", { method: "POST" });
    setIsStarted(true);
  };
  return (
    <Empty>
      <h2>{t.empty.title}</h2>
      <p>{t.empty.text}</p>
      <ActionButton scope="write" act={look}>
        {t.empty.look}
      </ActionButton>
      <p role="status">{isStarted ? t.empty.started : ""}</p>
    </Empty>
  );
}

function Progress({ of: { items, categorized } }: { readonly of: CategoriesData["totals"] }): JSX.Element {
  return (
    <div class="category-progress">
      <progress aria-label={t.progressLabel} max={Math.max(items, 1)} value={categorized} />
      <p>{t.progress(categorized, items)}</p>
    </div>
  );
}

function Views({
  of: totals,
  isAll,
}: {
  readonly of: CategoriesData["totals"];
  readonly isAll: boolean;
}): JSX.Element {
  const location = useLocation();
  return (
    <Tabs
      label={t.tabs}
      tabs={[
        {
          href: withQuery(location, { view: undefined }),
          text: t.undecided(totals.undecided),
          isCurrent: !isAll,
        },
        { href: withQuery(location, { view: "all" }), text: t.all(totals.paths), isCurrent: isAll },
      ]}
    />
  );
}

type Decided = { readonly path: string; readonly choice: CategoryChoice };

function messageOf({ path, choice }: Decided): string {
  if (choice === undefined) return t.takenBack(path);
  return choice === null ? t.doneNone(path) : t.done(path, choice.path);
}

/**
 * After a decision the focus goes to the path that is now in the place of the decided one, before the next key is
 * pressed.
 */
function useFocusAfterDecision(categories: CategoriesData["categories"]) {
  const root = useRef<HTMLDivElement>(null);
  const decision = useRef<{ path: string; at: number; before: string } | undefined>(undefined);
  const entryOf = (path: string) => JSON.stringify(categories.find((one) => one.path === path) ?? null);
  const remember = (path: string) => {
    const at = categories.findIndex((one) => one.path === path);
    decision.current = { path, at, before: entryOf(path) };
  };
  useLayoutEffect(() => {
    const { current: made } = decision;
    // A list that was read before the decision still has the path as it was.
    if (!made || entryOf(made.path) === made.before) return;
    const paths = root.current?.querySelectorAll<HTMLElement>(".category-path h2") ?? [];
    const next = paths[Math.min(Math.max(made.at, 0), paths.length - 1)];
    (next ?? root.current?.querySelector<HTMLElement>(".decision-bar button"))?.focus();
    decision.current = undefined;
  }, [categories]);
  return { root, remember };
}

function Paths({
  page: { categories },
  onDecided,
}: {
  readonly page: CategoriesData;
  readonly onDecided: () => void;
}): JSX.Element {
  const { call } = useThisCatalog();
  const [last, setLast] = useState<Decided>();
  const { root, remember } = useFocusAfterDecision(categories);
  const { run, isWorking, problem } = useAction(async (decided: Decided) => {
    const { path, choice } = decided;
    const category = choice === undefined ? {} : { category: choice === null ? null : choice.id };
    remember(path);
    await call("/categories", {
      method: "PUT",
      body: { mappings: [{ path, ...category }] },
      // The items get it in the background, while the next path is decided.
      headers: { prefer: "respond-async" },
    });
    setLast(decided);
    onDecided();
  });
  return (
    <div class="review" ref={root}>
      {problem && <ProblemMessage problem={problem} />}
      {categories.length === 0 ? <NothingLeft /> : <List {...{ categories, isWorking }} onDecide={run} />}
      <div class={last ? "decision-bar" : "visually-hidden"}>
        <p role="status">{last && messageOf(last)}</p>
        {last && last.choice !== undefined && (
          <Button
            scope="write"
            isWorking={isWorking}
            onClick={() => void run({ path: last.path, choice: undefined })}
          >
            {t.undo}
          </Button>
        )}
      </div>
    </div>
  );
}

const List = ({
  categories,
  isWorking,
  onDecide,
}: {
  readonly categories: readonly CategoryRow[];
  readonly isWorking: boolean;
  readonly onDecide: (decided: Decided) => Promise<void>;
}): JSX.Element => (
  <ul class="category-paths" aria-label={t.list}>
    {categories.map((one) => (
      <PathCard
        key={one.path}
        of={one}
        isWorking={isWorking}
        onDecide={(choice) => void onDecide({ path: one.path, choice })}
      />
    ))}
  </ul>
);

function NothingLeft(): JSX.Element {
  const location = useLocation();
  return (
    <Empty>
      <h2>{t.allDecided.title}</h2>
      <p>{t.allDecided.text}</p>
      <Link href={withQuery(location, { view: "all" })}>{t.showAll}</Link>
    </Empty>
  );
}
