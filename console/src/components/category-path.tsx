/** One of the shop's category paths: suggestions to choose from, a search, or the decision. */
import type { JSX } from "preact";
import type { CategoriesAnswer, GoogleCategory } from "../../../src/contract/categories.ts";
import type { Wire } from "../../../src/contract/shapes.ts";
import { categoriesText as t } from "../messages/categories.ts";
import { Button } from "./buttons.tsx";
import { CategorySearch } from "./category-search.tsx";
import { Time } from "./ui.tsx";

export type CategoryRow = Wire<typeof CategoriesAnswer>["data"]["categories"][number];

/** A category, none of them (null), or no decision any more (undefined). */
export type CategoryChoice = GoogleCategory | null | undefined;

/** How many titles of items say what the path has. */
const TITLES = 3;

type PathProps = {
  readonly of: CategoryRow;
  readonly isWorking: boolean;
  readonly onDecide: (choice: CategoryChoice) => void;
};

export function PathCard(props: PathProps): JSX.Element {
  const { path, items, categorized, titles, is_decided: isDecided } = props.of;
  return (
    <li class="card category-path" data-path={path}>
      <div>
        <h2 class="anywhere" tabIndex={-1}>
          {path}
        </h2>
        <p class="small muted anywhere">
          {t.items(items, categorized)}
          {titles.length > 0 && <> · {t.titles(titles.slice(0, TITLES))}</>}
        </p>
      </div>
      {isDecided ? <Decision {...props} /> : <Choices {...props} />}
    </li>
  );
}

function Decision({ of, isWorking, onDecide }: PathProps): JSX.Element {
  const { category, decided_at: at, path } = of;
  return (
    <div class="buttons">
      <p class="anywhere">
        {category === null ? t.decidedNone : <b>{category.path}</b>}{" "}
        <span class="small muted">
          {t.by} <Time at={at} />
        </span>
      </p>
      <Button
        scope="write"
        kind="quiet"
        about={path}
        isWorking={isWorking}
        onClick={() => onDecide(undefined)}
      >
        {t.takeBack}
      </Button>
    </div>
  );
}

function Choices({ of: { path, suggestions }, isWorking, onDecide }: PathProps): JSX.Element {
  return (
    <div class="category-choices">
      {suggestions.length === 0 ? (
        <p class="small">{t.noSuggestions}</p>
      ) : (
        <ul class="suggestions" aria-label={t.suggestions}>
          {suggestions.map((suggestion) => (
            <li key={suggestion.id}>
              <Button
                scope="write"
                about={path}
                isWorking={isWorking}
                onClick={() => onDecide({ id: suggestion.id, path: suggestion.path })}
              >
                {suggestion.path} <span class="small muted nowrap">{t.sure(suggestion.confidence)}</span>
              </Button>
            </li>
          ))}
        </ul>
      )}
      <div class="search-or-none">
        <CategorySearch about={path} onChoose={onDecide} />
        <Button scope="write" kind="quiet" about={path} isWorking={isWorking} onClick={() => onDecide(null)}>
          {t.none}
        </Button>
      </div>
    </div>
  );
}
