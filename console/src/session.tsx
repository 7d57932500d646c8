/** Who is signed in, and which catalogs they can use. */
import { createContext } from "preact";
import type { ComponentChildren, JSX } from "preact";
import { useContext, useEffect, useRef } from "preact/hooks";
import type { CatalogsAnswer } from "../../src/contract/catalogs.ts";
import { callApi, Problem, REFUSED } from "./api.ts";
import { Loading, ProblemMessage } from "./components/ui.tsx";
import { SignInPage } from "./pages/sign-in.tsx";
import { useData } from "./use-data.ts";

type Session = CatalogsAnswer["data"] & { readonly reload: () => void };

const Current = createContext<Session>({
  catalogs: [],
  is_operator: false,
  restored_at: null,
  reload: () => undefined,
});
export const useSession = (): Session => useContext(Current);

/** Other tabs of this browser have the same session. */
const otherTabs = new BroadcastChannel("shelfwire-session");

/** Shows the sign-in page to callers without a session, also when it ends while a page is open. */
export function SignedIn({ children }: { readonly children: ComponentChildren }): JSX.Element {
  const { data, problem, reload } = useData<CatalogsAnswer>("/catalogs");
  const isSignedIn = data !== undefined && problem?.status !== 401;
  const latest = useRef(isSignedIn);
  latest.current = isSignedIn;
  useEffect(() => {
    const check = () => {
      if (latest.current) reload();
    };
    window.addEventListener(REFUSED, check);
    otherTabs.addEventListener("message", check);
    return () => {
      window.removeEventListener(REFUSED, check);
      otherTabs.removeEventListener("message", check);
    };
  }, []);
  if (problem?.status === 401) return <SignInPage onSignedIn={reload} hasEnded={data !== undefined} />;
  if (problem && !data) return <ProblemMessage problem={problem} onRetry={reload} />;
  if (!data) return <Loading />;
  return <Current.Provider value={{ ...data, reload }}>{children}</Current.Provider>;
}

export async function signOut(): Promise<void> {
  await callApi("/session", { method: "DELETE" }).catch((error: unknown) => {
    // The session has ended already.
    if (!(error instanceof Problem && error.status === 401)) throw error;
  });
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has this origin only
  otherTabs.postMessage("signed out");
  window.location.assign("/");
}
