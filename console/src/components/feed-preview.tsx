/** The beginning of a hosted file, as a table or as text. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { FeedFileName } from "../../../src/contract/feeds.ts";
import { toProblem } from "../api.ts";
import type { Problem } from "../api.ts";
import { useThisCatalog } from "../catalog.ts";
import { readBeginning, splitRows } from "../feed-rows.ts";
import type { Beginning, FeedRows } from "../feed-rows.ts";
import { formatBytes } from "../format.ts";
import { feedTexts } from "../messages/feeds.ts";
import { Link, useLocation } from "../router.tsx";
import { itemHref } from "./item-link.tsx";
import { FilterSelect, Filters } from "./table.tsx";
import { Empty, Loading, ProblemMessage } from "./ui.tsx";

const texts = feedTexts.preview;

export type PreviewedFile = {
  readonly file: FeedFileName;
  readonly url: string;
  /** Undefined until the figures are loaded. */
  readonly items: number | undefined;
  readonly bytes: number | undefined;
  /** Changes with the content. */
  readonly version: string;
};

export function FeedPreview({ previewed }: { readonly previewed: PreviewedFile }): JSX.Element {
  const { file, url, version } = previewed;
  const { query } = useLocation();
  const [attempt, setAttempt] = useState(0);
  const [beginning, setBeginning] = useState<Beginning>();
  const [problem, setProblem] = useState<Problem>();
  useEffect(() => {
    const abort = new AbortController();
    const read = async () => {
      try {
        setBeginning(await readBeginning(url, abort.signal));
        setProblem(undefined);
      } catch (error) {
        if (!abort.signal.aborted) setProblem(toProblem(error));
      }
    };
    void read();
    return () => abort.abort();
  }, [url, version, attempt]);
  const retry = () => setAttempt((number) => number + 1);
  return (
    <>
      <Filters>
        <FilterSelect
          name="as"
          label={texts.as}
          options={[
            ["", texts.table],
            ["text", texts.text],
          ]}
        />
        <a href={url} class="aligned-link">
          {texts.open}
        </a>
      </Filters>
      {problem && <ProblemMessage problem={problem} onRetry={retry} />}
      {!beginning && !problem && <Loading />}
      {beginning &&
        (query.get("as") === "text" ? (
          <AsText previewed={previewed} beginning={beginning} />
        ) : (
          <AsTable previewed={previewed} rows={splitRows(file, beginning)} />
        ))}
    </>
  );
}

function AsText({
  previewed: { file, bytes },
  beginning: { text, isWhole },
}: {
  readonly previewed: PreviewedFile;
  readonly beginning: Beginning;
}): JSX.Element {
  return (
    <>
      <p class="muted">
        {isWhole
          ? texts.wholeText
          : bytes !== undefined && texts.bytes(formatBytes(text.length), formatBytes(bytes))}
      </p>
      <pre class="preview-text" role="region" aria-label={texts.textOf(file)} tabIndex={0}>
        {text}
      </pre>
    </>
  );
}

function AsTable({
  previewed: { file, items },
  rows: { columns, rows, emptyColumns, idColumn },
}: {
  readonly previewed: PreviewedFile;
  readonly rows: FeedRows;
}): JSX.Element {
  if (rows.length === 0)
    return (
      <Empty>
        <p>{texts.noRows}</p>
      </Empty>
    );
  return (
    <>
      <p class="muted">
        {items === undefined
          ? ""
          : rows.length >= items
            ? texts.allRows(items)
            : texts.rows(rows.length, items)}{" "}
        {emptyColumns > 0 && texts.emptyColumns(emptyColumns)}
      </p>
      <div class="table-scroll preview-table" role="region" aria-label={texts.tableOf(file)} tabIndex={0}>
        <table>
          <thead>
            <tr>
              {columns.map((name) => (
                <th key={name} scope="col" title={name}>
                  {/* The sub-attributes of Google's columns are long: the name is enough here. */}
                  {name.replace(/\(.*\)$/, "")}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, number) => (
              <tr key={number}>
                {row.map((cell, i) => (
                  <PreviewCell key={i} cell={cell} isId={i === idColumn} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function PreviewCell({ cell, isId }: { readonly cell: string; readonly isId: boolean }): JSX.Element {
  const { href } = useThisCatalog();
  if (!isId) return <td title={cell}>{cell}</td>;
  return (
    <th scope="row">
      <Link href={href(itemHref(cell))}>{cell}</Link>
    </th>
  );
}
