/** What a render wrote into each file, and why items will be refused or are left out. */
import type { JSX } from "preact";
import type { RenderAnswer } from "../../../src/contract/renders.ts";
import type { Wire } from "../../../src/contract/shapes.ts";
import { useThisCatalog } from "../catalog.ts";
import { formatBytes, formatNumber } from "../format.ts";
import { runsText } from "../messages/runs.ts";
import { refusedIn } from "../refused.ts";
import { Link } from "../router.tsx";
import { Remedy } from "./remedy.tsx";
import { Table } from "./table.tsx";

const text = runsText.render;

export type RenderData = Wire<typeof RenderAnswer>["data"];

export function RenderFiles({ render }: { readonly render: RenderData }): JSX.Element {
  const { href } = useThisCatalog();
  return (
    <Table
      label={text.table}
      rows={render.files}
      keyOf={({ file }) => file}
      columns={[
        {
          head: text.file,
          kind: "heading",
          cell: ({ file }) => <Link href={href(`/feeds/${file}`)}>{file}</Link>,
        },
        { head: text.written, kind: "number", cell: ({ written }) => formatNumber(written) },
        { head: text.refused, kind: "number", cell: (file) => formatNumber(refusedIn(file)) },
        { head: text.size, kind: "number", cell: ({ bytes }) => formatBytes(bytes) },
        { head: text.changed, cell: ({ changed }) => (changed ? text.yes : text.no) },
      ]}
    />
  );
}

export function RefusalReasons({ render }: { readonly render: RenderData }): JSX.Element | null {
  const reasons = render.files.flatMap(({ file, reasons: ofFile }) =>
    ofFile.map((reason) => ({ file, ...reason })),
  );
  if (reasons.length === 0) return null;
  return (
    <Table
      label={text.reasonTable}
      rows={reasons}
      keyOf={({ file, code }) => file + code}
      columns={[
        { head: text.file, kind: "heading", cell: ({ file }) => file },
        {
          head: text.reason,
          kind: "text",
          cell: ({ code, example }) => example?.message ?? <code>{code}</code>,
        },
        { head: text.whatToDo, kind: "text", cell: (reason) => <Remedy {...reason} /> },
        { head: text.written, kind: "number", cell: ({ count }) => formatNumber(count) },
      ]}
    />
  );
}
