/** On the pages of runs: what became of a render that was held, and the way to its page, where it is decided. */
import type { JSX } from "preact";
import type { Render, RenderAnswer, RenderDetail } from "../../../src/contract/renders.ts";
import type { Wire } from "../../../src/contract/shapes.ts";
import { useThisCatalog } from "../catalog.ts";
import { useReload } from "../events.tsx";
import { renderTexts } from "../messages/renders.ts";
import { runsText } from "../messages/runs.ts";
import { Link } from "../router.tsx";
import { useData } from "../use-data.ts";
import type { LoadedData } from "../use-data.ts";
import { RenderState, stateOf } from "./render-state.tsx";
import { Await, Notice } from "./ui.tsx";

const t = runsText.render;

type OfRun = { readonly id: string };

function useRender(id: string): LoadedData<RenderDetail> {
  const loaded = useData<Wire<typeof RenderAnswer>>(`/renders/${id}`);
  useReload(loaded.reload, { run: ({ kind }) => kind === "render" });
  return loaded;
}

export function HeldRenderState({ id }: OfRun): JSX.Element | null {
  const { data } = useRender(id);
  return data ? <RenderState render={data} /> : null;
}

export function HeldRender({ id }: OfRun): JSX.Element {
  return <Await loaded={useRender(id)}>{(render) => <Outcome render={render} />}</Await>;
}

function Outcome({ render }: { readonly render: Render }): JSX.Element {
  const { href } = useThisCatalog();
  const { run_id: id, error } = render;
  const isUndecided = render.state === "held";
  return (
    <Notice tone={isUndecided ? "attention" : "neutral"}>
      <p>
        {isUndecided && <strong>{t.held}</strong>}{" "}
        {isUndecided && error ? error.message : renderTexts.stateTexts[stateOf(render)]}
      </p>
      <Link href={href(`/renders/${id}`)}>{isUndecided ? t.decide : t.open}</Link>
    </Notice>
  );
}
