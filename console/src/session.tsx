/** Who is signed in, and which catalogs they can use. */
import { createContext } from "preact";
import type { ComponentChildren, JSX } from "preact";
import { useContext } from "preact/hooks";
import type { CatalogsAnswer } from "../../src/contract/catalogs.ts";
import { callApi } from "./api.ts";
import { Loading, ProblemMessage } from "./components/ui.tsx";
import { SignInPage } from "./pages/sign-in.tsx";
import { useData } from "./use-data.ts";

type Session = CatalogsAnswer["data"] & { readonly reload: () => void };

const Current = createContext<Session>({ catalogs: [], is_operator: false, reload: () => undefined });
export const useSession = (): Session => useContext(Current);

/** Shows the sign-in page to callers without a session. */
export function SignedIn({ children }: { readonly children: ComponentChildren }): JSX.Element {
  const { data, problem, reload } = useData<CatalogsAnswer>("/catalogs");
  if (problem?.status === 401) return <SignInPage onSignedIn={reload} />;
  if (problem && !data) return <ProblemMessage problem={problem} onRetry={reload} />;
  if (!data) return <Loading />;
  return <Current.Provider value={{ ...data, reload }}>{children}</Current.Provider>;
}

export async function signOut(): Promise<void> {
  await callApi("/session", { method: "DELETE" });
  window.location.assign("/");
}
